#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Builds and tests zlink on other systems, with other compilers. `tools/try_systems.sh --help` tells the rest.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$checkout/build/systems
zig_version=0.17.1
quick="" jobs=${ZLINK_JOBS:-2} compile_with=${ZLINK_COMPILE_WITH:-} limit=${ZLINK_SYSTEMS_LIMIT:-14400}

# Name | where: bookworm and trixie are empty roots of Debian 12 and 13, here is this machine | packages of the root |
# C and C++ compiler | arguments for CMake | what it is. Without CURVE and TLS: there is no libsodium and no OpenSSL for
# that C library. cpp-...: what is there of the C++ API in place of the unit tests.
systems()
{
    local asio=-DZLINK_ASIO small=-DZLINK_CURVE=OFF
    small+=" -DZLINK_TLS=OFF -DZLINK_ASIO=OFF"
    cat <<END
debian-12|bookworm|g++ libboost1.81-dev|gcc g++||Debian 12, its GCC 12
debian-13|trixie|g++ libboost-dev|gcc g++||Debian 13, its GCC 14
gcc-13|trixie|g++-13 libboost-dev|gcc-13 g++-13||GCC 13, on Debian 13
clang-14|bookworm|clang-14 libboost1.81-dev|clang-14 clang++-14||Clang 14, on Debian 12
clang-15|bookworm|clang-15 libboost1.81-dev|clang-15 clang++-15||Clang 15, on Debian 12
clang-16|bookworm|clang-16 libboost1.81-dev|clang-16 clang++-16||Clang 16, on Debian 12
clang-17|trixie|clang-17 libboost-dev|clang-17 clang++-17||Clang 17, on Debian 13
clang-18|trixie|clang-18 libboost-dev|clang-18 clang++-18||Clang 18, on Debian 13
cpp-debian-13|trixie|g++ libboost1.88-dev libasio-dev|gcc g++||the C++ API with Boost 1.88 and its Cobalt, GCC 14
cpp-clang-19|trixie|clang-19 libboost1.88-dev libasio-dev|clang-19 clang++-19||the same with Clang 19
asio-standalone|bookworm|g++ libasio-dev|gcc g++|$asio=STANDALONE|standalone Asio, on Debian 12
asio-boost-1.74|bookworm|g++ libboost1.74-dev|gcc g++|$asio=BOOST|Boost 1.74, on Debian 12
asio-off|bookworm|g++|gcc g++|$asio=OFF|no Asio, on Debian 12
static-libstdcxx|bookworm|g++|gcc g++|$asio=OFF -DZLINK_STATIC_LIBSTDCXX=ON|libstdc++ inside, on Debian 12
musl|here||zig x86_64-linux-musl|$small|musl and libc++, static programs, by PyPI's ziglang
glibc-2.17|here||zig x86_64-linux-gnu.2.17|$small|glibc 2.17 and libc++, by PyPI's ziglang
aarch64|here||aarch64-linux-gnu-gcc aarch64-linux-gnu-g++|$small|64-bit ARM, tests by qemu-user
END
}

usage()
{
    cat <<END
usage: tools/try_systems.sh [--quick] [--list] [--table] [NAME...]

Builds the last commit on each of these systems, or on those that are named, and runs a program and the unit tests
there (cpp-...: the tests and examples of the C++ API, and its headers alone). Prints a table, and keeps the results of
all runs. Status 0: everything that ran passed; 1: something failed, or could not be had; 2: wrong arguments.

  --quick   the library and the program alone
  --list    what there is, and end
  --table   the results so far as lines for docs/building.md, and end
  --help    this text

Systems that are not "here" need root and debootstrap (tools/fresh_machine.sh) and 2 GB each for Debian 12 and 13.
musl and glibc-2.17 need python3-venv and PyPI, aarch64 Debian's g++-aarch64-linux-gnu and qemu-user-static; all three
need googletest for the unit tests. Logs are in build/systems/NAME.log. ubuntu-24.04 is not among them: its archive
cannot be verified on Debian, which has no key of it. There is no way yet to run a whole Alpine.

Environment: ZLINK_JOBS (compile jobs, default 2), ZLINK_COMPILE_WITH (a command in front of ninja),
ZLINK_SYSTEMS_LIMIT (seconds for a system, default 14400).
END
}

