# A release build for tests and counts; to be sourced.
#
# It is not optimised at link time, which takes longer than all else of the build, and has lines, so that
# `callgrind_annotate` can say where a count comes from. The dependencies are built once for all that use it.
export CARGO_TARGET_DIR=${TANDEM_QUICK_TARGET:-${CARGO_TARGET_DIR:-target}/quick}
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_INCREMENTAL=0
export CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
