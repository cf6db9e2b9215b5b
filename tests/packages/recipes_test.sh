#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# What of packaging/ needs no network: what its scripts answer to wrong arguments, the sources that the crate carries,
# the file of the vcpkg port that find_package(ZeroMQ) goes through, and that recipes name the version that is built.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
packaging=$ZLINK_SOURCE_DIR/packaging

fail() { echo "recipes_test: $*" >&2; exit 1; }

# refused <status> <text> <script> <argument>...: one line that says so.
refused()
{
    local wanted=$1 text=$2 status=0
    shift 2
    "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [[ $status -eq $wanted ]] || fail "$*: status $status: $(cat "$scratch/out" "$scratch/err")"
    [[ ! -s $scratch/out && $(wc -l <"$scratch/err") -eq 1 ]] ||
        fail "$*: more than a line: $(cat "$scratch/out" "$scratch/err")"
    grep -qF -- "$text" "$scratch/err" || fail "$*: $(cat "$scratch/err")"
}

touch "$scratch/file"
mkdir "$scratch/empty"
for script in pyzmq/build.sh rust/make_crate.sh node/build.sh go/try.sh; do
    "$packaging/$script" --help | grep -q "^usage: packaging/$script" || fail "$script --help"
    refused 2 "unknown argument --wrong" "$packaging/$script" --wrong
    refused 2 "?" "$packaging/$script"
done
refused 2 "--prefix needs a value" "$packaging/pyzmq/build.sh" --prefix
refused 1 "has no zlink" "$packaging/pyzmq/build.sh" --prefix "$scratch/empty" "$scratch/wheel"
refused 1 "has no zlink" "$packaging/node/build.sh" "$scratch/empty" "$scratch/project"
refused 1 "has no zlink" "$packaging/go/try.sh" "$scratch/empty"
refused 1 "$scratch/file/crate" "$packaging/rust/make_crate.sh" "$scratch/file/crate"
refused 2 "--version takes a version" "$packaging/rust/make_crate.sh" --version one "$scratch/crate"
refused 1 "has not one package" "$ZLINK_SOURCE_DIR/tools/try_packages.sh" --packages "$scratch/empty"
refused 2 "unknown argument" "$ZLINK_SOURCE_DIR/tools/try_packages.sh" --wrong
refused 2 "unknown argument --wrong" "$ZLINK_SOURCE_DIR/tools/try_systems.sh" --wrong
refused 2 "there is no system sinix" "$ZLINK_SOURCE_DIR/tools/try_systems.sh" sinix
refused 2 "$scratch/file/packages" "$ZLINK_SOURCE_DIR/build.sh" packages "$scratch/file/packages"
echo "wrong arguments: ok"

"$packaging/rust/make_crate.sh" --version 0.3.99 "$scratch/crate" >/dev/null
grep -qx 'version = "0.3.99"' "$scratch/crate/Cargo.toml" || fail "the version of the crate"
for file in CMakeLists.txt LICENSE cmake/library.cmake include/zmq.h src/c_api/version.cpp; do
    cmp -s "$ZLINK_SOURCE_DIR/$file" "$scratch/crate/vendor/$file" || fail "the crate is without $file"
done
refused 1 "is not empty" "$packaging/rust/make_crate.sh" "$scratch/crate"
"$CMAKE_COMMAND" -S "$scratch/crate/vendor" -B "$scratch/build" -G Ninja -DZLINK_SHARED=OFF -DZLINK_CURVE=OFF \
    -DZLINK_TLS=OFF -DZLINK_ASIO=OFF -DZLINK_BUILD_{TOOLS,TESTS,PERF,BENCHMARKS}=OFF >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; fail "the crate's sources"; }
grep -ohE "$scratch/crate/vendor/[^] \";:,)|$]+" "$scratch"/build/{build.ninja,cmake_install.cmake} | sort -u |
    while IFS= read -r file; do
        [[ -e $file ]] || fail "the crate is built or installed with ${file#"$scratch/crate/"}, which it has not"
    done
echo "crate: ok"

# As vcpkg runs it, with a package of either linkage.
for linkage in libzmq libzmq-static; do
    other=$(echo "libzmq libzmq-static" | sed "s/\b$linkage\( \|$\)//")
    mkdir -p "$scratch/$linkage/config"
    echo "add_library($linkage INTERFACE IMPORTED)" >"$scratch/$linkage/config/ZeroMQConfig.cmake"
    cat >"$scratch/$linkage/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(wrapper NONE)
set(ZeroMQ_DIR $scratch/$linkage/config)
macro(find_package)
    set(ARGS "\${ARGV}")
    include($packaging/vcpkg/zeromq/vcpkg-cmake-wrapper.cmake)
endmacro()
find_package(ZeroMQ CONFIG REQUIRED)
foreach(target IN ITEMS libzmq libzmq-static)
    if(NOT TARGET \${target})
        message(FATAL_ERROR "there is no \${target}")
    endif()
endforeach()
END
    "$CMAKE_COMMAND" -S "$scratch/$linkage" -B "$scratch/$linkage/build" >"$scratch/log" 2>&1 ||
        { cat "$scratch/log"; fail "find_package(ZeroMQ) with $linkage, without $other"; }
done
echo "vcpkg: ok"

version=$(sed -n 's/^project(zlink VERSION \([0-9.]*\).*/\1/p' "$ZLINK_SOURCE_DIR/CMakeLists.txt")
for file in conan/conanfile.py homebrew/zlink.rb; do
    grep -qE "^ *version ?=? \"$version\"" "$packaging/$file" || fail "$file is not of version $version"
done
if command -v ruby >/dev/null; then ruby -c "$packaging/homebrew/zlink.rb" >/dev/null || fail "zlink.rb"; fi
"$ZLINK_PYTHON" -m json.tool "$packaging/vcpkg/zeromq/vcpkg.json" >/dev/null || fail "vcpkg.json"
echo "recipes: ok"
