/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* The latency between two threads of one process. */
#include "perf.h"

static size_t size;
static size_t roundtrips;
static const char* const endpoint = "inproc://lat_test";

static void answer_all(void* context)
{
    void* socket = perf_open(context, ZMQ_REP);
    CHECK(zmq_connect(socket, endpoint) == 0);
    perf_answer_all(socket, size, roundtrips);
    CHECK(zmq_close(socket) == 0);
}

int main(int argc, char** argv)
{
    perf_usage(
        argc, argv, 2, 2, "<message-size> <roundtrip-count>",
        "Two threads exchange that many messages over inproc, one at a time; prints the average latency one way.\n");
    size = perf_number("message-size", argv[1], 0);
    roundtrips = perf_number("roundtrip-count", argv[2], 1);

    void* context = perf_context();
    void* socket = perf_open(context, ZMQ_REQ);
    CHECK(zmq_bind(socket, endpoint) == 0);
    void* answerer = zmq_threadstart(answer_all, context);
    CHECK(answerer != NULL);

    const unsigned long elapsed = perf_ask_all(socket, size, roundtrips);
    zmq_threadclose(answerer);
    perf_print_latency(size, roundtrips, elapsed);

    perf_close(socket, context);
    return 0;
}
