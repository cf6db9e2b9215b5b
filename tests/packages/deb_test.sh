#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# The Debian packages of what is built: fields, files, and programs that run on them. Then dpkg swaps the package in the
# place of libzmq5 in a root of its own and back (tools/try_packages.sh does so with apt and real packages).
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "deb_test: $*" >&2; exit 1; }
for program in cpack dpkg-deb dpkg-shlibdeps; do
    command -v "$program" >/dev/null || fail "$program is missing: apt-get install cmake dpkg-dev"
done
multiarch=$("$CC" -print-multiarch)
lib=usr/lib/$multiarch

cpack --config "$ZLINK_BUILD_DIR/CPackConfig.cmake" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -G DEB \
    -B "$scratch/made" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; fail "cpack failed"; }
[[ $(cd "$scratch/made" && ls -- *.deb | sed 's/_.*//' | sort | paste -sd' ') == \
    "libzlink-dev libzlink0 zlink-libzmq5-compat zlink-tools" ]] || fail "made: $(ls "$scratch/made")"

# --- fields and files -----------------------------------------------------------------------------------------------

deb() { echo "$scratch/made/$1"_*.deb; }
# has <package> <field> <pattern>
has()
{
    local value
    value=$(dpkg-deb -f "$(deb "$1")" "$2")
    [[ $value =~ ^($3)$ ]] || fail "$1: $2 is '$value', not $3"
}
control() { dpkg-deb -I "$(deb "$1")" "$2"; }

for package in libzlink-dev libzlink0 zlink-libzmq5-compat zlink-tools; do
    has $package Architecture "$(dpkg --print-architecture)"
    has $package Version '[0-9.]+-1'
    dpkg-deb -x "$(deb $package)" "$scratch/$package"
    (cd "$scratch/$package" && find . ! -type d | sed 's#^\./##' | sort) >"$scratch/$package.files"
    for file in LICENSE NOTICE; do
        grep -qFf <(tail -n 1 "$ZLINK_SOURCE_DIR/$file") "$scratch/$package/usr/share/doc/$package/copyright" ||
            fail "$package: copyright is without $file"
    done
    [[ -z $(find "$scratch/$package" -type d ! -perm 755) ]] || fail "$package: modes of folders"
    [[ -z $(dpkg-deb -c "$(deb $package)" | awk '$2 != "root/root"') ]] || fail "$package: files of another than root"
done

has zlink-libzmq5-compat Provides 'libzmq5 \(= 4\.3\.5\)'
has zlink-libzmq5-compat Conflicts libzmq5
has zlink-libzmq5-compat Replaces libzmq5
has zlink-libzmq5-compat Depends '.*libc6 .*libstdc\+\+6.*'
[[ $(control zlink-libzmq5-compat shlibs) == "libzmq 5 libzmq5" ]] || fail "shlibs of zlink-libzmq5-compat"
has libzlink0 Provides ""
has libzlink0 Conflicts ""
[[ $(control libzlink0 shlibs) == "libzlink 0 libzlink0 (>= "* ]] || fail "shlibs of libzlink0"
for package in zlink-libzmq5-compat libzlink0; do
    [[ $(control $package triggers) == "activate-noawait ldconfig" ]] || fail "$package: no trigger for ldconfig"
done
has libzlink-dev Depends 'libzlink0 \(= [0-9.]+-1\)'
has zlink-tools Conflicts ""

