/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* Sends messages to local_lat and waits for each one to come back; prints half the time that this takes. */
#include "perf.h"

int main(int argc, char** argv)
{
    perf_usage(argc, argv, 3, 4, "<connect-to> <message-size> <roundtrip-count> [<enable_curve>]",
               "Exchanges that many messages with local_lat, one at a time, and prints the average latency one way.\n"
               "enable_curve: 1 encrypts with CURVE, on both sides.\n");
    const size_t size = perf_number("message-size", argv[2], 0);
    const size_t roundtrips = perf_number("roundtrip-count", argv[3], 1);

    void* context = zmq_ctx_new();
    CHECK(context != NULL);
    void* socket = zmq_socket(context, ZMQ_REQ);
    CHECK(socket != NULL);
    if (perf_wants_curve(argc, argv, 4)) perf_be_curve_client(socket);
    CHECK(zmq_connect(socket, argv[1]) == 0);

    zmq_msg_t message;
    CHECK(zmq_msg_init_size(&message, size) == 0);
    memset(zmq_msg_data(&message), 0, size);
    void* watch = zmq_stopwatch_start();
    for (size_t i = 0; i < roundtrips; ++i) {
        CHECK(zmq_msg_send(&message, socket, 0) != -1);
        perf_receive(socket, &message, size);
    }
    perf_print_latency(size, roundtrips, zmq_stopwatch_stop(watch));

    CHECK(zmq_msg_close(&message) == 0);
    CHECK(zmq_close(socket) == 0);
    CHECK(zmq_ctx_term(context) == 0);
    return 0;
}
