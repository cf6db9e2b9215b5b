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

    void* context = perf_context();
    void* socket = perf_open(context, ZMQ_REP);
    if (perf_wants_curve(argc, argv, 4)) perf_be_curve_server(socket);
    CHECK(zmq_bind(socket, argv[1]) == 0);

    perf_answer_all(socket, size, roundtrips);
    perf_close(socket, context);
    return 0;
}
