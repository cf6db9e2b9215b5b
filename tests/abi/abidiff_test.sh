#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# libabigail on zlink and on libzmq. Neither library has debugging information, so that abidiff compares the names and
# kinds of their symbols. The types come from the headers: each is made a library of functions that do nothing, with
# debugging information. (The compiler has compared our functions with our header.) tests/abi/abidiff.suppressions
# lists what may differ, each with its reason.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "abidiff_test: $*" >&2; exit 1; }
command -v abidiff >/dev/null || fail "abidiff is missing: apt-get install abigail-tools"

# compare <title> <libzmq's> <ours>: what we have besides is no difference, whatever else is.
compare()
{
    local status=0
    abidiff --suppressions "$here/abidiff.suppressions" --no-added-syms "$2" "$3" >"$scratch/report" 2>&1 || status=$?
    [[ $status -eq 0 ]] || fail "$1: status $status: $(cat "$scratch/report")"
    echo "$1: ok"
}

# functions <library>: the names of the C API that it exports.
functions() { nm -D --defined-only "$1" | sed -nE 's/^.* [TW] (zmq_[a-z0-9_]+)(@.*)?$/\1/p' | sort -u; }

# stubs <header> <define> <library>: prints how many functions there are.
stubs()
{
    "$CC" -x c $2 -include "$1" -aux-info "$scratch/prototypes" -c /dev/null -o "$scratch/nothing.o"
    sed -nE 's/^.*\*\/ extern (.*\bzmq_[a-z0-9_]+ \(.*\));$/\1 { __builtin_trap(); }/p' "$scratch/prototypes" \
        >"$scratch/stubs"
    { printf '#include "%s"\n' "$1"; cat "$scratch/stubs"; } >"$scratch/stubs.c"
    "$CC" -std=gnu2x $2 -g -shared -fPIC -Wno-deprecated-declarations -Wl,-soname,libzmq.so.5 "$scratch/stubs.c" \
        -o "$3" &&
        wc -l <"$scratch/stubs"
}

# types <title> <libzmq's header> <define>
types()
{
    local theirs ours
    theirs=$(stubs "$2" "$3" "$scratch/theirs.so") || fail "$1: the header of libzmq"
    ours=$(stubs "$ZLINK_SOURCE_DIR/include/zmq.h" "$3" "$scratch/ours.so") || fail "$1: our header"
    [[ $theirs -ge 60 && $ours -ge $theirs ]] || fail "$1: read $theirs functions of libzmq's header, $ours of ours"
    compare "$1, $theirs functions" "$scratch/theirs.so" "$scratch/ours.so"
}

compare "symbols of the libraries" "$ZLINK_SYSTEM_LIBZMQ" "$ZLINK_LIB_DIR/libzmq.so.5"
types "types of the stable API" /usr/include/zmq.h ""
types "types with drafts of the distribution" /usr/include/zmq.h -DZMQ_BUILD_DRAFT_API
draft=$ZLINK_SOURCE_DIR/build/libzmq-draft
if [[ -e $draft/include/zmq.h ]]; then
    # By name: that library also exports its C++ insides, which are no part of the interface.
    missing=$(comm -23 <(functions "$draft/lib/libzmq.so.5") <(functions "$ZLINK_LIB_DIR/libzmq.so.5"))
    [[ -z $missing ]] || fail "functions of the library with drafts that are missing: $missing"
    [[ $(functions "$draft/lib/libzmq.so.5" | wc -l) -ge 90 ]] || fail "the library with drafts has too few functions"
    types "types with drafts, 4.3.5" "$draft/include/zmq.h" -DZMQ_BUILD_DRAFT_API
fi

# And a difference is one.
sed 's/^\(ZMQ_EXPORT int zmq_poll(.*\)long timeout/\1int timeout/' "$ZLINK_SOURCE_DIR/include/zmq.h" >"$scratch/other.h"
stubs "$scratch/other.h" "" "$scratch/other.so" >/dev/null
status=0
abidiff "$scratch/ours.so" "$scratch/other.so" >"$scratch/report" 2>&1 || status=$?
[[ $status -ne 0 ]] && grep -q zmq_poll "$scratch/report" || fail "a wrong type was not found: $(cat "$scratch/report")"
