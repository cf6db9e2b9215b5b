/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* Sends messages to local_thr. */
#include "perf.h"

int main(int argc, char** argv)
{
    perf_usage(argc, argv, 3, 4, "<connect-to> <message-size> <message-count> [<enable_curve>]",
               "Sends that many messages to local_thr, which prints the throughput.\n"
               "enable_curve: 1 encrypts with CURVE, on both sides.\n");
    const size_t size = perf_number("message-size", argv[2], 0);
    const size_t count = perf_number("message-count", argv[3], 1);

    void* context = perf_context();
    void* socket = perf_open(context, ZMQ_PUSH);
    perf_no_marks(socket);
    if (perf_wants_curve(argc, argv, 4)) perf_be_curve_client(socket);
    CHECK(zmq_connect(socket, argv[1]) == 0);

    for (size_t i = 0; i < count; ++i) perf_send(socket, size);

    perf_close(socket, context);
    return 0;
}
