# A release build for tests and counts; to be sourced.
#
# It has no link-time optimization, which takes longer than the rest of the build, and has line tables, so that
# `callgrind_annotate` can locate a count. The dependencies are built once for all callers.
export CARGO_TARGET_DIR=${TANDEM_QUICK_TARGET:-${CARGO_TARGET_DIR:-target}/quick}
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_INCREMENTAL=0
export CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
