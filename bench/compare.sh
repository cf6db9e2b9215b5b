#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Compares zlink with the distribution's libzmq in one cell: runs of both in turn (A B A B), median of the time ratios.
#
#   bench/compare.sh PATTERN TRANSPORT SIZE [PAIRS] [thr|lat] [SECONDS]
# Environment: ZLINK_LIB_DIR (default build/lib), BENCH_CPU (default 1: pinned to that core; "" for unpinned).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ $# -ge 3 ]] || { sed -n '2,5p' "$0"; exit 2; }
pairs=${4:-5} mode=${5:-thr} seconds=${6:-1}
lib=${ZLINK_LIB_DIR:-$PWD/build/lib} cpu=${BENCH_CPU-1}
program=$(mktemp -d)/cell
trap 'rm -rf "${program%/*}"' EXIT
system=$(ldconfig -p | awk '/libzmq\.so\.5 /{print $NF; exit}')
[[ -n $system ]] || { echo "no libzmq on this machine: apt-get install libzmq5" >&2; exit 1; }
c++ -std=c++20 -O2 -Iinclude bench/cell.cpp -o "$program" "$system" -pthread
pin=(); [[ -n $cpu ]] && pin=(taskset -c "$cpu")
run() { LD_LIBRARY_PATH=$1 timeout 60 "${pin[@]}" "$program" "${@:2}"; }
for ((i = 0; i < pairs; ++i)); do
    for dir in "$(dirname "$system")" "$lib"; do
        run "$dir" "$1" "$2" "$3" "$seconds" "$mode" | awk '/^THR/{print $7} /^LAT/{print $6}'
    done | paste -sd' '
done | awk -v what="$1 $2 $3 $mode" '{ r[NR] = $1 / $2; a[NR] = $1; b[NR] = $2 }
    function sort(x, n, i, j, t) { for (i = 2; i <= n; ++i) { t = x[i]; for (j = i - 1; j >= 1 && x[j] > t; --j) x[j + 1] = x[j]; x[j + 1] = t } }
    END { sort(r, NR); sort(a, NR); sort(b, NR); m = int((NR + 1) / 2)
          printf "%s: libzmq %.1f, zlink %.1f, ratio %.2f [%.2f %.2f]\n", what, a[m], b[m], r[m], r[1], r[NR] }'
