/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* The throughput from a PUB through zmq_proxy_steerable to a SUB, all in one process. */
#include "perf.h"

static size_t size;
static size_t count;
static const char* const frontend = "inproc://proxy_thr_frontend";
static const char* const backend = "inproc://proxy_thr_backend";
static const char* const control = "inproc://proxy_thr_control";

static void* open_socket(void* context, int type)
{
    void* socket = perf_open(context, type);
    perf_no_marks(socket);
    return socket;
}

static void publish_all(void* context)
{
    void* socket = open_socket(context, ZMQ_XPUB);
    char subscription[1];
    CHECK(zmq_connect(socket, frontend) == 0);
    CHECK(zmq_recv(socket, subscription, sizeof subscription, 0) != -1); /* it has come through the proxy */
    for (size_t i = 0; i < count; ++i) perf_send(socket, size);
    CHECK(zmq_close(socket) == 0);
}

static void forward(void* context)
{
    void* in = open_socket(context, ZMQ_XSUB);
    void* out = open_socket(context, ZMQ_XPUB);
    void* commands = open_socket(context, ZMQ_PAIR);
    CHECK(zmq_bind(in, frontend) == 0);
    CHECK(zmq_bind(out, backend) == 0);
    CHECK(zmq_connect(commands, control) == 0);
    CHECK(zmq_proxy_steerable(in, out, NULL, commands) == 0);
    CHECK(zmq_close(commands) == 0);
    CHECK(zmq_close(out) == 0);
    CHECK(zmq_close(in) == 0);
}

int main(int argc, char** argv)
{
    perf_usage(argc, argv, 2, 2, "<message-size> <message-count>",
               "A publisher sends that many messages through a proxy to a subscriber, over inproc; prints the\n"
               "throughput from the first to the last.\n");
    size = perf_number("message-size", argv[1], 0);
    count = perf_number("message-count", argv[2], 1);

    void* context = perf_context();
    void* commands = open_socket(context, ZMQ_PAIR);
    void* socket = open_socket(context, ZMQ_SUB);
    CHECK(zmq_bind(commands, control) == 0);
    void* proxy = zmq_threadstart(forward, context);
    void* publisher = zmq_threadstart(publish_all, context);
    CHECK(proxy != NULL && publisher != NULL);
    CHECK(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0) == 0);
    CHECK(zmq_connect(socket, backend) == 0);

    const unsigned long elapsed = perf_receive_all(socket, size, count);
    CHECK(zmq_send(commands, "TERMINATE", 9, 0) == 9);
    zmq_threadclose(publisher);
    zmq_threadclose(proxy);
    perf_print_throughput(size, count, elapsed);

    CHECK(zmq_close(socket) == 0);
    CHECK(zmq_close(commands) == 0);
    CHECK(zmq_ctx_term(context) == 0);
    return 0;
}
