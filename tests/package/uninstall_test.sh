#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# `./build.sh uninstall` takes away what an installation has put into a prefix, and nothing else, also after the same
# build has been installed elsewhere.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

fail() { echo "uninstall_test: $*" >&2; exit 1; }
install_into() { "$CMAKE_COMMAND" --install "$ZLINK_BUILD_DIR" --prefix "$1" >/dev/null; }
listing() { (cd "$1" && find . ! -type d | sort); }

# refused <status> <text> <argument>...: one line that says so.
refused()
{
    local wanted=$1 text=$2 status=0
    shift 2
    "$ZLINK_SOURCE_DIR/build.sh" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [[ $status -eq $wanted ]] || fail "$*: status $status: $(cat "$scratch/out" "$scratch/err")"
    [[ ! -s $scratch/out && $(wc -l <"$scratch/err") -eq 1 ]] ||
        fail "$*: more than a line: $(cat "$scratch/out" "$scratch/err")"
    grep -qF -- "$text" "$scratch/err" || fail "$*: $(cat "$scratch/err")"
}

mkdir -p "$prefix"/{include,lib/pkgconfig,share}
touch "$prefix"/{include/zmqpp.h,lib/libzmq.so.4,lib/pkgconfig/other.pc}
others=$(listing "$prefix")
folders=$(cd "$prefix" && find . -type d | sort)

refused 1 "zlink is not installed in $prefix" uninstall "$prefix"
refused 2 "there is no directory $scratch/absent" uninstall "$scratch/absent"
refused 2 "one argument" uninstall a b
refused 2 "no command 'deinstall'" deinstall
ZLINK_JOBS=many refused 2 "ZLINK_JOBS" build

# A place that nobody can write to is refused before anything is written.
touch "$scratch/file"
if install_into "$scratch/file/prefix" 2>"$scratch/err"; then fail "installed below a file"; fi
tr -s '[:space:]' ' ' <"$scratch/err" | grep -q "$scratch/file is no folder that you may write to" ||
    fail "said: $(cat "$scratch/err")"
mkdir "$scratch/partly"
touch "$scratch/partly/lib"
if install_into "$scratch/partly" 2>"$scratch/err"; then fail "installed with a file in the place of lib"; fi
tr -s '[:space:]' ' ' <"$scratch/err" | grep -q "$scratch/partly/lib is no folder that you may write to" ||
    fail "said: $(cat "$scratch/err")"
[[ $(ls "$scratch/partly") == lib ]] || fail "half installed: $(listing "$scratch/partly")"

# Neither is anything written next to a libzmq of another source.
mkdir -p "$scratch/theirs/lib"
touch "$scratch/theirs/lib/libzmq.so.5.2.5"
if install_into "$scratch/theirs" 2>"$scratch/err"; then fail "installed over another libzmq"; fi
tr -s '[:space:]' ' ' <"$scratch/err" | grep -q "$scratch/theirs/lib/libzmq.so.5.2.5 is of another libzmq: remove" ||
    fail "said: $(cat "$scratch/err")"
[[ $(listing "$scratch/theirs") == ./lib/libzmq.so.5.2.5 ]] || fail "half installed: $(listing "$scratch/theirs")"

install_into "$prefix"
install_into "$scratch/other"  # as the package tests do
before=$(listing "$scratch/other")
# What an earlier version had, and this one has no more.
touch "$prefix/lib/libzmq.so.5.2.89"
echo lib/libzmq.so.5.2.89 >>"$prefix/lib/cmake/zlink/installed_files.txt"
install_into "$prefix"

"$ZLINK_SOURCE_DIR/build.sh" uninstall "$prefix" >"$scratch/out" || fail "$(cat "$scratch/out")"
grep -q "^removed [0-9]* files from $prefix$" "$scratch/out" || fail "said: $(cat "$scratch/out")"
[[ $(listing "$prefix") == "$others" ]] || fail "left, besides $others: $(listing "$prefix")"
[[ $(cd "$prefix" && find . -type d | sort) == $(printf '%s\n' "$folders" ./bin ./libexec | sort) ]] ||
    fail "folders: $(find "$prefix" -type d)"
[[ $(listing "$scratch/other") == "$before" ]] || fail "the other installation was touched"
refused 1 "zlink is not installed in $prefix" uninstall "$prefix"

# Moved as a whole, an installation can still be removed; DESTDIR is no part of its list.
mv "$scratch/other" "$scratch/moved"
"$ZLINK_SOURCE_DIR/build.sh" uninstall "$scratch/moved" >/dev/null
[[ -z $(listing "$scratch/moved") ]] || fail "left of a moved tree: $(listing "$scratch/moved")"
DESTDIR=$scratch/staged install_into /opt/zlink
"$ZLINK_SOURCE_DIR/build.sh" uninstall "$scratch/staged/opt/zlink" >/dev/null
[[ -z $(listing "$scratch/staged") ]] || fail "left of a staged tree: $(listing "$scratch/staged")"
echo "uninstall: ok"
