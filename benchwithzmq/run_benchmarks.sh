#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Everything from a fresh clone: set-up, Release build, the comparison, its tables and its report.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage()
{
    cat <<'END'
usage: benchwithzmq/run_benchmarks.sh [options]

  --with-libzmq      compare with the system's libzmq (the default)
  --skip-libzmq      measure zlink alone
  --runs N           pairs of runs for each cell (default 5; 3 with --quick)
  --transports T     names with commas between: tcp, ipc, inproc, curve+tcp, curve+ipc, tls (default: each pattern's own of the
                     first three; BENCH_TRANSPORTS)
  --pattern P        ALL (the default), EXTRA, LOADS, DRAFTS, or names with commas between
  --quick            sizes 64, 1024, 65536 and short runs, the noise floor of one pattern and transport alone: under 6 minutes
                     on 2 cores
  --reuse-build      do not build; the programs are in build/bin
  --directory DIR    where results, tables, an HTML page and pictures go (default build/benchmarks)
  --resume           go on with the run in that directory where it was interrupted
  --overwrite        begin anew: remove the results, tables and pictures of the run in that directory
  --output FILE      the table as text, too
  --help             this text

Without --resume or --overwrite the results of an earlier run are left alone, and nothing is measured. Environment: as for
run_comparison.py --help.
END
}

fail() { printf 'run_benchmarks.sh: %s\n' "$*" >&2; exit 2; }

runs="" pattern=ALL transports="" output="" directory=build/benchmarks quick=0 reuse=0 resume=0 overwrite=0 libzmq=1
while [[ $# -gt 0 ]]; do
    case $1 in
        --with-libzmq) libzmq=1 ;;
        --skip-libzmq) libzmq=0 ;;
        --quick) quick=1 ;;
        --reuse-build) reuse=1 ;;
        --resume) resume=1 ;;
        --overwrite) overwrite=1 ;;
        --runs | --pattern | --transports | --output | --directory)
            [[ $# -ge 2 ]] || fail "$1 needs a value"
            declare "${1#--}=$2"
            [[ $1 != --directory || $2 == /* ]] || directory=$caller/$2
            shift
            ;;
        -h | --help) usage; exit 0 ;;
        *) fail "unknown option '$1' (--help lists them)" ;;
    esac
    shift
done
if [[ -n $output ]]; then
    [[ $output == /* ]] || output=$caller/$output
    [[ -d $(dirname "$output") ]] || fail "--output $output: there is no folder $(dirname "$output"); make it first"
    [[ ! -f $output || $resume == 1 || $overwrite == 1 ]] ||
        fail "$output is there already: --overwrite replaces it, or name another --output FILE"
fi
[[ $resume == 0 || $overwrite == 0 ]] || fail "--resume goes on with a run, --overwrite begins anew: not both"
shopt -s nullglob
earlier=("$directory"/{results.json,table.txt,report.md,report.html}* "$directory"/*.png)
if [[ ${#earlier[@]} -gt 0 && $resume == 0 && $overwrite == 0 ]]; then
    fail "$directory holds the results of an earlier run: --resume goes on with it, --overwrite replaces it, --directory DIR keeps both"
fi

if [[ $reuse == 0 ]]; then
    ./build.sh bench
elif [[ ! -x build/bin/comp_zlink_pair ]]; then
    fail "--reuse-build: build/bin/comp_zlink_pair is missing; leave the option out once"
fi
[[ -z $transports ]] || export BENCH_TRANSPORTS=$transports
python=build/venv/bin/python
[[ -x $python ]] || python=python3

results=$directory
mkdir -p "$results" || fail "--directory $results cannot be made: name another"
[[ $overwrite == 0 ]] || rm -f "${earlier[@]}"
arguments=("$pattern" --json "$results/results.json" --output "$results/table.txt")
if [[ $quick == 1 ]]; then
    export BENCH_MSG_SIZES=${BENCH_MSG_SIZES:-64,1024,65536} BENCH_SECONDS=${BENCH_SECONDS:-0.2}
    runs=${runs:-3}
fi
arguments+=(--runs "${runs:-5}")
[[ $resume == 1 ]] && arguments+=(--resume)

status=0
if [[ $libzmq == 0 ]]; then
    arguments+=(--zlink-only)
elif [[ $quick == 0 ]]; then
    arguments+=(--noise)
else
    # The noise floor of one pattern over one transport comes first, into the result file that the rest goes on with.
    first=${pattern%%,*}
    case ${first^^} in
        ALL) first=PAIR ;;
        EXTRA) first=PUSH_PULL ;;
        DRAFTS) first=CLIENT_SERVER ;;
        # for the noise, without their many cells
        LOADS | CONVERSATION | FIXED_RATE | HIGHEST_RATE | BROKER) first=PAIR ;;
    esac
    transports=${BENCH_TRANSPORTS:-tcp}
    "$python" benchwithzmq/run_comparison.py "$first" "${arguments[@]:1}" --noise --transports "${transports%%,*}" \
        >/dev/null || status=$?
    [[ $status -le 1 ]] || exit $status
    [[ $resume == 1 ]] || arguments+=(--resume)
    status=0
fi
"$python" benchwithzmq/run_comparison.py "${arguments[@]}" || status=$?
[[ $status -eq 2 ]] && exit 2
if [[ -n $output ]]; then
    cp "$results/table.txt" "$output" || status=1
fi
"$python" benchwithzmq/report.py "$results/results.json" --markdown "$results/report.md" --html "$results/report.html" \
    --png-dir "$results" || status=1
printf '\n==> results\ntable:    %s\nreport:   %s\npictures: %s\nraw:      %s\n' "$results/table.txt" "$results/report.html" \
    "$results/*.png" "$results/results.json"
exit $status
