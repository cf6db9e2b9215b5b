#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Installs the build into a scratch prefix and builds a small program against it as other projects do. They use
# find_package (both names), pkg-config (shared and static) and plain linking. Also checks which file ldconfig prefers.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

fail() { echo "package_test: $*" >&2; exit 1; }

# expect_runs <title> <program> [<library directory>]
expect_runs()
{
    local answer
    answer=$(LD_LIBRARY_PATH=${3:-} "$2") || fail "$1: the program failed"
    [[ $answer == 4.3.5 ]] || fail "$1: zmq_version is '$answer'"
    echo "$1: ok"
}

"$CMAKE_COMMAND" --install "$ZLINK_BUILD_DIR" --prefix "$prefix" >/dev/null
mv "$prefix" "$prefix-moved"  # packages must not remember where they were installed
prefix=$prefix-moved
lib=$prefix/lib
asio=OFF
if grep -qs 'define BOOST_VERSION 10[89]' /usr/include/boost/version.hpp; then asio=ON; fi  # 1.81 is what it asks for

for package in ZeroMQ zlink; do
    "$CMAKE_COMMAND" -S "$here/consumer" -B "$scratch/$package" -G Ninja -DCONSUMER_MODE=$package \
        -DCMAKE_PREFIX_PATH="$prefix" -DCONSUMER_ASIO=$asio >"$scratch/log" ||
        { cat "$scratch/log"; fail "$package: configuring failed"; }
    "$CMAKE_COMMAND" --build "$scratch/$package" >"$scratch/log" ||
        { cat "$scratch/log"; fail "$package: building failed"; }
    readelf -d "$scratch/$package/consumer_shared" | grep -q 'NEEDED.*libzmq\.so\.5' ||
        fail "$package: not linked to libzmq.so.5"
    readelf -d "$scratch/$package/consumer_static" | grep -q 'NEEDED.*libzmq' &&
        fail "$package: static program needs libzmq.so"
    expect_runs "find_package($package), shared" "$scratch/$package/consumer_shared"
    expect_runs "find_package($package), static" "$scratch/$package/consumer_static"
done
expect_runs "find_package(zlink), C++" "$scratch/zlink/consumer_cpp"
[[ $asio == OFF ]] || expect_runs "find_package(zlink), C++ on an io_context" "$scratch/zlink/consumer_hosted"

export PKG_CONFIG_PATH=$lib/pkgconfig
pkg-config --exact-version=4.3.5 libzmq || fail "pkg-config reports $(pkg-config --modversion libzmq)"
# shellcheck disable=SC2046
"$CC" "$here/consumer/consumer.c" -o "$scratch/shared" $(pkg-config --cflags --libs libzmq)
expect_runs "pkg-config, shared" "$scratch/shared" "$lib"
# shellcheck disable=SC2046
"$CC" "$here/consumer/consumer.c" -o "$scratch/static" $(pkg-config --cflags libzmq) "$lib/libzmq.a" \
    $(pkg-config --static --libs-only-l libzmq | sed 's/-lzmq//')
expect_runs "pkg-config, static" "$scratch/static"

"$prefix/bin/zlink" --help >/dev/null || fail "installed tool does not start"
[[ $(ls "$prefix/bin") == zlink ]] || fail "more than the tool is installed: $(ls "$prefix/bin")"
echo "installed tool: ok"

for file in LICENSE NOTICE; do
    cmp "$ZLINK_SOURCE_DIR/$file" "$prefix/share/licenses/zlink/$file" || fail "$file is not installed"
done
echo "licence and notices: ok"

for file in man/man1/zlink.1 man/man1/zlink-push.1 man/man3/zmq_poll.3 man/man3/zlink_version.3 man/man7/zmq.7 \
    doc/zlink/LICENSE doc/zlink/NOTICE doc/zlink/examples/hello.c doc/zlink/examples/guide/clone.c \
    bash-completion/completions/zlink zsh/site-functions/_zlink; do
    [[ -s $prefix/share/$file ]] || fail "share/$file is not installed"
done
echo "manual, completions and examples: ok"

# Next to libzmq's own newest file, ldconfig must choose ours for the soname.
mkdir "$scratch/ldconfig"
cp "$lib/libzmq.so.5.2.90" "$scratch/ldconfig/"
cp "$lib/libzmq.so.5.2.90" "$scratch/ldconfig/libzmq.so.5.2.5"
PATH=$PATH:/sbin:/usr/sbin ldconfig -n "$scratch/ldconfig"
chosen=$(readlink "$scratch/ldconfig/libzmq.so.5")
[[ $chosen == libzmq.so.5.2.90 ]] || fail "ldconfig chose $chosen"
echo "ldconfig: ok"
