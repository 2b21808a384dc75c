#!/usr/bin/env bash
# Leases of a budget against a real PostgreSQL, which this starts in a temporary folder and ends.
#
#   leases.sh
#
# Needs cargo, and what postgres.sh needs. The last line is `N passed, N failed`. Exit status: 0 passed, 1 failed, 77
# skipped because PostgreSQL is missing (with CI=true: 1).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

folder=$(mktemp -d)
log=$(mktemp)
end() {
    [ ! -e "$folder/control" ] || "$folder/control" stop -m immediate
    rm -rf "$folder" "$log"
}
trap end EXIT

port=$(tests/scale/postgres.sh "$folder" 2>"$log")
status=$?
if [ "$status" = 77 ] && [ "${CI-}" != true ]; then
    echo "skipped: $(cat "$log")"
    exit 77
elif [ "$status" != 0 ]; then
    cat "$log"
    echo "0 passed, 1 failed"
    exit 1
fi

TANDEM_TEST_POSTGRES="postgres://admin@127.0.0.1:$port" TANDEM_TEST_CONTROL="$folder/control" \
    TANDEM_TEST_CA="$folder/ca.pem" \
    cargo test --locked --test it leases:: -- --ignored --nocapture --test-threads=1 --skip simulation 2>&1 | tee "$log"
awk '/^test result: / { p += $4; f += $6; any = 1 } END { print p + 0 " passed, " (any ? f + 0 : 1) " failed"; exit !any || f > 0 || p == 0 }' "$log"
