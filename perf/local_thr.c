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

    void* context = perf_context();
    void* socket = perf_open(context, ZMQ_PULL);
    perf_no_marks(socket);
    if (perf_wants_curve(argc, argv, 4)) perf_be_curve_server(socket);
    CHECK(zmq_bind(socket, argv[1]) == 0);

    perf_print_throughput(size, count, perf_receive_all(socket, size, count));

    perf_close(socket, context);
    return 0;
}
