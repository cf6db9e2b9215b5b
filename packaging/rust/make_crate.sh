#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Makes a crate zeromq-src that carries zlink's sources. `packaging/rust/make_crate.sh --help` tells the rest.
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
version=0.2.99 try="" to=""

usage()
{
    cat <<'END'
usage: packaging/rust/make_crate.sh [--version X.Y.Z] [--try] DIR

Puts a crate of the name and interface of zeromq-src, with zlink's sources in it, in DIR. A Rust program that depends on
the crate zmq (or on zmq-sys, or on zeromq-src itself) runs on zlink if its Cargo.toml says

    [patch.crates-io]
    zeromq-src = { path = "DIR" }

  --version X.Y.Z  of the crate; cargo takes a patch only in the place of a compatible version. Default: 0.2.99, as zmq
                   0.10 asks for 0.2
  --try            then build and run the tests of the crate zmq 0.10 on it, in a temporary folder; needs cargo 1.70 and
                   a network
  --help           this text

ZLINK_CURVE=1 in the environment of a build adds CURVE, with the system's libsodium.
END
}

while [[ $# -gt 0 ]]; do
    case $1 in
        --version) [[ $# -ge 2 && $2 =~ ^[0-9]+\.[0-9]+\.[0-9]+ ]] || wrong "--version takes a version, such as 0.2.99"
            version=$2; shift ;;
        --try) try=1 ;;
        -h | --help) usage; exit 0 ;;
        -*) wrong "unknown argument $1" ;;
        *) [[ -z $to ]] || wrong "one folder, not $to and $1"; to=$1 ;;
    esac
    shift
done
[[ -n $to ]] || wrong "which folder is the crate to be in?"
if [[ -e $to && -n $(ls -A "$to") ]]; then fail "$to is not empty: name a new folder, or remove it"; fi
to=$(folder_to_write "$to")

cp -R "$here/zeromq-src/." "$to/"
sed -i "s/^version = .*/version = \"$version\"/" "$to/Cargo.toml"
mkdir "$to/vendor"
cp -R "$checkout"/{CMakeLists.txt,LICENSE,NOTICE,cmake,include,src} "$to/vendor/"
echo "the crate zeromq-src $version is in $to"
[[ -n $try ]] || exit 0

need_programs "https://rustup.rs, or apt-get install cargo" cargo
a_scratch_folder
mkdir "$scratch/none" "$scratch/none/src"
printf '[package]\nname = "none"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nzmq = "0.10"\n' \
    >"$scratch/none/Cargo.toml"
: >"$scratch/none/src/lib.rs"
crate=$(cargo metadata --quiet --format-version 1 --manifest-path "$scratch/none/Cargo.toml" |
    python3 -c 'import json, os, sys
print(*[os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == "zmq"])') ||
    fail "cargo cannot fetch the crate zmq: look at the network"
cp -R "$crate" "$scratch/zmq"
cd "$scratch/zmq"
printf '\n[patch.crates-io]\nzeromq-src = { path = "%s" }\n' "$to" >>Cargo.toml
rm -f Cargo.lock
: >tests/compile-tests.rs  # of the compiler's messages
cargo test --quiet --no-run || fail "the tests of zmq cannot be built, see above"
cargo tree --quiet -i zeromq-src | grep -qF "($to)" ||
    fail "cargo has not taken the patch: --version is not what zmq asks for"
cargo test --no-fail-fast || fail "tests of zmq failed, see above"
echo "the tests of the crate zmq passed on zlink"
