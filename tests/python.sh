# The common parts of the checks written in Python; to be sourced. Needs `tandem`, the binary, unless the check finds it
# itself.
#
# Sets `cache`, below which everything is installed. A check that cannot run ends here: with exit status 77, or with
# CI=true as a failure.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tandem-tests

skip() {
	if [ "${CI-}" = true ]; then
		echo "cannot run: $1"
		echo "0 passed, 1 failed"
		exit 1
	fi
	echo "skipped: $1"
	exit 77
}

# environment NAME REQUIREMENTS: sets `venv` to a Python environment, created again when its requirements change.
environment() {
	venv=$cache/$1-venv
	stamp=$(cksum <"$2")
	[ "$(cat "$venv/stamp" 2>/dev/null)" = "$stamp" ] && return
	mkdir -p "$cache"
	rm -rf "$venv"
	python3 -m venv "$venv" >"$venv.log" 2>&1 || skip "python3 cannot make a virtual environment ($venv.log)"
	"$venv/bin/pip" install --quiet --requirement "$2" >"$venv.log" 2>&1 ||
		skip "what ${2##*/} names cannot be installed ($venv.log)"
	echo "$stamp" >"$venv/stamp"
}

# built: ends the check where the binary is absent.
built() {
	[ -x "$tandem" ] && return
	echo "$tandem is not there; build it first (cargo build)" >&2
	echo "0 passed, 1 failed"
	exit 1
}

# check NAME [TANDEM] [ARGUMENT...]: runs the caller's check.py on the binary, with its requirements.txt.
check() {
	name=$1
	shift
	case ${1-} in
	'' | -*) tandem=$here/../../target/debug/tandem ;;
	*)
		tandem=$1
		shift
		;;
	esac
	built
	environment "$name" "$here/requirements.txt"
	exec "$venv/bin/python" "$here/check.py" "$tandem" "$@"
}

[ -z "${tandem-}" ] || built
command -v python3 >/dev/null || skip "there is no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "python3 is older than 3.10"
