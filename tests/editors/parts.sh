# shellcheck shell=bash
# Runs test programs of editors in parallel, and adds up their counts. To be sourced. Each ends with a line
# `N passed, N failed`; exit status 77 means that it cannot be run on this machine, for the reason in its last line.

output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
names=() jobs=()

# part NAME COMMAND...: starts it.
part() {
    local name=$1
    shift
    names+=("$name")
    "$@" >"$output/${#names[@]}" 2>&1 &
    jobs+=($!)
}

# Waits for all parts, prints their output, and exits. Skipping is a failure with CI=true.
finish() {
    local i status line p f passed=0 failed=0
    for i in "${!names[@]}"; do
        wait "${jobs[$i]}"
        status=$?
        echo "== ${names[$i]}"
        cat "$output/$((i + 1))"
        line=$(grep -Ex '[0-9]+ passed, [0-9]+ failed' "$output/$((i + 1))" | tail -n 1)
        if [ "$status" = 77 ] && [ "${CI-}" != true ]; then
            echo "skipped: ${names[$i]}: $(tail -n 1 "$output/$((i + 1))")"
        elif [ -z "$line" ]; then
            echo "FAIL  ${names[$i]} ended with status $status"
            failed=$((failed + 1))
        else
            read -r p _ f _ <<<"$line"
            passed=$((passed + p)) failed=$((failed + f))
            if [ "$status" != 0 ] && [ "$f" = 0 ]; then
                echo "FAIL  ${names[$i]} ended with status $status"
                failed=$((failed + 1))
            fi
        fi
    done
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] || exit 1
    [ "$passed" != 0 ] || exit 77
    exit 0
}

# The binary under test, from the first argument of the script that sources this.
tandem=${1:-$root/target/release/tandem}
case $tandem in
/*) ;;
*) tandem=$PWD/$tandem ;;
esac
export TANDEM=$tandem
if [ ! -x "$tandem" ]; then
    echo "$tandem is not there; build it first (cargo build --release)"
    echo "0 passed, 1 failed"
    exit 1
fi
