/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* What the performance tools share: arguments, sockets, and figures. A failed call ends the program. */
#ifndef ZLINK_PERF_H
#define ZLINK_PERF_H

#include <zmq.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERF_UNUSED __attribute__((unused))

/* CHECK(call != -1): the call's text and the reason, and exit status 1, if it does not hold. */
#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) perf_fail(#what);                                                                                 \
    } while (0)

static PERF_UNUSED void perf_fail(const char* what)
{
    fprintf(stderr, "failed: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(1);
}

/* Ends the program with status 0 if help was asked for, or with 1 if there are fewer arguments than `least`, or more
   than `most`. */
static PERF_UNUSED void perf_usage(int argc, char** argv, int least, int most, const char* arguments, const char* about)
{
    const int help = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (!help && argc - 1 >= least && argc - 1 <= most) return;
    fprintf(help ? stdout : stderr, "usage: %s %s\n%s", argv[0], arguments, about);
    exit(help ? 0 : 1);
}

/* A whole number of at least `least`. */
static PERF_UNUSED size_t perf_number(const char* name, const char* text, size_t least)
{
    char* end = NULL;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least || value > INT_MAX) {
        fprintf(stderr, "%s is a whole number of at least %lu, not '%s'\n", name, (unsigned long)least, text);
        exit(1);
    }
    return value;
}

/* The last argument of the tools that connect: nothing, or 1 for CURVE. */
static PERF_UNUSED int perf_wants_curve(int argc, char** argv, int at)
{
    if (argc <= at || strcmp(argv[at], "0") == 0) return 0;
    if (strcmp(argv[at], "1") == 0) return 1;
    fprintf(stderr, "enable_curve is 0 or 1, not '%s'\n", argv[at]);
    exit(1);
}

/* Both sides know these keys, which the public can read here: CURVE's cost is measured, nothing is kept secret. */
#define PERF_SERVER_PUBLIC "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
#define PERF_SERVER_SECRET "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
#define PERF_CLIENT_PUBLIC "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
#define PERF_CLIENT_SECRET "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"

static PERF_UNUSED void perf_be_curve_server(void* socket)
{
    const int yes = 1;
    CHECK(zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &yes, sizeof yes) == 0);
    CHECK(zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, PERF_SERVER_SECRET, 41) == 0);
}

static PERF_UNUSED void perf_be_curve_client(void* socket)
{
    CHECK(zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, PERF_SERVER_PUBLIC, 41) == 0);
    CHECK(zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, PERF_CLIENT_PUBLIC, 41) == 0);
    CHECK(zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, PERF_CLIENT_SECRET, 41) == 0);
}

static PERF_UNUSED void* perf_context(void)
{
    void* context = zmq_ctx_new();
    CHECK(context != NULL);
    return context;
}

static PERF_UNUSED void* perf_open(void* context, int type)
{
    void* socket = zmq_socket(context, type);
    CHECK(socket != NULL);
    return socket;
}

/* Waits until all that was sent is on its way. */
static PERF_UNUSED void perf_close(void* socket, void* context)
{
    CHECK(zmq_close(socket) == 0);
    CHECK(zmq_ctx_term(context) == 0);
}

/* No message is dropped, and none waits, because a queue is full. */
static PERF_UNUSED void perf_no_marks(void* socket)
{
    const int none = 0;
    CHECK(zmq_setsockopt(socket, ZMQ_SNDHWM, &none, sizeof none) == 0);
    CHECK(zmq_setsockopt(socket, ZMQ_RCVHWM, &none, sizeof none) == 0);
}

/* Sends a message of `size` octets that is made for it, as a program would. */
static PERF_UNUSED void perf_send(void* socket, size_t size)
{
    zmq_msg_t message;
    CHECK(zmq_msg_init_size(&message, size) == 0);
    memset(zmq_msg_data(&message), 0, size);
    CHECK(zmq_msg_send(&message, socket, 0) != -1);
}

/* Receives into `message`, which is initialised. */
static PERF_UNUSED void perf_receive(void* socket, zmq_msg_t* message, size_t size)
{
    CHECK(zmq_msg_recv(message, socket, 0) != -1);
    if (zmq_msg_size(message) != size) {
        fprintf(stderr, "a message of %lu octets came, not of %lu: both sides need the same arguments\n",
                (unsigned long)zmq_msg_size(message), (unsigned long)size);
        exit(1);
    }
}

/* Receives that many messages; the microseconds from the first to the last. */
static PERF_UNUSED unsigned long perf_receive_all(void* socket, size_t size, size_t count)
{
    zmq_msg_t message;
    CHECK(zmq_msg_init(&message) == 0);
    perf_receive(socket, &message, size);
    void* watch = zmq_stopwatch_start();
    for (size_t i = 1; i < count; ++i) perf_receive(socket, &message, size);
    const unsigned long elapsed = zmq_stopwatch_stop(watch);
    CHECK(zmq_msg_close(&message) == 0);
    return elapsed;
}

/* Sends that many messages back. */
static PERF_UNUSED void perf_answer_all(void* socket, size_t size, size_t roundtrips)
{
    zmq_msg_t message;
    CHECK(zmq_msg_init(&message) == 0);
    for (size_t i = 0; i < roundtrips; ++i) {
        perf_receive(socket, &message, size);
        CHECK(zmq_msg_send(&message, socket, 0) != -1);
    }
    CHECK(zmq_msg_close(&message) == 0);
}

/* Exchanges that many messages, one at a time; the microseconds that it takes. */
static PERF_UNUSED unsigned long perf_ask_all(void* socket, size_t size, size_t roundtrips)
{
    zmq_msg_t message;
    CHECK(zmq_msg_init_size(&message, size) == 0);
    memset(zmq_msg_data(&message), 0, size);
    void* watch = zmq_stopwatch_start();
    for (size_t i = 0; i < roundtrips; ++i) {
        CHECK(zmq_msg_send(&message, socket, 0) != -1);
        perf_receive(socket, &message, size);
    }
    const unsigned long elapsed = zmq_stopwatch_stop(watch);
    CHECK(zmq_msg_close(&message) == 0);
    return elapsed;
}

static PERF_UNUSED void perf_print_throughput(size_t size, size_t count, unsigned long microseconds)
{
    const double seconds = (microseconds == 0 ? 1 : microseconds) / 1e6;
    const double rate = count / seconds;
    printf("message size: %lu [B]\n", (unsigned long)size);
    printf("message count: %lu\n", (unsigned long)count);
    printf("mean throughput: %.0f [msg/s]\n", rate);
    printf("mean throughput: %.3f [Mb/s]\n", rate * size * 8 / 1e6);
}

static PERF_UNUSED void perf_print_latency(size_t size, size_t roundtrips, unsigned long microseconds)
{
    printf("message size: %lu [B]\n", (unsigned long)size);
    printf("roundtrip count: %lu\n", (unsigned long)roundtrips);
    printf("average latency: %.3f [us]\n", (double)microseconds / (2.0 * roundtrips));
}

#endif
