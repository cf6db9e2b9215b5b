#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# libzlink.so.0 beside libzmq.so.5 in one process: the distribution's, and zlink's own. They have no name in common, and
# they talk to each other.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
library=$ZLINK_LIB_DIR/libzlink.so.0
headers=$ZLINK_BUILD_DIR/prefixed

fail() { echo "side_by_side_test: $*" >&2; exit 1; }
# Those of C; abi.symbols_test looks at those of C++.
names() { nm -D --defined-only "$1" | awk '$2 != "A" && $NF !~ /^_Z/ { sub(/@.*/, "", $NF); print $NF }' | sort; }

# --- names ----------------------------------------------------------------------------------------------------------

names "$ZLINK_LIB_DIR/libzmq.so.5" | sed 's/^/zlink_/' | sort >"$scratch/wanted"
names "$library" >"$scratch/found"
diff "$scratch/wanted" "$scratch/found" || fail "libzlink.so.0 has not the names of libzmq.so.5 with zlink_ in front"
names "$ZLINK_SYSTEM_LIBZMQ" >"$scratch/theirs"
names "$ZLINK_LIB_DIR/libzmq.so.5" >>"$scratch/theirs"
common=$(comm -12 "$scratch/found" <(sort "$scratch/theirs"))
[[ -z $common ]] || fail "names in common with a libzmq.so.5: $common"
readelf -d "$library" | grep -q 'SONAME.*\[libzlink\.so\.0\]' || fail "soname"
readelf --dyn-syms -W "$library" | awk '$NF ~ /^zlink_/ && $4 != "FUNC" { print; bad = 1 } END { exit bad }' ||
    fail "no functions"
diff "$scratch/found" <(sed -nE 's/^#define (z[a-z]+_\w+) (zlink_\1)$/\2/p' "$headers/zlink/zmq.h" | sort) ||
    fail "zlink/zmq.h does not map these names, and no other"
echo "$(wc -l <"$scratch/found") names: ok"

# --- both in one process --------------------------------------------------------------------------------------------

warnings=(-Wall -Wextra -Werror)
"$CC" "${warnings[@]}" -D_GNU_SOURCE -c -I"$headers" "$here/prefixed_side.c" -o "$scratch/prefixed.o"
"$CC" "${warnings[@]}" -D_GNU_SOURCE -c -include /usr/include/zmq.h "$here/plain_side.c" -o "$scratch/plain.o"

# meet <title> <libzmq.so.5> <its file>
meet()
{
    local order
    for order in "$library $2" "$2 $library"; do
        # shellcheck disable=SC2086
        "$CC" "${warnings[@]}" "$here/side_by_side.c" "$scratch/prefixed.o" "$scratch/plain.o" $order -ldl \
            -Wl,--no-as-needed -Wl,-rpath,"$ZLINK_LIB_DIR" -o "$scratch/meeting"
        LD_LIBRARY_PATH=$(dirname "$2") "$scratch/meeting" libzlink.so.0 "$3" "$scratch" || fail "$1, linked as $order"
    done
    echo "beside $1: ok"
}
mkdir "$scratch/theirs.lib"
ln -s "$ZLINK_SYSTEM_LIBZMQ" "$scratch/theirs.lib/libzmq.so.5"
meet "the distribution's libzmq" "$scratch/theirs.lib/libzmq.so.5" "$scratch/theirs.lib/"
meet "zlink's libzmq.so.5" "$ZLINK_LIB_DIR/libzmq.so.5" "$ZLINK_LIB_DIR/libzmq"

# --- the C++ API of both --------------------------------------------------------------------------------------------

# The names are the same. By their version, a program gets those of the library it was linked to, whichever is first.
cat >"$scratch/origin.cpp" <<'END'
#include <zlink/zlink.hpp>