say() { printf '[%5d s] %s\n' "$SECONDS" "$*"; }
fail() { printf 'try_systems.sh: %s\n' "$*" >&2; exit 1; }
wrong() { printf 'try_systems.sh: %s (--help tells the arguments)\n' "$*" >&2; exit 2; }

# --- on a system: sources in $1, everything else in $2 ---------------------------------------------------------------

# Messages and a poll over tcp and inproc by the C API, by a program in C.
write_program()
{
    cat >"$1" <<'END'
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#define CHECK(what) do { if (!(what)) { return failed(#what); } } while (0)

static int failed(const char *what)
{
    fprintf(stderr, "not so: %s: %s\n", what, zmq_strerror(zmq_errno()));
    return 1;
}

static int talk(void *context, const char *endpoint)
{
    char address[256], text[16] = "";
    size_t size = sizeof address;
    int timeout = 20000;
    void *server = zmq_socket(context, ZMQ_REP), *client = zmq_socket(context, ZMQ_REQ);
    zmq_pollitem_t item = {server, 0, ZMQ_POLLIN, 0};
    CHECK(server && client);
    CHECK(zmq_setsockopt(client, ZMQ_RCVTIMEO, &timeout, sizeof timeout) == 0);
    CHECK(zmq_bind(server, endpoint) == 0);
    CHECK(zmq_getsockopt(server, ZMQ_LAST_ENDPOINT, address, &size) == 0);
    CHECK(zmq_connect(client, address) == 0);
    CHECK(zmq_send(client, "hello", 5, 0) == 5);
    CHECK(zmq_poll(&item, 1, timeout) == 1);
    CHECK(zmq_recv(server, text, sizeof text, 0) == 5 && memcmp(text, "hello", 5) == 0);
    CHECK(zmq_send(server, "world", 5, 0) == 5);
    CHECK(zmq_recv(client, text, sizeof text, 0) == 5 && memcmp(text, "world", 5) == 0);
    CHECK(zmq_close(client) == 0 && zmq_close(server) == 0);
    return 0;
}

int main(void)
{
    void *context = zmq_ctx_new();
    CHECK(context);
    if (talk(context, "tcp://127.0.0.1:*") || talk(context, "inproc://here")) return 1;
    CHECK(zmq_ctx_term(context) == 0);
    puts("the program ran");
    return 0;
}
END
}

# note <key> <value>: a line of the result.
note() { printf '%s=%s\n' "$1" "$2" >>"$to/notes"; }

# zig_compilers <target>: sets cc, cxx and flags.
zig_compilers()
{
    local target=$1 name
    if [[ ! -x $work/zig/bin/pip ]]; then
        rm -rf "$work/zig"
        python3 -m venv "$work/zig" || { note missing "python3-venv"; return 1; }
    fi
    "$work/zig/bin/pip" --quiet --disable-pip-version-check install "ziglang==$zig_version" ||
        { note missing "ziglang $zig_version of PyPI"; return 1; }
    for name in cc c++; do
        printf '#!/bin/sh\nexec "%s" -m ziglang %s -target %s "$@"\n' "$work/zig/bin/python" "$name" "$target" \
            >"$to/zig-$name"
        chmod +x "$to/zig-$name"
    done
    cc=$to/zig-cc cxx=$to/zig-c++
    flags+=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=x86_64)
    [[ $target != *musl ]] || flags+=(-DCMAKE_EXE_LINKER_FLAGS=-static)
}

