#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Builds pyzmq, unchanged, with zlink. `packaging/pyzmq/build.sh --help` tells the rest.
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=27.3.0 prefix="" to="" tests=tests/test_socket.py python=${PYTHON:-python3}

usage()
{
    cat <<END
usage: packaging/pyzmq/build.sh [--prefix PREFIX] [--pyzmq VERSION] [--tests PATH] DIR

Builds a wheel of pyzmq from its own source distribution, and puts it in DIR. Installs it in a temporary environment and
runs tests of pyzmq on it. The wheel is installed as any other: pip install DIR/pyzmq-*.whl

Without --prefix, zlink is built into the wheel (ZMQ_PREFIX=bundled, PYZMQ_LIBZMQ_URL=this checkout's tarball), with
libsodium from the source package of this Debian (PYZMQ_LIBSODIUM_URL names another). Needs git, a compiler for C++20,
autoconf, automake, libtool and dpkg-dev, the Debian archive, and PyPI.

  --prefix PREFIX   use the libzmq.so of an installation of zlink there (PREFIX/lib), and the wheel remembers the path
  --pyzmq VERSION   default: $version
  --tests PATH      of pyzmq's sources; "tests" are all of them; "" runs none. Default: $tests
  --help            this text

PYTHON names the interpreter; default: python3.
END
}

while [[ $# -gt 0 ]]; do
    case $1 in
        --prefix) need_value "$@"; prefix=$2; shift ;;
        --pyzmq) [[ $# -ge 2 && $2 =~ ^[0-9.]+$ ]] || wrong "--pyzmq needs a version"; version=$2; shift ;;
        --tests) [[ $# -ge 2 ]] || wrong "--tests needs a value"; tests=$2; shift ;;
        -h | --help) usage; exit 0 ;;
        -*) wrong "unknown argument $1" ;;
        *) [[ -z $to ]] || wrong "one folder, not $to and $1"; to=$1 ;;
    esac
    shift
done
[[ -n $to ]] || wrong "which folder is the wheel to be in?"
to=$(folder_to_write "$to")
if [[ -n $prefix ]]; then
    [[ -e $prefix/lib/libzmq.so && -e $prefix/include/zlink.h ]] ||
        fail "$prefix has no zlink in lib and include: cmake --install build --prefix $prefix (pyzmq looks in lib only)"
    prefix=$(cd "$prefix" && pwd)
fi

a_scratch_folder
"$python" -m venv "$scratch/environment" || fail "no environment for Python: apt-get install python3-venv"
pip() { "$scratch/environment/bin/pip" --quiet --disable-pip-version-check "$@"; }

say "pyzmq $version"
pip download --no-deps --no-binary pyzmq --dest "$scratch" "pyzmq==$version" || fail "pip cannot fetch pyzmq $version"
mkdir "$scratch/pyzmq"
tar -xf "$scratch"/pyzmq-*.tar.gz -C "$scratch/pyzmq" --strip-components=1

if [[ -n $prefix ]]; then
    export ZMQ_PREFIX=$prefix
else
    export ZMQ_PREFIX=bundled PYZMQ_LIBZMQ_URL=file://$scratch/zlink.tar.gz
    git -C "$checkout" archive --prefix=zlink/ -o "$scratch/zlink.tar.gz" HEAD -- CMakeLists.txt LICENSE NOTICE cmake \
        include src || fail "git cannot make a tarball of $checkout"
    if [[ -z ${PYZMQ_LIBSODIUM_URL:-} ]]; then
        need_programs "apt-get install autoconf automake libtool dpkg-dev" autoreconf libtoolize dpkg-source
        # With a list of sources of its own, so that apt's is left as it is.
        mkdir -p "$scratch/apt/lists" "$scratch/apt/parts" "$scratch/sodium"
        for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
            [[ -e $file ]] || continue
            case $file in
                *.list) sed -n 's/^ *deb /deb-src /p' "$file" ;;
            esac
        done >"$scratch/apt/parts/sources.list" 2>/dev/null
        for file in /etc/apt/sources.list.d/*.sources; do
            [[ ! -e $file ]] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$scratch/apt/parts/${file##*/}"
        done
        apt=(apt-get -q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$scratch/apt/parts"
            -o "Dir::State::Lists=$scratch/apt/lists" -o APT::Sandbox::User=root)
        "${apt[@]}" update >"$scratch/apt/log" 2>&1 &&
            (cd "$scratch/sodium" && "${apt[@]}" source libsodium >>"$scratch/apt/log" 2>&1) || {
            tail -n 5 "$scratch/apt/log"
            fail "apt cannot fetch the source of libsodium: let PYZMQ_LIBSODIUM_URL name a tarball of it"
        }
        # Debian has what is in libsodium's repository, without the script that configures it.
        (cd "$scratch"/sodium/libsodium-*/ && autoreconf --install --force >>"$scratch/apt/log" 2>&1 &&
            tar -czf ../libsodium.tar.gz -C .. "${PWD##*/}") ||
            { tail -n 5 "$scratch/apt/log"; fail "autoreconf cannot prepare libsodium, see above"; }
        export PYZMQ_LIBSODIUM_URL=file://$scratch/sodium/libsodium.tar.gz
    fi
fi

say "the wheel (ZMQ_PREFIX=$ZMQ_PREFIX)"
pip wheel --no-deps --wheel-dir "$scratch/wheel" "$scratch/pyzmq" || fail "pyzmq cannot be built, see above"
cp "$scratch"/wheel/*.whl "$to/"
wheel=$(cd "$scratch/wheel" && ls -- *.whl)

say "a program"
pip install "$scratch/wheel/$wheel"
# shellcheck disable=SC2031
said=$(cd "$scratch" && environment/bin/python - <<'END'
import zmq

with zmq.Context() as context, context.socket(zmq.REP) as server, context.socket(zmq.REQ) as client:
    server.rcvtimeo = client.rcvtimeo = 20000
    client.connect(f"tcp://127.0.0.1:{server.bind_to_random_port('tcp://127.0.0.1')}")
    client.send(b"hello")
    assert server.recv() == b"hello"
print("libzmq", zmq.zmq_version(), "curve", zmq.has("curve"))
maps = open("/proc/self/maps").read()
files = {line.split()[-1] for line in maps.splitlines() if "libzmq" in line or "_zmq" in line}
assert any(b"zlink_version" in open(file, "rb").read() for file in files), f"zlink is in none of {files}"
END
) || fail "a program on the wheel failed, see above"
echo "$said"

if [[ -n $tests ]]; then
    say "tests of pyzmq: $tests"
    pip install pytest pytest-asyncio pytest-timeout tornado
    rm -rf "$scratch/pyzmq/zmq"  # or it would be found before the wheel's
    (cd "$scratch/pyzmq" && "$scratch/environment/bin/python" -P -m pytest -q -p no:cacheprovider --timeout 60 \
        -m "not large" "$tests") ||
        fail "tests of pyzmq failed, see above"
fi
say "$to/$wheel"
