#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Builds a small program that takes zlink in by add_subdirectory.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

launcher=()
if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
"$CMAKE_COMMAND" -S "$here/consumer" -B "$scratch/build" -G Ninja -DCONSUMER_MODE=subdirectory \
    -DCMAKE_BUILD_TYPE=Release \
    -DZLINK_SOURCE_DIR="$ZLINK_SOURCE_DIR" -DZLINK_WERROR=ON "${launcher[@]}"
"$CMAKE_COMMAND" --build "$scratch/build" --target consumer_shared consumer_static

for program in consumer_shared consumer_static; do
    answer=$("$scratch/build/$program")
    [[ $answer == 4.3.5 ]] || { echo "$program: zmq_version is '$answer'" >&2; exit 1; }
done
for unwanted in zlink conformance unit_tests; do
    if "$CMAKE_COMMAND" --build "$scratch/build" --target "$unwanted" >/dev/null 2>&1; then
        echo "add_subdirectory also defines $unwanted" >&2
        exit 1
    fi
done
