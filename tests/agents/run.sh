#!/bin/sh
# Drives `tandem acp` and `tandem mcp` with the published SDKs and suites of both protocols.
#
#   run.sh [TANDEM] [--only WORDS]
#
# TANDEM is the binary (default: target/debug/tandem). The SDKs, and the suites of package.json, are in the user's cache
# folder, and installed again when their list changes. Without npm the suites are left out (with CI=true it fails).
# Exit status: 0 passed, 1 failed, 77 skipped because Python, venv or the network is missing (with CI=true: 1).
set -u
here=$(cd "$(dirname "$0")" && pwd)

. "$here/../python.sh"

# suites: installs the packages of package.json, unless that is done.
suites() {
	suites=$cache/agents-npm
	stamp=$(cksum <"$here/package.json")
	[ "$(cat "$suites/stamp" 2>/dev/null)" = "$stamp" ] && return
	command -v npm >/dev/null || return
	rm -rf "$suites"
	mkdir -p "$suites"
	cp "$here/package.json" "$suites"
	(cd "$suites" && npm install --ignore-scripts --no-audit --no-fund) >"$suites.log" 2>&1 &&
		echo "$stamp" >"$suites/stamp"
}

suites
if [ -e "$suites/stamp" ]; then
	check agents "$@" --suites "$suites"
elif [ "${CI-}" = true ]; then
	skip "what package.json names cannot be installed ($suites.log)"
else
	echo "skipped: what package.json names is not installed ($suites.log)"
	check agents "$@"
fi