# The compiled part of Boost.Cobalt, which Debian's packages do not have: its sources in $to/cobalt.
cobalt_sources()
{
    local source=boost1.88
    [[ ! -d $to/cobalt/libs/cobalt/src ]] || return 0
    sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >/etc/apt/sources.list.d/sources.list
    mkdir -p "$to/cobalt"
    { apt-get -q update && apt-get -q -y --no-install-recommends install xz-utils &&
        (cd "$to/cobalt" && apt-get -q source --download-only "$source" &&
            tar -xf "$source"_*.orig.tar.xz --wildcards --strip-components=1 '*/libs/cobalt/src'); } ||
        { note missing "the source package $source"; return 1; }
}

# tested <title> <target> <argument for ctest>...: builds the target, runs these tests.
tested()
{
    local title=$1 target=$2 status=0
    shift 2
    # shellcheck disable=SC2086
    $compile_with ninja -k 0 -C "$to/build" -j "$jobs" "$target" || { note failed "building: $title"; return 1; }
    note ran "the program, $title"
    ctest --test-dir "$to/build" "$@" -j "$jobs" --output-on-failure --no-tests=error >"$to/ctest" 2>&1 || status=1
    tail -n 60 "$to/ctest"
    note passed "$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests* failed out of \([0-9]*\)/\2 \1/p' "$to/ctest" |
        { read -r all bad && echo "$((all - bad + 1)) of $((all + 1))"; })"
    [[ $status -eq 0 ]] || note failed "$title"
    return "$status"
}

# Status 0 if everything passed. Writes notes: compiler, libc, ran, passed, failed.
on_system()
{
    local name=$1 from=$2 to=$3 packages=$4 cc=$5 cxx=$6 targets emulator=() flags=()
    shift 6
    mkdir -p "$to"
    : >"$to/notes"
    flags=("$@")
    if [[ -n $packages ]]; then
        # shellcheck disable=SC2086
        { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install \
            ca-certificates cmake ninja-build pkg-config libsodium-dev libssl-dev libgtest-dev libzmq5 libzmq3-dev \
            python3 python3-zmq libc6-dev $packages; } || { note missing "a package of: $packages"; return 1; }
    fi
    case $cc in
        zig) zig_compilers "$cxx" || return 1 ;;
        aarch64-*)
            command -v "$cxx" qemu-aarch64-static >/dev/null ||
                { note missing "g++-aarch64-linux-gnu or qemu-user-static"; return 1; }
            flags+=("-DCMAKE_TOOLCHAIN_FILE=$from/cmake/aarch64-linux-gnu.cmake")
            emulator=(qemu-aarch64-static -L /usr/aarch64-linux-gnu)
            ;;
    esac
    [[ $cc == aarch64-* ]] || flags+=("-DCMAKE_C_COMPILER=$cc" "-DCMAKE_CXX_COMPILER=$cxx")
    if [[ $name == cpp-* && -z $quick ]]; then
        cobalt_sources || return 1
        flags+=("-DZLINK_COBALT_SOURCES=$to/cobalt/libs/cobalt/src")
    fi
    note compiler "$("$cxx" --version | head -n 1)"
    printf '%s\n' '#include <features.h>' '#ifdef __GLIBC__' 'libc glibc __GLIBC__ __GLIBC_MINOR__' '#else' 'libc musl' \
        '#endif' >"$to/libc.c"
    note libc "$("$cc" -E -P "$to/libc.c" |
        sed -n -e 's/^libc \(glibc [0-9]*\) \([0-9]*\)$/\1.\2/p' -e 's/^libc \(musl\)$/\1/p')"

    cmake -S "$from" -B "$to/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
        -DZLINK_BUILD_{TOOLS,BENCHMARKS,PERF}=OFF -DZLINK_{PREFIXED,MANUAL}=OFF \
        "-DZLINK_BUILD_TESTS=$(if [[ -z $quick ]]; then echo ON; else echo OFF; fi)" "${flags[@]}" ||
        { note failed "CMake"; return 1; }
    targets=(libzmq libzmq-static)
    # shellcheck disable=SC2086
    $compile_with ninja -k 0 -C "$to/build" -j "$jobs" "${targets[@]}" || { note failed "building the library"; return 1; }

    write_program "$to/program.c"
    local static=(-pthread -lstdc++ -lm)
    [[ $cc != *zig-cc ]] || static=(-pthread -lc++ -lm)
    [[ $name != musl ]] || static+=(-static)
    [[ ! -e $to/build/lib/libzlink-tls.so ]] || static+=(-lssl -lcrypto -ldl)
    [[ " ${flags[*]} " == *" -DZLINK_CURVE=OFF "* ]] || static+=(-lsodium)
    "$cc" -I"$from/include" -DZMQ_STATIC "$to/program.c" "$to/build/lib/libzmq.a" "${static[@]}" -o "$to/program" &&
        timeout 120 "${emulator[@]}" "$to/program" || { note failed "the program on libzmq.a"; return 1; }
    if [[ $name != musl ]]; then
        "$cc" -I"$from/include" "$to/program.c" -L"$to/build/lib" -lzmq "-Wl,-rpath,$to/build/lib" \
            -o "$to/program-shared" && timeout 120 "${emulator[@]}" "$to/program-shared" ||
            { note failed "the program on libzmq.so.5"; return 1; }
    fi
    note ran "the program"
    if [[ -n $quick ]]; then
        note passed 1
        return 0
    fi

    case $name in
        cpp-*)
            tested "headers, tests and examples of the C++ API" cpp_api \
                -R '^(cpp_api\.|abi\.headers_alone_test|examples\.cpp_test)'
            ;;
        # glibc ends a cancelled thread by libgcc's unwinder; with Zig's libc++ comes another one.
        glibc-2.17) tested "unit tests but for one of cancellation" unit_tests -L '^unit$' \
            -E '^unit_base\.cancellation_test\.takes_effect' ;;
        *) tested "unit tests" unit_tests -L '^unit$' ;;
    esac
}