# only <package> <pattern>: there is no other file; there is each of these: <file>...
only()
{
    local package=$1 pattern=$2 file others
    shift 2
    others=$(grep -vE "^($pattern|usr/share/doc/$package/.*)$" "$scratch/$package.files" || true)
    [[ -z $others ]] || fail "$package also has $others"
    for file in "$@"; do
        grep -qxF "$file" "$scratch/$package.files" || fail "$package is without $file"
    done
}
only zlink-libzmq5-compat "$lib/(libzmq\.so\.5(\.[0-9.]+)?|libzlink-tls\.so)" "$lib/libzmq.so.5"
only libzlink0 "$lib/(libzlink\.so\.0(\.[0-9.]+)?|libzlink0-tls\.so)" "$lib/libzlink.so.0"
# shellcheck disable=SC2046
only libzlink-dev "$lib/(libzlink\.so|pkgconfig/zlink\.pc|cmake/zlink/zlinkConfig(Version)?\.cmake)|\
usr/include/zlink/[a-z_]+\.h(pp)?|usr/share/man/man[37]/.*\.gz" \
    "$lib/libzlink.so" usr/include/zlink/{zmq,zlink,zmq_utils}.h "$lib/cmake/zlink/zlinkConfig.cmake" \
    $(cd "$ZLINK_SOURCE_DIR/include" && ls zlink/*.hpp | sed 's#^#usr/include/#')
only zlink-tools "usr/bin/zlink|usr/lib/zlink/(libzmq\.so\.5(\.[0-9.]+)?|libzlink-tls\.so)|usr/libexec/zlink/.*|\
usr/share/(man/man1/.*\.gz|bash-completion/completions/.*|zsh/vendor-completions/.*|fish/vendor_completions\.d/.*)" \
    usr/bin/zlink usr/lib/zlink/libzmq.so.5
[[ -z $(sort "$scratch"/*.files | uniq -d) ]] || fail "in two packages: $(sort "$scratch"/*.files | uniq -d)"
if grep -E 'man/man.*/zmq[^/]*\.[37]\.gz' "$scratch"/*.files; then fail "a manual page of the name of libzmq3-dev's"; fi
echo "fields and files: ok"

# --- programs on them -----------------------------------------------------------------------------------------------

# In one folder, as they are installed. What is built with libzlink-dev needs libzlink0, and nothing of libzmq.
for package in libzlink-dev libzlink0; do cp -a "$scratch/$package/." "$scratch/beside"; done
export PKG_CONFIG_PATH=$scratch/beside/$lib/pkgconfig
# shellcheck disable=SC2046
"$CC" "$ZLINK_SOURCE_DIR/examples/hello.c" $(pkg-config --cflags --libs zlink) -o "$scratch/hello"
readelf -d "$scratch/hello" | grep -q 'NEEDED.*libzlink\.so\.0' || fail "hello is not linked to libzlink.so.0"
[[ $(LD_LIBRARY_PATH=$scratch/beside/$lib "$scratch/hello" "ipc://$scratch/a") == hello ]] || fail "hello on libzlink0"

# The C++ API there: by CMake, without Asio and on an io_context; by pkg-config.
asio=OFF
if grep -qs 'define BOOST_VERSION 10[89]' /usr/include/boost/version.hpp; then asio=ON; fi  # 1.81 is what it asks for
{ "$CMAKE_COMMAND" -S "$ZLINK_SOURCE_DIR/tests/package/consumer" -B "$scratch/consumer" -G Ninja \
    -DCONSUMER_MODE=beside -DCONSUMER_ASIO=$asio -DCMAKE_PREFIX_PATH="$scratch/beside/usr" \
    -DCMAKE_LIBRARY_ARCHITECTURE="$multiarch" && "$CMAKE_COMMAND" --build "$scratch/consumer"; } >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; fail "find_package(zlink) of libzlink-dev"; }
programs=(consumer_shared consumer_cpp)
[[ $asio == OFF ]] || programs+=(consumer_hosted)
for program in "${programs[@]}"; do
    [[ $("$scratch/consumer/$program") == 4.3.5 ]] || fail "$program on libzlink0"
    readelf -d "$scratch/consumer/$program" | grep 'NEEDED.*lib\(zmq\|zlink\)' >"$scratch/needed"
    grep -q 'libzlink\.so\.0' "$scratch/needed" || fail "$program is not linked to libzlink.so.0"
    if grep -q libzmq "$scratch/needed"; then fail "$program needs libzmq"; fi
done
# shellcheck disable=SC2046
"$CXX" -std=c++20 "$ZLINK_SOURCE_DIR/examples/cpp/hello.cpp" $(pkg-config --cflags --libs zlink) -o "$scratch/hello_cpp"
[[ $(LD_LIBRARY_PATH=$scratch/beside/$lib "$scratch/hello_cpp") == *hello* ]] || fail "hello.cpp on libzlink0"

"$CC" "$ZLINK_SOURCE_DIR/examples/hello.c" -include /usr/include/zmq.h "$ZLINK_SYSTEM_LIBZMQ" -o "$scratch/theirs"
[[ $(LD_LIBRARY_PATH=$scratch/zlink-libzmq5-compat/$lib "$scratch/theirs" "ipc://$scratch/b") == hello ]] ||
    fail "hello on zlink-libzmq5-compat"

said=$(env -u LD_LIBRARY_PATH "$scratch/zlink-tools/usr/bin/zlink" version)
grep -q "^library $scratch/zlink-tools/usr/lib/zlink/libzmq.so.5" <<<"$said" || fail "the tool runs on $said"
echo "programs: ok"

# --- dpkg swaps -----------------------------------------------------------------------------------------------------

