#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# tls inside of Node, whose binary has an OpenSSL of its own and exports its symbols. An addon sends a message over tls,
# before and after Node's own cryptography has been at work, and with it.
set -euo pipefail

node=${ZLINK_NODE:-}
for candidate in "$node" "$(dirname "${ZLINK_VENV_PYTHON:-/}")/node" "$(command -v node || true)"; do
    if [[ -x $candidate && ! -d $candidate ]]; then
        node=$candidate
        break
    fi
done
if [[ ! -x $node ]]; then
    echo "there is no node: install nodejs, or name one by ZLINK_NODE"
    exit 1
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout own.pem -out cert.pem \
    -subj /CN=host -addext subjectAltName=IP:127.0.0.1 2>/dev/null
cat cert.pem >>own.pem

cat >addon.c <<'END'
#include <zlink.h>
#include <zmq.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what) if (!(what)) { fprintf(stderr, "line %d: %s: %s (%s)\n", __LINE__, #what, zmq_strerror(zmq_errno()), zlink_last_error()); exit(1); }

/* What Node's addons begin with. Both arguments are of no interest. */
__attribute__((visibility("default"))) void* napi_register_module_v1(void* env, void* exports)
{
    char endpoint[100], got[10];
    size_t size = sizeof endpoint;
    const int patience = 10000;
    void* context = zmq_ctx_new();
    void* pull = zmq_socket(context, ZMQ_PULL);
    void* push = zmq_socket(context, ZMQ_PUSH);
    (void)env;
    zmq_setsockopt(pull, ZMQ_RCVTIMEO, &patience, sizeof patience);
    CHECK(zmq_setsockopt(pull, ZMQ_TLS_CERT_FILE, "own.pem", 7) == 0);
    CHECK(zmq_setsockopt(push, ZMQ_TLS_CA_FILE, "cert.pem", 8) == 0);
    CHECK(zmq_bind(pull, "tls://127.0.0.1:*") == 0);
    CHECK(zmq_getsockopt(pull, ZMQ_LAST_ENDPOINT, endpoint, &size) == 0);
    CHECK(zmq_connect(push, endpoint) == 0);
    CHECK(zmq_send(push, "hello", 5, 0) == 5);
    CHECK(zmq_recv(pull, got, sizeof got, 0) == 5);
    CHECK(memcmp(got, "hello", 5) == 0);
    zmq_close(push);
    zmq_close(pull);
    CHECK(zmq_ctx_term(context) == 0);
    puts("said over tls");
    fflush(stdout);
    return exports;
}
END
"${CC:-cc}" -shared -fPIC -I"$ZLINK_SOURCE_DIR/include" addon.c -L"$ZLINK_LIB_DIR" -lzmq -Wl,-rpath,"$ZLINK_LIB_DIR" \
    -o addon.node
cp addon.node again.node

cat >main.js <<'END'
const fs = require('fs'), tls = require('tls'), crypto = require('crypto');
const digest = () => crypto.createHash('sha256').update('zlink').digest('hex');
require('./addon.node');
const first = digest();
const options = {key: fs.readFileSync('own.pem'), cert: fs.readFileSync('cert.pem')};
const server = tls.createServer(options, (peer) => peer.end('over tls of Node'));
server.listen(0, '127.0.0.1', () => {
    const client = tls.connect({port: server.address().port, host: '127.0.0.1', ca: [options.cert]});
    client.on('data', (said) => {
        console.log('said ' + said);
        require('./again.node');
        server.close();
        process.exitCode = digest() === first ? 0 : 1;
    });
});
END
nm -D "$(readlink -f "$node")" | grep -c ' T SSL_new$' >/dev/null || echo "this node ($node) has its OpenSSL elsewhere"
"$node" main.js >said
printf 'said over tls\nsaid over tls of Node\nsaid over tls\n' | diff - said
