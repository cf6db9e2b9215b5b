#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Go programs on zlink by pkg-config. `packaging/go/try.sh --help` tells the rest.
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
prefix=""

usage()
{
    cat <<'END'
usage: packaging/go/try.sh PREFIX

Builds the tests of github.com/pebbe/zmq4 against the installation of zlink in PREFIX, as pkg-config describes it, and
runs them. A program of your own is built the same way:

    export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig CGO_LDFLAGS=-Wl,-rpath,PREFIX/lib
    go build

Needs go, gcc, pkg-config, and the proxy of Go modules.

  --help   this text
END
}

while [[ $# -gt 0 ]]; do
    case $1 in
        -h | --help) usage; exit 0 ;;
        -*) wrong "unknown argument $1" ;;
        *) [[ -z $prefix ]] || wrong "one prefix, not $prefix and $1"; prefix=$1 ;;
    esac
    shift
done
[[ -n $prefix ]] || wrong "where is zlink installed?"
prefix=$(a_prefix "$prefix")
pc=$(in_prefix "$prefix" libzmq.pc)
need_programs "apt-get install golang-go gcc pkg-config" go gcc pkg-config

a_scratch_folder
cd "$scratch"
source=$(go mod download -json github.com/pebbe/zmq4@v1.4.0 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
[[ -n $source ]] || fail "go cannot fetch github.com/pebbe/zmq4: look at the network and at 'go env GOPROXY'"
cp -R "$source" zmq4
chmod -R u+w zmq4
cd zmq4

PKG_CONFIG_PATH=$(dirname "$pc")
lib=$(PKG_CONFIG_PATH=$PKG_CONFIG_PATH pkg-config --variable=libdir libzmq)
export PKG_CONFIG_PATH CGO_LDFLAGS="-Wl,-rpath,$lib"
go test -c -o tests || fail "zmq4 cannot be built, see above"
ldd tests | grep -qE "libzmq\.so\.5 => .*$(realpath "$lib")/" || ldd tests | grep -q "$lib/libzmq.so.5" ||
    fail "the tests do not load $lib/libzmq.so.5: $(ldd tests | grep libzmq)"
./tests -test.v >log 2>&1 || { tail -n 40 log; fail "tests of zmq4 failed, see above"; }
printf '%d tests of github.com/pebbe/zmq4 passed on %s\n' "$(grep -c '^--- PASS' log)" "$lib/libzmq.so.5"
