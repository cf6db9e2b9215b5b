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

    void* context = perf_context();
    void* socket = perf_open(context, ZMQ_REQ);
    if (perf_wants_curve(argc, argv, 4)) perf_be_curve_client(socket);
    CHECK(zmq_connect(socket, argv[1]) == 0);

    perf_print_latency(size, roundtrips, perf_ask_all(socket, size, roundtrips));

    perf_close(socket, context);
    return 0;
}
