#!/bin/sh
# Checks Tandem with third-party model servers.
#
#   run.sh [TANDEM] [litellm] [llama]        without names: litellm
#
# TANDEM is the binary (default: target/debug/tandem). Everything is installed below the user's cache folder, once:
#   litellm  LiteLLM's proxy from PyPI, in front of our simulator; about a minute to install
#   llama    llama.cpp's server, built from the sources in the package llama-cpp-python of PyPI, with a model of random
#            weights that the check writes; about 8 minutes to build on two cores, with a C++ compiler
# The last line is `N passed, N failed`. Exit status: 0 passed, 1 failed, 77 skipped because something is missing (with
# CI=true: 1).
set -u
here=$(cd "$(dirname "$0")" && pwd)

case ${1-} in
'' | litellm | llama) tandem=$here/../../target/debug/tandem ;;
*)
	tandem=$1
	shift
	;;
esac
[ $# -gt 0 ] || set -- litellm

. "$here/../python.sh"

# llama.cpp's server, built once for each version of its package.
llama_server() {
	package=llama_cpp_python-0.3.36
	server=$cache/$package/llama-server
	[ -x "$server" ] && return
	command -v c++ >/dev/null || skip "there is no C++ compiler"
	work=$cache/$package/work log=$cache/$package/build.log
	rm -rf "$work"
	mkdir -p "$work"
	echo "building llama.cpp's server, once ($log)"
	"$venv/bin/pip" download --quiet --no-deps --no-binary :all: --no-build-isolation --dest "$work" \
		"llama-cpp-python==0.3.36" >"$log" 2>&1 ||
		skip "llama-cpp-python cannot be downloaded ($log)"
	tar -xzf "$work/$package.tar.gz" -C "$work" || skip "$package.tar.gz cannot be unpacked"
	# Optimized for size and build time, not for speed or a device.
	PATH=$venv/bin:$PATH
	{
		cmake -S "$work/$package/vendor/llama.cpp" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=None \
			-DCMAKE_C_FLAGS=-O1 -DCMAKE_CXX_FLAGS=-O1 -DBUILD_SHARED_LIBS=OFF -DGGML_OPENMP=OFF \
			-DGGML_NATIVE=OFF -DGGML_CCACHE=OFF -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF \
			-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF \
			-DLLAMA_USE_PREBUILT_UI=OFF &&
			ninja -C "$work/build" llama-server
	} >>"$log" 2>&1 || skip "llama.cpp's server cannot be built ($log)"
	mv "$work/build/bin/llama-server" "$server"
	rm -rf "$work"
}

passed=0 failed=0
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
for part; do
	environment "$part" "$here/$part.txt"
	server=
	[ "$part" != llama ] || llama_server
	# shellcheck disable=SC2086
	"$venv/bin/python" "$here/check.py" "$tandem" "$part" $server | tee "$counts"
	read -r p _ f _ <<-END
		$(tail -n 1 "$counts")
	END
	case $p$f in
	*[!0-9]* | '') p=0 f=1 ;;
	esac
	passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
