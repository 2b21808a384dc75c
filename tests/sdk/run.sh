#!/bin/sh
# Checks the simulator, and frames recorded from our client, with the official SDKs of OpenAI and Anthropic.
#
#   run.sh [TANDEM] [--frames FILE]
#
# TANDEM is the binary (default: target/debug/tandem). The SDKs are in a virtual environment in the user's cache
# folder, which is created again when requirements.txt changes.
# Exit status: 0 passed, 1 failed, 77 skipped because Python, venv or the network is missing (with CI=true: 1).
set -u
here=$(cd "$(dirname "$0")" && pwd)

. "$here/../python.sh"
check sdk "$@"
