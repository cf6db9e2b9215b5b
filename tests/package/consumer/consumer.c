/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* Sends itself a message over inproc and prints the library's version. */
#include <zmq.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    int major, minor, patch;
    char received[16] = "";
    void* context = zmq_ctx_new();
    void* left = zmq_socket(context, ZMQ_PAIR);
    void* right = zmq_socket(context, ZMQ_PAIR);
    int timeout = 10000;

    zmq_setsockopt(right, ZMQ_RCVTIMEO, &timeout, sizeof timeout);
    if (zmq_bind(left, "inproc://consumer") != 0 || zmq_connect(right, "inproc://consumer") != 0 ||
        zmq_send(left, "hello", 5, 0) != 5 || zmq_recv(right, received, sizeof received, 0) != 5 ||
        memcmp(received, "hello", 5) != 0) {
        fprintf(stderr, "consumer: %s\n", zmq_strerror(zmq_errno()));
        return 1;
    }
    zmq_close(left);
    zmq_close(right);
    zmq_ctx_term(context);

    zmq_version(&major, &minor, &patch);
    printf("%d.%d.%d\n", major, minor, patch);
    return 0;
}
