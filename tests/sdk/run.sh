#!/bin/sh
# Checks the simulator, and frames recorded from our client, with the official OpenAI SDK.
#
#   run.sh [TANDEM] [--frames FILE]
#
# TANDEM is the binary (default: target/debug/tandem). The SDK lives in a virtual environment in the user's cache
# folder, which is made anew when requirements.txt changes.
# Exit status: 0 passed, 1 failed, 77 skipped because Python, venv or the network is missing (with CI=true: 1).
set -u
here=$(cd "$(dirname "$0")" && pwd)

case ${1-} in
'' | -*) tandem=$here/../../target/debug/tandem ;;
*)
	tandem=$1
	shift
	;;
esac

skip() {
	if [ "${CI-}" = true ]; then
		echo "cannot run: $1"
		echo "0 passed, 1 failed"
		exit 1
	fi
	echo "skipped: $1"
	exit 77
}

if [ ! -x "$tandem" ]; then
	echo "$tandem is not there; build it first (cargo build)" >&2
	echo "0 passed, 1 failed"
	exit 1
fi
command -v python3 >/dev/null || skip "there is no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "python3 is older than 3.10"

venv=${XDG_CACHE_HOME:-$HOME/.cache}/tandem-tests/sdk-venv
stamp=$(cksum <"$here/requirements.txt")
if [ "$(cat "$venv/stamp" 2>/dev/null)" != "$stamp" ]; then
	mkdir -p "$(dirname "$venv")"
	log=$venv.log
	rm -rf "$venv"
	python3 -m venv "$venv" >"$log" 2>&1 || skip "python3 cannot make a virtual environment ($log)"
	"$venv/bin/pip" install --quiet --requirement "$here/requirements.txt" >"$log" 2>&1 ||
		skip "the SDK cannot be installed ($log)"
	echo "$stamp" >"$venv/stamp"
fi

exec "$venv/bin/python" "$here/check.py" "$tandem" "$@"
