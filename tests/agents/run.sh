#!/bin/sh
# Drives `tandem acp` and `tandem mcp` with the published SDKs of both protocols.
#
#   run.sh [TANDEM] [--only WORDS]
#
# TANDEM is the binary (default: target/debug/tandem). The SDKs live in a virtual environment in the user's cache
# folder, which is made anew when requirements.txt changes.
# Exit status: 0 passed, 1 failed, 77 skipped because Python, venv or the network is missing (with CI=true: 1).
set -u
here=$(cd "$(dirname "$0")" && pwd)

. "$here/../python.sh"
check agents "$@"
