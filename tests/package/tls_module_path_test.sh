#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# The TLS module is the one next to the library that was loaded. That holds also where the library was found by a
# relative path and the program has gone to another directory with a file of that name.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout own.pem -out cert.pem \
    -subj /CN=host -addext subjectAltName=IP:127.0.0.1 2>/dev/null
cat cert.pem >>own.pem

cat >planted.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void run(void) { fputs("the planted module was loaded\n", stderr); _Exit(3); }
END

cat >program.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

/* program LIBRARY ELSEWHERE CERTIFICATE */
int main(int argc, char** argv)
{
    void* library = dlopen(argv[1], RTLD_NOW);
    if (argc < 4 || !library) { fprintf(stderr, "%s\n", dlerror()); return 1; }
    void* (*ctx_new)(void) = (void* (*)(void))dlsym(library, "zmq_ctx_new");
    void* (*open_socket)(void*, int) = (void* (*)(void*, int))dlsym(library, "zmq_socket");
    int (*set)(void*, int, const void*, size_t) = (int (*)(void*, int, const void*, size_t))dlsym(library, "zmq_setsockopt");
    int (*bind)(void*, const char*) = (int (*)(void*, const char*))dlsym(library, "zmq_bind");
    const char* (*why)(void) = (const char* (*)(void))dlsym(library, "zlink_last_error");
    if (chdir(argv[2]) != 0) return 1;
    void* pull = open_socket(ctx_new(), 7);
    size_t size = 0;
    while (argv[3][size]) ++size;
    if (set(pull, 7001, argv[3], size) != 0 || bind(pull, "tls://127.0.0.1:*") != 0) { fprintf(stderr, "%s\n", why()); return 2; }
    _exit(0);
}
END
"${CC:-cc}" program.c -o program -ldl
mkdir -p here/lib elsewhere/lib
cp "$ZLINK_LIB_DIR/libzmq.so.5" "$ZLINK_LIB_DIR/libzlink-tls.so" here/lib/
"${CC:-cc}" -shared -fPIC planted.c -o elsewhere/lib/libzlink-tls.so
cp elsewhere/lib/libzlink-tls.so elsewhere/libzlink-tls.so

cd here
../program ./lib/libzmq.so.5 "$folder/elsewhere" "$folder/own.pem"
../program lib/libzmq.so.5 "$folder/elsewhere" "$folder/own.pem"
LD_LIBRARY_PATH=lib ../program libzmq.so.5 "$folder/elsewhere" "$folder/own.pem"
LD_LIBRARY_PATH=: ../program ../here/lib/libzmq.so.5 "$folder/elsewhere" "$folder/own.pem"
cd lib
LD_LIBRARY_PATH=: ../../program libzmq.so.5 "$folder/elsewhere" "$folder/own.pem"
