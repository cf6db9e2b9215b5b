#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# What tools/fresh_machine.sh answers to wrong arguments. (That it works takes minutes and a network: run it by hand.)
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
script=$ZLINK_SOURCE_DIR/tools/fresh_machine.sh

fail() { echo "fresh_machine_test: $*" >&2; exit 1; }

# refused <status> <text> <argument>...: one line that says so.
refused()
{
    local wanted=$1 text=$2 status=0
    shift 2
    "$script" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [[ $status -eq $wanted ]] || fail "$*: status $status: $(cat "$scratch/err")"
    [[ ! -s $scratch/out && $(wc -l <"$scratch/err") -eq 1 ]] ||
        fail "$*: more than a line: $(cat "$scratch/out" "$scratch/err")"
    grep -qF -- "$text" "$scratch/err" || fail "$*: $(cat "$scratch/err")"
}

refused 2 "unknown argument --rot" --rot x
refused 2 "--root needs a value" --root
refused 2 "bookworm and trixie, not sid" --release sid
refused 2 "--mirror needs a value" --mirror ""
refused 2 "no command after --" --root "$scratch/root" --
refused 1 "fresh_machine.sh: " --root "$scratch"  # needs root, or debootstrap, or an empty directory
[[ ! -e $scratch/root ]] || fail "made a root unasked"

help=$("$script" --help)
for option in --release --root --keep --mirror --help; do
    grep -q -- "^  $option " <<<"$help" || fail "--help does not tell of $option"
done
echo "wrong arguments: ok"
