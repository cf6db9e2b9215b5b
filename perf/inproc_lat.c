/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* The latency between two threads of one process. */
#include "perf.h"

static size_t size;
static size_t roundtrips;
static const char* const endpoint = "inproc://lat_test";

static void answer_all(void* context)
{
    void* socket = zmq_socket(context, ZMQ_REP);
    zmq_msg_t message;
    CHECK(socket != NULL);
    CHECK(zmq_connect(socket, endpoint) == 0);
    CHECK(zmq_msg_init(&message) == 0);
    for (size_t i = 0; i < roundtrips; ++i) {
        perf_receive(socket, &message, size);
        CHECK(zmq_msg_send(&message, socket, 0) != -1);
    }
    CHECK(zmq_msg_close(&message) == 0);
    CHECK(zmq_close(socket) == 0);
}

int main(int argc, char** argv)
{
    perf_usage(
        argc, argv, 2, 2, "<message-size> <roundtrip-count>",
        "Two threads exchange that many messages over inproc, one at a time; prints the average latency one way.\n");
    size = perf_number("message-size", argv[1], 0);
    roundtrips = perf_number("roundtrip-count", argv[2], 1);

    void* context = zmq_ctx_new();
    CHECK(context != NULL);
    void* socket = zmq_socket(context, ZMQ_REQ);
    CHECK(socket != NULL);
    CHECK(zmq_bind(socket, endpoint) == 0);
    void* answerer = zmq_threadstart(answer_all, context);
    CHECK(answerer != NULL);

    zmq_msg_t message;
    CHECK(zmq_msg_init_size(&message, size) == 0);
    memset(zmq_msg_data(&message), 0, size);
    void* watch = zmq_stopwatch_start();
    for (size_t i = 0; i < roundtrips; ++i) {
        CHECK(zmq_msg_send(&message, socket, 0) != -1);
        perf_receive(socket, &message, size);
    }
    const unsigned long elapsed = zmq_stopwatch_stop(watch);
    zmq_threadclose(answerer);
    perf_print_latency(size, roundtrips, elapsed);

    CHECK(zmq_msg_close(&message) == 0);
    CHECK(zmq_close(socket) == 0);
    CHECK(zmq_ctx_term(context) == 0);
    return 0;
}
