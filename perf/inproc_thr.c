/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* The throughput between two threads of one process. */
#include "perf.h"

static size_t size;
static size_t count;
static const char* const endpoint = "inproc://thr_test";

static void send_all(void* context)
{
    void* socket = perf_open(context, ZMQ_PUSH);
    CHECK(zmq_connect(socket, endpoint) == 0);
    for (size_t i = 0; i < count; ++i) perf_send(socket, size);
    CHECK(zmq_close(socket) == 0);
}

int main(int argc, char** argv)
{
    perf_usage(argc, argv, 2, 2, "<message-size> <message-count>",
               "One thread sends that many messages to another over inproc; prints the throughput.\n");
    size = perf_number("message-size", argv[1], 0);
    count = perf_number("message-count", argv[2], 1);

    void* context = perf_context();
    void* socket = perf_open(context, ZMQ_PULL);
    CHECK(zmq_bind(socket, endpoint) == 0);
    void* sender = zmq_threadstart(send_all, context);
    CHECK(sender != NULL);

    const unsigned long elapsed = perf_receive_all(socket, size, count);
    zmq_threadclose(sender);
    perf_print_throughput(size, count, elapsed);

    perf_close(socket, context);
    return 0;
}
