#!/usr/bin/env bash
# Leases of a budget against a real PostgreSQL, which this starts in a temporary folder and ends.
#
#   leases.sh
#
# Needs Debian's `postgresql` (or initdb and pg_ctl on the PATH), and cargo. As root, the database runs as `postgres`.
# The last line is `N passed, N failed`. Exit status: 0 passed, 1 failed, 77 skipped because PostgreSQL is missing (with
# CI=true: 1).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

skip() {
    if [ "${CI-}" = true ]; then
        echo "cannot run: $1"
        echo "0 passed, 1 failed"
        exit 1
    fi
    echo "skipped: $1"
    exit 77
}

bin=$(dirname "$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | tail -n 1 || true)")
[ -x "$bin/initdb" ] || skip "there is no PostgreSQL (apt-get install postgresql)"
as=()
if [ "$(id -u)" = 0 ]; then
    id postgres >/dev/null 2>&1 || skip "as root, PostgreSQL needs the user postgres"
    as=(runuser -u postgres --)
fi

folder=$(mktemp -d)
chmod 755 "$folder"
[ "${#as[@]}" = 0 ] || chown postgres "$folder"
# The shell of `pg_ctl` keeps the output open, so that it needs a file.
control() { "${as[@]}" "$bin/pg_ctl" --pgdata "$folder/data" --log "$folder/log" --silent -w "$@" </dev/null >"$folder/control" 2>&1; }
end() {
    control stop -m immediate
    rm -rf "$folder"
}
trap end EXIT

# The folder where the shell is may be closed to the other user.
repository=$PWD
cd "$folder" || exit 1
"${as[@]}" "$bin/initdb" --pgdata "$folder/data" --username admin --auth trust --no-sync >"$folder/initdb.log" 2>&1 || {
    cat "$folder/initdb.log"
    echo "0 passed, 1 failed"
    exit 1
}
# Commits reach the disk, as in earnest.
started=false
for _ in 1 2 3 4 5; do
    # Another program may have the port.
    port=$((20000 + RANDOM % 12000))
    control start --options "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200" &&
        started=true && break
done
$started || {
    cat "$folder/log"
    echo "0 passed, 1 failed"
    exit 1
}
cat >"$folder/restart" <<EOF
#!/bin/sh
cd "$folder" && exec ${as[*]} "$bin/pg_ctl" --pgdata "$folder/data" --log "$folder/log" --silent -w restart -m immediate </dev/null >"$folder/restarted" 2>&1
EOF
chmod +x "$folder/restart"

cd "$repository" || exit 1
log=$(mktemp)
TANDEM_TEST_POSTGRES="postgres://admin@127.0.0.1:$port" TANDEM_TEST_RESTART="$folder/restart" \
    cargo test --locked --test it leases::database -- --ignored --nocapture --test-threads=1 2>&1 | tee "$log"
awk '/^test result: / { p += $4; f += $6; any = 1 } END { print p + 0 " passed, " (any ? f + 0 : 1) " failed"; exit !any || f > 0 || p == 0 }' "$log"
status=$?
rm -f "$log"
exit $status
