#!/usr/bin/env bash
# Backs up a folder, and keeps the last few copies.
set -euo pipefail

target=${1:?folder to back up}
store=${STORE:-/var/backups}
keep=5

log() {
    local level=$1
    shift
    printf '%s %s %s\n' "$(date +%F)" "$level" "$*" >&2
}

pack_daily() {
    local name
    name=$store/daily-$(date +%F).tar.gz
    log info "packing $target"
    tar -czf "$name" "$target"
    log info "wrote $name"
    echo "$name"
}

pack_weekly() {
    local name
    name=$store/weekly-$(date +%V).tar.gz
    log info "packing $target"
    tar -czf "$name" "$target"
    log info "wrote $name"
    echo "$name"
}

prune() {
    local pattern=$1
    local count
    count=$(find "$store" -name "$pattern" | wc -l)
    if [ "$count" -gt "$keep" ]; then
        find "$store" -name "$pattern" | sort | head -n 1 | xargs rm -f
        log info "pruned one of $count"
    fi
}

cat <<'EOF' >"$store/README"
Backups of the last days.
=======
Do not edit.
EOF

pack_daily
prune 'daily-*'
if [ "$(date +%u)" = 7 ]; then
    pack_weekly
    prune 'weekly-*'
fi