#include <cstdio>
#include <dlfcn.h>
int main()
{
    zlink::io_group group;
    zlink::socket left(group, zlink::socket_type::pair), right(group, zlink::socket_type::pair);
    left.bind("inproc://here");
    right.connect("inproc://here");
    left.send(zlink::message("hello"));
    if (right.receive().view() != "hello") return 1;
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(&zlink::core::socket_open), &info) != 0) std::puts(info.dli_fname);
}
END
"$CXX" -std=c++20 "${warnings[@]}" -fPIE -c -I"$headers" "$scratch/origin.cpp" -o "$scratch/origin.o"
for mine in libzlink.so.0 libzmq.so.5; do
    "$CXX" -pie "$scratch/origin.o" "$ZLINK_LIB_DIR/$mine" -ldl -Wl,-rpath,"$ZLINK_LIB_DIR" -o "$scratch/origin"
    for first in libzlink.so.0 libzmq.so.5; do
        said=$(LD_PRELOAD=$ZLINK_LIB_DIR/$first "$scratch/origin") || fail "C++ on $mine, after $first"
        [[ $said == "$ZLINK_LIB_DIR/$mine"* ]] || fail "C++ on $mine, after $first: functions of $said"
    done
done
echo "C++ API: ok"

# --- headers --------------------------------------------------------------------------------------------------------

# Unchanged programs, told by the compiler's arguments alone; C++; what cannot be is an error with words.
"$CC" "${warnings[@]}" -I"$headers/zlink" "$ZLINK_SOURCE_DIR/examples/hello.c" "$library" -Wl,-rpath,"$ZLINK_LIB_DIR" \
    -o "$scratch/hello"
[[ $("$scratch/hello" "ipc://$scratch/hello.ipc") == hello ]] || fail "hello.c does not run on libzlink.so.0"
if readelf -d "$scratch/hello" | grep -q 'NEEDED.*libzmq'; then fail "hello.c needs libzmq"; fi
cat >"$scratch/program.cpp" <<'END'
#define ZMQ_BUILD_DRAFT_API
#include <zlink/zlink.h>
#include <zlink/zmq.h>
int main() { return zmq_has("ipc") - 1; }
END
"$CXX" "${warnings[@]}" -I"$headers" "$scratch/program.cpp" "$library" -Wl,-rpath,"$ZLINK_LIB_DIR" -o "$scratch/program"
"$scratch/program" || fail "C++"
printf '#include <zmq.h>\n#include <zlink/zmq.h>\n' >"$scratch/both.c"
if "$CC" -c -I"$headers" -I"$ZLINK_SOURCE_DIR/include" "$scratch/both.c" -o /dev/null 2>"$scratch/said"; then
    fail "both headers in one file, and no error"
fi
grep -q 'error.*a source file uses one library' "$scratch/said" || fail "said: $(cat "$scratch/said")"
echo "headers: ok"

# --- tls ------------------------------------------------------------------------------------------------------------

# Its module is a file of its own, next to it.
if [[ -e $ZLINK_LIB_DIR/libzlink-tls.so ]]; then
    mkdir "$scratch/alone"
    cp "$library" "$scratch/alone/"
    cat >"$scratch/tls.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <zlink/zlink.h>
int main(void)
{
    void* context = zmq_ctx_new();
    void* socket = zmq_socket(context, ZMQ_PULL);
    int bound = zmq_bind(socket, "tls://127.0.0.1:*");
    puts(bound == 0 ? "bound" : zlink_last_error());
    zmq_close(socket);
    return zmq_ctx_term(context);
}
END
    "$CC" "${warnings[@]}" -I"$headers" "$scratch/tls.c" "$library" -o "$scratch/tls"
    said=$(LD_LIBRARY_PATH=$scratch/alone "$scratch/tls")
    [[ $said == *libzlink0-tls.so* ]] || fail "without the module: $said"
    said=$(LD_LIBRARY_PATH=$ZLINK_LIB_DIR "$scratch/tls")  # loaded, and then there is no certificate
    [[ $said == *certificate* ]] || fail "with the module: $said"
    echo "tls: ok"
fi
