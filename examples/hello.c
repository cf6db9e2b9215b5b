/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

// A word from one socket to another, over tcp or the endpoint given. Build:
//     cc examples/hello.c -Iinclude -Lbuild/lib -lzmq -o hello
#include <stdio.h>
#include <zmq.h>

int main(int argc, char** argv)
{
    const char* endpoint = argc > 1 ? argv[1] : "tcp://127.0.0.1:5555";
    char text[32] = "";
    void* context = zmq_ctx_new();
    void* server = zmq_socket(context, ZMQ_REP);
    void* client = zmq_socket(context, ZMQ_REQ);
    if (zmq_bind(server, endpoint) != 0) return fprintf(stderr, "%s\n", zmq_strerror(zmq_errno())), 1;
    zmq_connect(client, endpoint);
    zmq_send(client, "hello", 5, 0);
    zmq_recv(server, text, sizeof text - 1, 0);
    puts(text);
    return zmq_close(client) | zmq_close(server) | zmq_ctx_term(context);
}
