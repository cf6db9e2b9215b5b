/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

#include <stdio.h>
#include <string.h>
#include <zlink.h>
#include <zmq.h>

int main(void)
{
    char endpoint[100], text[10] = "";
    size_t size = sizeof endpoint;
    const int patience = 20000;
    int major, minor, patch;
    void* context = zmq_ctx_new();
    void* server = zmq_socket(context, ZMQ_REP);
    void* client = zmq_socket(context, ZMQ_REQ);
    zmq_setsockopt(server, ZMQ_RCVTIMEO, &patience, sizeof patience);
    if (zmq_bind(server, "tcp://127.0.0.1:*") != 0 || zmq_getsockopt(server, ZMQ_LAST_ENDPOINT, endpoint, &size) != 0)
        return 1;
    if (zmq_connect(client, endpoint) != 0 || zmq_send(client, "hello", 5, 0) != 5) return 2;
    if (zmq_recv(server, text, sizeof text, 0) != 5 || strcmp(text, "hello") != 0) return 3;
    zlink_version(&major, &minor, &patch);
    printf("zlink %d.%d.%d, CURVE %d, tls %d\n", major, minor, patch, zmq_has("curve"), zmq_has("tls"));
    zmq_close(client);
    zmq_close(server);
    return zmq_ctx_term(context);
}
