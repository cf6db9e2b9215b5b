#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# What a program has itself stays its own. tls in a program that exports symbols of OpenSSL's names itself, as Node's
# binary does: the module's own are used. And a program that opens no tls endpoint has no OpenSSL in it.
set -euo pipefail

# Nor does the static library have anything in common with an Asio of the program's own, which may have other
# settings.
asio=$(nm -C "$ZLINK_LIB_DIR/libzmq.a" 2>/dev/null | grep -E '(^|[^_[:alnum:]])asio::|posix_tss_ptr' | head -n 3 || true)
[ -z "$asio" ] || { echo "host_symbols_test: the program's own Asio may come to this: $asio" >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout own.pem -out cert.pem \
    -subj /CN=host -addext subjectAltName=IP:127.0.0.1 2>/dev/null
cat cert.pem >>own.pem

cat >host.c <<'END'
#include <zlink.h>
#include <zmq.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What belongs to the program's own OpenSSL: nobody else may end up here. */
#define MINE(name) void name(void) { fputs("called: " #name "\n", stderr); abort(); }
MINE(SSL_new) MINE(SSL_CTX_new) MINE(SSL_free) MINE(SSL_CTX_free) MINE(SSL_read_ex) MINE(SSL_write_ex) MINE(SSL_do_handshake)
MINE(SSL_get_error) MINE(SSL_CTX_ctrl) MINE(TLS_server_method) MINE(TLS_client_method) MINE(BIO_new) MINE(BIO_meth_new)
MINE(BIO_new_mem_buf) MINE(BIO_free) MINE(ERR_get_error) MINE(ERR_clear_error) MINE(ERR_put_error) MINE(X509_free)
MINE(X509_STORE_add_cert) MINE(PEM_read_bio_X509_AUX) MINE(PEM_read_bio_PrivateKey) MINE(EVP_PKEY_free) MINE(EVP_EncryptInit_ex)
MINE(EVP_CipherUpdate) MINE(EVP_DigestInit_ex) MINE(OPENSSL_init_crypto) MINE(OPENSSL_init_ssl) MINE(CRYPTO_malloc) MINE(CRYPTO_free)
MINE(CRYPTO_zalloc) MINE(RAND_bytes)

static int has_openssl(void)
{
    char line[1024];
    int found = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) found |= strstr(line, "libssl") != NULL || strstr(line, "libcrypto") != NULL;
    fclose(maps);
    return found;
}

#define CHECK(what) if (!(what)) { fprintf(stderr, "line %d: %s: %s (%s)\n", __LINE__, #what, zmq_strerror(zmq_errno()), zlink_last_error()); return 1; }

int main(void)
{
    char endpoint[100], got[10];
    size_t size = sizeof endpoint;
    const int patience = 10000;
    void* context = zmq_ctx_new();
    void* pull = zmq_socket(context, ZMQ_PULL);
    void* push = zmq_socket(context, ZMQ_PUSH);
    zmq_setsockopt(pull, ZMQ_RCVTIMEO, &patience, sizeof patience);
    CHECK(zmq_bind(pull, "tcp://127.0.0.1:*") == 0);
    CHECK(!has_openssl());
    CHECK(zmq_setsockopt(pull, ZMQ_TLS_CERT_FILE, "own.pem", 7) == 0);
    CHECK(zmq_setsockopt(push, ZMQ_TLS_CA_FILE, "cert.pem", 8) == 0);
    CHECK(zmq_bind(pull, "tls://127.0.0.1:*") == 0);
    CHECK(has_openssl());
    CHECK(zmq_getsockopt(pull, ZMQ_LAST_ENDPOINT, endpoint, &size) == 0);
    CHECK(zmq_connect(push, endpoint) == 0);
    CHECK(zmq_send(push, "hello", 5, 0) == 5);
    CHECK(zmq_recv(pull, got, sizeof got, 0) == 5);
    zmq_close(push);
    zmq_close(pull);
    return zmq_ctx_term(context);
}
END
"${CC:-cc}" -rdynamic -fno-builtin -I"$ZLINK_SOURCE_DIR/include" host.c -L"$ZLINK_LIB_DIR" -lzmq \
    -Wl,-rpath,"$ZLINK_LIB_DIR" -o host
nm -D host | grep -q ' T SSL_new'
./host

# A copy of the library without the module next to it says so.
mkdir alone
cp "$ZLINK_LIB_DIR/libzmq.so.5" alone/
if LD_LIBRARY_PATH=$folder/alone ./host 2>said; then
    echo "tls worked without the module"
    exit 1
fi
grep -q 'Protocol not supported.*libzlink-tls.so' said || { cat said; exit 1; }
