#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Runs each performance tool once, for a moment: smoke_test.sh <directory of the tools>
set -euo pipefail
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "smoke_test: $*" >&2; exit 1; }

# told <words> <file>...: each file has a line with the words, and a number above zero.
told() { grep -qE "^$1: [0-9.]*[1-9]" "$2" || { cat "$2"; fail "$2 has no '$1'"; }; }

for name in local_thr remote_thr local_lat remote_lat inproc_thr inproc_lat proxy_thr; do
    "./$name" --help | grep -q '^usage: .*message-size' || fail "$name --help"
    if "./$name" 2>"$scratch/said"; then fail "$name takes no arguments"; fi
    grep -q '^usage: ' "$scratch/said" || fail "$name says nothing without arguments"
done
if ./inproc_lat 10 none 2>"$scratch/said"; then fail "inproc_lat takes a word for a number"; fi
grep -q "roundtrip-count is a whole number" "$scratch/said" || fail "inproc_lat says $(cat "$scratch/said")"

./inproc_thr 40 10000 >"$scratch/inproc_thr"
./proxy_thr 40 10000 >"$scratch/proxy_thr"
./inproc_lat 40 1000 >"$scratch/inproc_lat"

curves=(0)
[[ ${ZLINK_CURVE:-1} == 0 ]] || curves+=(1)
for curve in "${curves[@]}"; do
    endpoint=ipc://$scratch/socket
    ./local_thr "$endpoint" 40 10000 "$curve" >"$scratch/local_thr" &
    local=$!
    ./remote_thr "$endpoint" 40 10000 "$curve"
    wait "$local" || fail "local_thr failed"
    ./local_lat "$endpoint" 40 1000 "$curve" &
    local=$!
    ./remote_lat "$endpoint" 40 1000 "$curve" >"$scratch/remote_lat"
    wait "$local" || fail "local_lat failed"
    for name in local_thr inproc_thr proxy_thr; do
        told "message size" "$scratch/$name"
        told "mean throughput" "$scratch/$name"
    done
    for name in remote_lat inproc_lat; do
        told "roundtrip count" "$scratch/$name"
        told "average latency" "$scratch/$name"
    done
done