# --- from outside ---------------------------------------------------------------------------------------------------

# sources <folder>: makes it those of the commit. Files that are the same stay as they are, so that a later run compiles
# what has changed.
sources()
{
    local file
    rm -rf "$1.new"
    mkdir -p "$1" "$1.new"
    git -C "$checkout" archive HEAD | tar -x -C "$1.new"
    (cd "$1.new" && find . -type f -print0 -o -type l -print0) | while IFS= read -r -d '' file; do
        cmp -s "$1.new/$file" "$1/$file" || { mkdir -p "$1/${file%/*}" && cp -P "$1.new/$file" "$1/$file"; }
    done
    (cd "$1" && find . -type f -print0 -o -type l -print0) | while IFS= read -r -d '' file; do
        [[ -e $1.new/$file || -L $1.new/$file ]] || rm "$1/$file"
    done
    rm -rf "$1.new"
}

# In a root: the sources of the commit, and this script in it.
in_root()
{
    local name=$1 release=$2 root=$work/roots/$2 inside=/root/systems
    if [[ ! -e $root/root/zlink/build.sh ]]; then
        [[ $(id -u) -eq 0 ]] && command -v debootstrap >/dev/null || { note missing "root or debootstrap"; return 1; }
        rm -rf --one-file-system "$root"
        "$checkout/tools/fresh_machine.sh" --release "$release" --root "$root" -- true ||
            { note missing "$release by debootstrap"; return 1; }
    fi
    sources "$root$inside/source"
    local status=0
    "$checkout/tools/fresh_machine.sh" --release "$release" --root "$root" -- env "ZLINK_JOBS=$jobs" \
        bash "$inside/source/tools/try_systems.sh" ${quick:+--quick} --inside "$name" || status=1
    cp "$root$inside/$name/notes" "$to/notes" 2>/dev/null || true
    return "$status"
}

# fields <name>: sets those of its line.
fields()
{
    local line
    line=$(systems | grep "^$1|") || wrong "there is no system $1: --list names them"
    IFS='|' read -r name where packages compilers arguments what <<<"$line"
}

