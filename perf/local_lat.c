/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* Sends the messages of remote_lat back. */
#include "perf.h"

int main(int argc, char** argv)
{
    perf_usage(argc, argv, 3, 4, "<bind-to> <message-size> <roundtrip-count> [<enable_curve>]",
               "Sends that many messages of remote_lat back; remote_lat prints the latency.\n"
               "enable_curve: 1 encrypts with CURVE, on both sides.\n");
    const size_t size = perf_number("message-size", argv[2], 0);
    const size_t roundtrips = perf_number("roundtrip-count", argv[3], 1);

    void* context = zmq_ctx_new();
    CHECK(context != NULL);
    void* socket = zmq_socket(context, ZMQ_REP);
    CHECK(socket != NULL);
    if (perf_wants_curve(argc, argv, 4)) perf_be_curve_server(socket);
    CHECK(zmq_bind(socket, argv[1]) == 0);

    zmq_msg_t message;
    CHECK(zmq_msg_init(&message) == 0);
    for (size_t i = 0; i < roundtrips; ++i) {
        perf_receive(socket, &message, size);
        CHECK(zmq_msg_send(&message, socket, 0) != -1);
    }

    CHECK(zmq_msg_close(&message) == 0);
    CHECK(zmq_close(socket) == 0);
    CHECK(zmq_ctx_term(context) == 0); /* waits until the last answer is on its way */
    return 0;
}