[[ $(id -u) -eq 0 ]] || { echo "not root: dpkg was not tried"; exit 0; }
PATH=$PATH:/usr/sbin:/sbin
root=$scratch/root
mkdir -p "$root/var/lib/dpkg"/{info,updates,triggers}
touch "$root/var/lib/dpkg"/{status,available}
in_root() { dpkg --root="$root" --force-script-chrootless --log=/dev/null "$@" >"$scratch/said" 2>&1; }
state() { dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${db:Status-Status}' "$1" 2>/dev/null || echo unknown; }
# runs_on <name of a package>: whose libzmq.so.5 the root has.
runs_on()
{
    local owner
    owner=$(dpkg-query --admindir="$root/var/lib/dpkg" -S "/$lib/libzmq.so.5" | cut -d: -f1)
    [[ $owner == "$1" ]] || fail "libzmq.so.5 belongs to $owner, not to $1"
    [[ $(LD_LIBRARY_PATH=$root/$lib "$scratch/theirs" "ipc://$scratch/c") == hello ]] || fail "a program on $1"
}

# empty <package> <version> <field>...: a package of that name that has nothing but what lies in its folder.
empty()
{
    local package=$1 version=$2
    shift 2
    mkdir -p "$scratch/$package/DEBIAN"
    printf '%s\n' "Package: $package" "Version: $version" "Architecture: all" "Maintainer: none <none@localhost>" "$@" \
        "Description: none" >"$scratch/$package/DEBIAN/control"
    dpkg-deb -b "$scratch/$package" "$scratch/$package.deb" >/dev/null
}
mkdir -p "$scratch/libzmq5/$lib"
cp "$ZLINK_SYSTEM_LIBZMQ" "$scratch/libzmq5/$lib/libzmq.so.5.2.4"
ln -s libzmq.so.5.2.4 "$scratch/libzmq5/$lib/libzmq.so.5"
empty libzmq5 4.3.4-6
empty user 1-1 "Depends: libzmq5 (>= 4.3.3)"
depends=$(dpkg-deb -f "$(deb zlink-libzmq5-compat)" Depends | sed -E 's/ \([^)]*\)//g; s/ *\|[^,]*//g; s/, /\n/g')
for package in $depends; do empty "$package" 9:1; done  # what is not the point here
in_root -i $(for package in $depends; do echo "$scratch/$package.deb"; done) || fail "$(cat "$scratch/said")"

in_root -i "$scratch/libzmq5.deb" "$scratch/user.deb" || fail "$(cat "$scratch/said")"
runs_on libzmq5
in_root -i "$(deb zlink-libzmq5-compat)" || fail "swapping in: $(cat "$scratch/said")"
[[ $(state libzmq5) == unknown || $(state libzmq5) == not-installed ]] || fail "libzmq5 is $(state libzmq5)"
[[ $(state user) == installed ]] || fail "what needs libzmq5 is $(state user)"
runs_on zlink-libzmq5-compat
if in_root -i "$scratch/libzmq5.deb"; then fail "both packages at once"; fi
in_root -r --force-depends zlink-libzmq5-compat || fail "taking it away: $(cat "$scratch/said")"
[[ -z $(ls "$root/$lib"/*zmq* "$root/$lib"/*zlink* 2>/dev/null) ]] || fail "left: $(ls "$root/$lib")"
in_root -i "$scratch/libzmq5.deb" || fail "swapping back: $(cat "$scratch/said")"
[[ $(state user) == installed ]] || fail "what needs libzmq5 is $(state user)"
runs_on libzmq5

# refused <file> <what is there>: one line of ours, and nothing has changed.
refused()
{
    if in_root -i "$(deb zlink-libzmq5-compat)"; then fail "$2: installed"; fi
    [[ $(grep -c '^zlink-libzmq5-compat: ' "$scratch/said") -eq 1 ]] || fail "$2: $(cat "$scratch/said")"
    grep -q "^zlink-libzmq5-compat: $root/$1 belongs to no package" "$scratch/said" || fail "$2: $(cat "$scratch/said")"
    case $(state zlink-libzmq5-compat) in config-files | not-installed | unknown) ;; *) fail "$2: half done" ;; esac
}
touch "$root/$lib/libzmq.so.5.2.5"
refused "$lib/libzmq.so.5.2.5" "a libzmq of another source"
runs_on libzmq5
in_root -r --force-depends libzmq5
refused "$lib/libzmq.so.5.2.5" "a half-removed libzmq"
rm "$root/$lib/libzmq.so.5.2.5"
in_root -i "$(deb zlink-libzmq5-compat)" || fail "$(cat "$scratch/said")"
runs_on zlink-libzmq5-compat
echo "dpkg: ok"
