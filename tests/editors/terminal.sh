# shellcheck shell=bash
# An editor on a real terminal's screen, controlled and read with tmux. To be sourced by a script that has set
#   out        the folder for captures
#   tmux       the program
#   tandem     the binary
# It makes the folder $scratch, with $scratch/project in it, and on exit ends everything that it started.

scratch=$(mktemp -d)
mkdir -p "$scratch/project/.git" "$scratch/home" "$out"
# Each terminal has its own server: one that has just lost its last session refuses the next for a moment.
terminals=0
t() { "$tmux" -u -S "$scratch/socket.$terminals" -f /dev/null "$@"; }
set -E
trap 'echo "line $LINENO failed: $BASH_COMMAND"' ERR
simulator=
ending() {
    for ((; terminals > 0; terminals--)); do
        t kill-server 2>/dev/null || true
    done
    [ -z "$simulator" ] || kill "$simulator" 2>/dev/null || true
    rm -rf "$scratch"
}
trap ending EXIT

passed=0
fail() {
    echo "FAIL  $1"
    t capture-pane -p || true
    echo "$passed passed, 1 failed"
    exit 1
}

ok() {
    passed=$((passed + 1))
    echo "ok    $1"
}

# sees WORDS [KEYS...]: waits until the screen shows them. Keys are pressed from time to time until it does.
sees() {
    local words=$1 i
    shift
    for i in $(seq 0 199); do
        if [ $((i % 20)) = 0 ] && [ $# != 0 ]; then
            keys "$@"
        fi
        if t capture-pane -p | grep -qF -- "$words"; then
            ok "the screen has: $words"
            return
        fi
        sleep 0.05
    done
    fail "the screen never had: $words"
}

# gone WORDS: waits until the screen no longer shows them.
gone() {
    local i
    for i in $(seq 200); do
        if ! t capture-pane -p | grep -qF -- "$1"; then
            ok "the screen has no more: $1"
            return
        fi
        sleep 0.05
    done
    fail "the screen still has: $1"
}

# keys KEYS...: presses them one after the other. A terminal reads Escape and the next key as one with Alt, unless there
# is a pause between them.
keys() {
    local key
    for key in "$@"; do
        t send-keys "$key"
        [ "$key" != Escape ] || sleep 0.3
    done
}

# capture NAME: saves the screen, as text and with its colors.
capture() {
    t capture-pane -p >"$out/$1.txt"
    t capture-pane -ep >"$out/$1.ansi"
}

# simulate [ARGUMENTS...]: starts the simulator, and writes a configuration that uses it to $scratch/tandem.toml.
simulate() {
    local url=
    "$tandem" simulate "$@" >"$scratch/url" &
    simulator=$!
    for _ in $(seq 200); do
        url=$(sed -n 's/^listening on //p' "$scratch/url")
        [ -z "$url" ] || break
        sleep 0.05
    done
    [ -n "$url" ] || fail "the simulator does not listen"
    printf '%s\n' '[providers.test]' "base_url = \"$url\"" 'wire = "responses-websocket"' '[fast]' \
        'candidates = [{ provider = "test", model = "m" }]' >"$scratch/tandem.toml"
}

# terminal COMMAND: runs it in a terminal of 76 by 20, in the project and with its own home folder.
terminal() {
    cd "$scratch/project" || exit 1
    terminals=$((terminals + 1))
    t new-session -d -x 76 -y "${lines:-20}" -e HOME="$scratch/home" -e TANDEM_CONFIG="$scratch/tandem.toml" \
        -e XDG_CONFIG_HOME="$scratch/home/.config" -e XDG_STATE_HOME="$scratch/home/state" \
        -e XDG_CACHE_HOME="$scratch/home/cache" -e XDG_DATA_HOME="$scratch/home/data" \
        -e TERM=xterm-256color -e COLORTERM=truecolor -e VIM= -e VIMRUNTIME= "$@"
}
