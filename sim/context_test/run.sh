#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Compiles the test of the change of stacks, and runs it: for this machine, or for another one.
#
#     sim/context_test/run.sh
#     sim/context_test/run.sh aarch64-linux-gnu-g++ qemu-aarch64-static -L /usr/aarch64-linux-gnu
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

compiler=${1:-g++}
[[ $# -eq 0 ]] || shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for level in -O0 -O2; do
    "$compiler" -std=c++20 $level -Wall -Wextra -I. sim/context_test/main.cpp sim/context.cpp -o "$folder/test" -pthread
    echo "$compiler $level: $("$@" "$folder/test")"
done
