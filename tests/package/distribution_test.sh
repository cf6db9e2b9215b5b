#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Programs on the distribution's libzmq name its file, so that an installed zlink does not take its place. It does
# not do so through ldconfig's cache, nor as libzmq.so.5 in the distribution's own folder.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "distribution_test: $*" >&2; exit 1; }
is_zlink() { nm -D --defined-only "$1" | grep ' zlink_version$' >/dev/null; }

is_zlink "$ZLINK_LIB_DIR/libzmq.so.5" || fail "nobody can tell zlink"
is_zlink "$ZLINK_SYSTEM_LIBZMQ" && fail "$ZLINK_SYSTEM_LIBZMQ is zlink"

# What needs the draft API is on the libzmq that ./build.sh builds for it.
draft=$(readlink -f "$ZLINK_SOURCE_DIR/build/libzmq-draft/lib/libzmq.so.5" || true)
[[ ! -e $draft ]] || ! is_zlink "$draft" || fail "$draft is zlink"

shopt -s nullglob
programs=("$ZLINK_TEST_BIN_DIR"/*_peer "$ZLINK_BIN_DIR"/*_std_zmq_* "$ZLINK_BIN_DIR/zlink_demo_peer")
[[ ${#programs[@]} -ge 3 ]] || fail "only these programs are on the distribution's libzmq: ${programs[*]}"
for program in "${programs[@]}"; do
    folder=$(readelf -d "$program" | sed -n 's/.*(R.*PATH).*\[\([^]:]*\).*/\1/p')
    [[ -e $folder/libzmq.so.5 ]] || fail "$program has no libzmq in its run path '$folder'"
    its=$(readlink -f "$folder/libzmq.so.5")
    [[ $its == "$(readlink -f "$ZLINK_SYSTEM_LIBZMQ")" || $its == "$draft" ]] || fail "$program does not find libzmq"
done
echo "run paths of ${#programs[@]} programs: ok"

# found <folder>...: what the build would take for the distribution's.
found()
{
    cat >"$scratch/find.cmake" <<END
include($ZLINK_SOURCE_DIR/cmake/distribution_libzmq.cmake)
zlink_find_libzmq(found $*)
message("\${found}")
END
    "$CMAKE_COMMAND" -P "$scratch/find.cmake" 2>&1
}

local=$scratch/local distribution=$scratch/distribution
mkdir "$local" "$distribution"
cp "$ZLINK_LIB_DIR/libzmq.so.5.2.90" "$local/"
cp "$ZLINK_LIB_DIR/libzmq.so.5.2.90" "$distribution/"
PATH=$PATH:/sbin:/usr/sbin ldconfig -n "$local" "$distribution"
[[ -z $(found "$local" "$distribution" "$scratch/absent") ]] ||
    fail "took zlink for libzmq: $(found "$local" "$distribution")"
cp "$ZLINK_SYSTEM_LIBZMQ" "$distribution/libzmq.so.5.2.4"
PATH=$PATH:/sbin:/usr/sbin ldconfig -n "$distribution"
is_zlink "$distribution/libzmq.so.5" || fail "ldconfig is expected to prefer zlink"
[[ $(found "$local" "$distribution") == "$distribution/libzmq.so.5.2.4" ]] ||
    fail "found '$(found "$local" "$distribution")'"
echo "libzmq beside zlink: ok"