noted() { sed -n "s/^$1=//p" "$to/notes" 2>/dev/null | tail -n 1; }

# one <name>: runs it, keeps its line in results.
one()
{
    local name where packages compilers arguments what to status=0 outcome begin=$SECONDS
    fields "$1"
    to=$work/$name
    mkdir -p "$to"
    rm -f "$to/notes"
    say "$name: $what; log: ${to#"$checkout/"}.log"
    if [[ $where == here ]]; then
        sources "$work/source"
        # shellcheck disable=SC2086
        ZLINK_SYSTEMS_WORK=$work timeout "$limit" bash "${BASH_SOURCE[0]}" ${quick:+--quick} --inside "$name" \
            >"$to.log" 2>&1 </dev/null || status=$?
    else
        in_root "$name" "$where" >"$to.log" 2>&1 </dev/null || status=$?
    fi
    outcome=passed
    [[ $status -eq 0 ]] || outcome="FAILED: $(noted failed)"
    [[ $status -ne 124 ]] || outcome="FAILED: no end after $limit s"
    [[ -z $(noted missing) ]] || outcome="not to be had: $(noted missing)"
    [[ "$outcome" != "FAILED: " ]] || outcome="FAILED: see the log"
    touch "$work/results"
    sed -i "/^$name|/d" "$work/results"
    printf '%s|%s|%s|%s|%s|%s|%s|%s\n' "$name" "$(noted compiler)" "$(noted libc)" "$(noted ran)" "$(noted passed)" \
        "$outcome" "$(date +%F)" "$(git -C "$checkout" rev-parse --short=8 HEAD)" >>"$work/results"
    say "$name: $outcome, after $((SECONDS - begin)) s"
    [[ $outcome == passed ]]
}

# The results in the order of --list, as a table for docs.
markdown()
{
    local name line
    printf '| name | compiler | C library | what ran | passed | date | commit |\n|---|---|---|---|---|---|---|\n'
    for name in $(systems | cut -d'|' -f1); do
        line=$(grep "^$name|" "$work/results" 2>/dev/null || true)
        [[ -z $line ]] || awk -F'|' '{ printf "| `%s` | %s | %s | %s | %s | %s | `%s` |\n", $1, $2, $3, $4,
            ($6 == "passed" ? $5 : $6), $7, $8 }' <<<"$line"
    done
}

main()
{
    local names=() name inside=""
    while [[ $# -gt 0 ]]; do
        case $1 in
            --quick) quick=1 ;;
            --list) systems | awk -F'|' '{ printf "%-17s %s\n", $1, $6 }'; exit ;;
            --table) markdown; exit ;;
            --inside) inside=$2; shift ;;  # how this script calls itself on the system
            -h | --help) usage; exit 0 ;;
            -*) wrong "unknown argument $1" ;;
            *) names+=("$1") ;;
        esac
        shift
    done
    if [[ -n $inside ]]; then
        local where packages compilers arguments what from
        fields "$inside"
        [[ -z ${ZLINK_SYSTEMS_WORK:-} ]] || work=$ZLINK_SYSTEMS_WORK
        [[ $where == here ]] || work=/root/systems
        # shellcheck disable=SC2086
        on_system "$name" "$work/source" "$work/$name" "$packages" $compilers $arguments
        exit
    fi
    for name in "${names[@]}"; do
        systems | grep -q "^$name|" || wrong "there is no system $name: --list names them"
    done
    [[ ${#names[@]} -gt 0 ]] || mapfile -t names < <(systems | cut -d'|' -f1)
    command -v git >/dev/null || fail "git is missing: apt-get install git"
    mkdir -p "$work"
    [[ -z $(git -C "$checkout" status --porcelain) ]] || echo "what is not committed is left out"
    local bad=0
    for name in "${names[@]}"; do
        one "$name" || bad=1
    done
    echo
    markdown | grep -E "$(printf '^\| `%s` |' "${names[@]}")^\| name"
    exit "$bad"
}

main "$@"
