#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Each public header compiles by itself, twice in one file, without warnings: those in C in every C and C++ that programs
# use, those in C++ in C++20.
set -euo pipefail

include=${ZLINK_SOURCE_DIR:-$(dirname "$0")/../..}/include
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Werror -fsyntax-only)

for header in zmq.h zmq_utils.h zlink.h; do
    program=$(printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$header" "$header")
    for draft in -UZMQ_BUILD_DRAFT_API -DZMQ_BUILD_DRAFT_API; do
        for standard in c90 c99 gnu11 c17; do
            "${CC:-cc}" -x c -std=$standard $draft "${warnings[@]}" -I"$include" - <<<"$program"
        done
        for standard in c++11 gnu++17 c++20; do
            "${CXX:-c++}" -x c++ -std=$standard $draft "${warnings[@]}" -I"$include" - <<<"$program"
        done
    done
done

warnings+=(-DBOOST_ASIO_NO_DEPRECATED -DASIO_NO_DEPRECATED)
for header in "$include"/zlink/*.hpp; do
    program=$(printf '#include <zlink/%s>\n#include <zlink/%s>\n' "${header##*/}" "${header##*/}")
    "${CXX:-c++}" -x c++ -std=c++20 "${warnings[@]}" -I"$include" - <<<"$program"
done
