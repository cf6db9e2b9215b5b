#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# What libzmq's names of options make of a build: configures only, compiles nothing.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "options_test: $*" >&2; cat "$scratch/said" >&2; exit 1; }

# configure <option>...: into an empty directory.
configure()
{
    rm -rf "$scratch/build"
    "$CMAKE_COMMAND" -S "$ZLINK_SOURCE_DIR" -B "$scratch/build" -G Ninja -DZLINK_BUILD_BENCHMARKS=OFF "$@" \
        >"$scratch/said" 2>&1
}
has() { grep -qE "^build $1: phony" "$scratch/build/build.ninja"; }
said() { grep -qE -- "$1" "$scratch/said" || fail "it does not say '$1'"; }

configure -DBUILD_SHARED=OFF -DBUILD_TESTS=OFF -DENABLE_CURVE=OFF -DWITH_PERF_TOOL=OFF -DWITH_TLS=OFF \
    -DENABLE_DRAFTS=ON -DWITH_DOCS=OFF -DWITH_NSS=OFF -DWITH_LIBBSD=OFF -DENABLE_CPACK=OFF -DPOLLER=kqueue \
    -DENABLE_WS=OFF || fail "libzmq's names are not taken"
[[ $(grep -c 'without effect here' "$scratch/said") == 1 ]] || fail "not one line for what has no effect"
for name in WITH_NSS WITH_LIBBSD ENABLE_CPACK POLLER=kqueue ENABLE_WS; do
    said "without effect here:.*$name"
done
has libzmq-static || fail "no libzmq-static"
for target in libzmq zlink conformance local_thr zlink_tls_module zlink_openssl man; do
    if has "$target"; then fail "$target, which was switched off"; fi
done
grep -q '^Cflags:.*ZMQ_BUILD_DRAFT_API=1' "$scratch/build/cmake/libzmq.pc" || fail "libzmq.pc is without drafts"
if grep -q sodium "$scratch/build/cmake/libzmq.pc"; then fail "libzmq.pc names libsodium"; fi

configure -DBUILD_STATIC=OFF -DLIBZMQ_WERROR=OFF -DPOLLER=epoll || fail "BUILD_STATIC=OFF"
has libzmq || fail "no libzmq"
has local_thr || fail "no local_thr, which is the default"
has man || fail "no manual pages, which are the default"
for target in libzmq-static conformance; do
    if has "$target"; then fail "$target with BUILD_STATIC=OFF"; fi
done
if grep -q -- '-Werror' "$scratch/build/build.ninja"; then fail "-Werror with LIBZMQ_WERROR=OFF"; fi
if grep -q 'without effect here' "$scratch/said"; then fail "a line for nothing"; fi

configure -DBUILD_SHARED=OFF -DZLINK_SHARED=ON -DZLINK_BUILD_TESTS=OFF || fail "ZLINK_SHARED=ON"
has libzmq || fail "libzmq's name wins over zlink's"

# A machine with a compiler, CMake and libsodium alone.
without=()
for package in PkgConfig OpenSSL GTest fmt CLI11 Python3; do without+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
configure "${without[@]}" -DZLINK_ASIO=OFF || fail "it needs more than a compiler, CMake and libsodium"
said 'no tls, as OpenSSL 3 is missing'
said 'no manual pages, as Python 3.11 is missing'
for target in zlink conformance zlink_openssl man; do
    if has "$target"; then fail "$target, without what it needs"; fi
done

# A word too many, or one that contradicts another, is one clear line.
if configure -DBUILD_SHARED=OFF -DBUILD_STATIC=OFF; then fail "nothing to build, and no error"; fi
said 'BUILD_SHARED and BUILD_STATIC are both OFF'
if configure -DENABLE_CURVE=ON -DWITH_LIBSODIUM=OFF; then fail "CURVE without libsodium"; fi
said 'WITH_LIBSODIUM is OFF'
if configure -DZLINK_MANUAL=ON -DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON; then fail "manual pages without Python"; fi
said 'ZLINK_MANUAL=ON needs Python 3.11'
if configure -DZLINK_ASIO=MAYBE; then fail "ZLINK_ASIO=MAYBE"; fi
said "ZLINK_ASIO is BOOST, STANDALONE, OFF or AUTO"
echo ok
