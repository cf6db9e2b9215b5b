/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* Receives messages from remote_thr, and prints how many came in a second. */
#include "perf.h"

int main(int argc, char** argv)
{
    perf_usage(argc, argv, 3, 4, "<bind-to> <message-size> <message-count> [<enable_curve>]",
               "Receives that many messages of remote_thr, and prints the throughput from the first to the last.\n"
               "enable_curve: 1 encrypts with CURVE, on both sides.\n");
    const size_t size = perf_number("message-size", argv[2], 0);
    const size_t count = perf_number("message-count", argv[3], 1);

    void* context = zmq_ctx_new();
    CHECK(context != NULL);
    void* socket = zmq_socket(context, ZMQ_PULL);
    CHECK(socket != NULL);
    perf_no_marks(socket);
    if (perf_wants_curve(argc, argv, 4)) perf_be_curve_server(socket);
    CHECK(zmq_bind(socket, argv[1]) == 0);

    zmq_msg_t message;
    CHECK(zmq_msg_init(&message) == 0);
    perf_receive(socket, &message, size);
    void* watch = zmq_stopwatch_start();
    for (size_t i = 1; i < count; ++i) perf_receive(socket, &message, size);
    perf_print_throughput(size, count, zmq_stopwatch_stop(watch));

    CHECK(zmq_msg_close(&message) == 0);
    CHECK(zmq_close(socket) == 0);
    CHECK(zmq_ctx_term(context) == 0);
    return 0;
}
