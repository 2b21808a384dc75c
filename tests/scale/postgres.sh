#!/usr/bin/env bash
# Starts a PostgreSQL for a test in an empty folder, and prints its port on 127.0.0.1. It trusts everybody but the role
# `guarded`, which needs its password and TLS.
#
#   postgres.sh FOLDER
#
# FOLDER/control then takes what `pg_ctl` takes: `stop`, `start`, `restart -m immediate` as after a crash. FOLDER/ca.pem
# is the authority of the certificate, which is for `localhost`. Needs Debian's `postgresql` (or initdb and pg_ctl on the
# PATH) and openssl. As root, the database runs as `postgres`. Exit status: 0 started, 1 failed, 77 something is missing.
set -euo pipefail
folder=$1

missing() {
    echo "$1" >&2
    exit 77
}

bin=$(dirname "$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | tail -n 1 || true)")
[ -x "$bin/initdb" ] || missing "there is no PostgreSQL (apt-get install postgresql)"
command -v openssl >/dev/null || missing "there is no openssl"
as=()
if [ "$(id -u)" = 0 ]; then
    id postgres >/dev/null 2>&1 || missing "as root, PostgreSQL needs the user postgres"
    as=(runuser -u postgres --)
    chown postgres "$folder"
fi
chmod 755 "$folder"
# The folder where the shell is may be closed to the other user.
cd "$folder"

"${as[@]}" "$bin/initdb" --pgdata data --username admin --auth trust --no-sync >log.initdb 2>&1 || {
    cat log.initdb >&2
    exit 1
}
request() { "${as[@]}" openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -batch "$@" 2>>log.openssl; }
request -x509 -days 9 -subj "/CN=a test's authority" -keyout ca.key -out ca.pem
request -subj /CN=localhost -keyout data/server.key -out server.csr
echo "subjectAltName = DNS:localhost" >names
"${as[@]}" openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 9 -extfile names \
    -out data/server.crt 2>>log.openssl
printf 'hostssl all guarded all scram-sha-256\nhost all guarded all reject\n' | cat - data/pg_hba.conf >hba
cat hba >data/pg_hba.conf
# Commits reach the disk, as in earnest.
cat >>data/postgresql.conf <<EOF
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
ssl = on
EOF
# The shell of `pg_ctl` keeps the output open, so that it needs a file.
cat >control <<EOF
#!/bin/sh
cd "$folder" && exec ${as[*]-} "$bin/pg_ctl" --pgdata data --log log --silent -w "\$@" </dev/null >log.control 2>&1
EOF
chmod +x control
for _ in 1 2 3 4 5; do
    # Another program may have the port.
    port=$((20000 + RANDOM % 12000))
    echo "port = $port" >>data/postgresql.conf
    if ./control start; then
        echo "$port"
        exit 0
    fi
done
cat log >&2
exit 1
