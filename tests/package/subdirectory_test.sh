#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Builds a small program that takes zlink in by add_subdirectory, and one that fetches a tarball of it and knows libzmq's
# names alone. The project around gets the libraries and nothing else: no tests, no tools, no files to install, no flags.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "subdirectory_test: $*" >&2; exit 1; }

launcher=()
if command -v ccache >/dev/null; then
    # Paths below the scratch directory, which has another name each time, do not count.
    launcher=(env "CCACHE_BASEDIR=$scratch" CCACHE_NOHASHDIR=1 ccache)
    launcher=("-DCMAKE_C_COMPILER_LAUNCHER=$(IFS=';' && echo "${launcher[*]}")"
              "-DCMAKE_CXX_COMPILER_LAUNCHER=$(IFS=';' && echo "${launcher[*]}")")
fi

# take_in <mode> <argument of CMake>...: configures and builds $scratch/<mode>, which holds the library and the programs.
take_in()
{
    local build=$scratch/$1 answer program unwanted
    "$CMAKE_COMMAND" -S "$here/consumer" -B "$build" -G Ninja -DCONSUMER_MODE="$1" \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${launcher[@]}" "${@:2}"
    "$CMAKE_COMMAND" --build "$build"

    for program in "$build"/consumer_*; do
        answer=$("$program")
        [[ $answer == 4.3.5 ]] || fail "$1: $program: zmq_version is '$answer'"
    done
    for unwanted in zlink conformance unit_tests local_thr benchwithzmq; do
        if "$CMAKE_COMMAND" --build "$build" --target "$unwanted" >/dev/null 2>&1; then
            fail "$1: the project has a target $unwanted"
        fi
    done
    if grep 'CMakeFiles/consumer_static.dir' "$build/compile_commands.json" | grep -E -- '-Wall|-Werror|-std='; then
        fail "$1: the program is compiled with zlink's flags"
    fi
    grep -q 'ZMQ_STATIC.*CMakeFiles/consumer_static.dir' "$build/compile_commands.json" ||
        fail "$1: the program does not know that the library is static"
    [[ ! -e $build/CTestTestfile.cmake && ! -e $build/zlink/CTestTestfile.cmake ]] || fail "$1: there are tests"
    "$CMAKE_COMMAND" --install "$build" --prefix "$build/prefix" >/dev/null
    answer=$(cd "$build/prefix" && find . -type f)
    [[ $answer == ./bin/consumer_static ]] || fail "$1: this is installed: $answer"
    echo "$1: ok"
}

take_in subdirectory -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DZLINK_SOURCE_DIR="$ZLINK_SOURCE_DIR" -DZLINK_WERROR=ON
readelf -d "$scratch/subdirectory/consumer_shared" | grep -q 'NEEDED.*libzmq\.so\.5' || fail "not linked to libzmq.so.5"

tar -czf "$scratch/zlink.tar.gz" -C "$ZLINK_SOURCE_DIR" --transform 's,^,zlink-0.1.0/,' \
    CMakeLists.txt LICENSE NOTICE cmake include src
take_in fetch -DCMAKE_BUILD_TYPE=None -DCMAKE_UNITY_BUILD=ON -DCONSUMER_TARBALL="$scratch/zlink.tar.gz" -DCMAKE_POLICY_DEFAULT_CMP0135=NEW
if readelf -d "$scratch/fetch/consumer_static" | grep -E 'NEEDED.*(libsodium|libssl|libzmq)'; then
    fail "fetch: the program needs what was switched off"
fi
