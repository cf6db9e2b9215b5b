/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* The other end of page.js: publishes the time, answers requests, and asks the page a question, until all three have
 * happened.
 *
 *     cc server.c -o server $(pkg-config --cflags --libs libzmq)
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

static void* bound(void* context, int type, const char* endpoint)
{
    void* const socket = zmq_socket(context, type);
    if (zmq_bind(socket, endpoint) != 0) fprintf(stderr, "%s: %s\n", endpoint, zmq_strerror(zmq_errno()));
    return socket;
}

static void show(const char* what, const char* text, int size)
{
    printf("%s: %.*s\n", what, size, text);
    fflush(stdout);
}

int main(void)
{
    void* const context = zmq_ctx_new();
    void* const publisher = bound(context, ZMQ_XPUB, "ws://*:5561");
    void* const answers = bound(context, ZMQ_REP, "ws://*:5562");
    void* const asks = bound(context, ZMQ_REQ, "ws://*:5563");
    const char question[] = "zlink";
    zmq_send(asks, question, strlen(question), 0); /* waits for a page */

    int subscribed = 0, answered = 0, asked = 0;
    while (!subscribed || !answered || !asked) {
        zmq_pollitem_t items[] = {{publisher, 0, ZMQ_POLLIN, 0}, {answers, 0, ZMQ_POLLIN, 0}, {asks, 0, ZMQ_POLLIN, 0}};
        char text[256];
        int size = 0;
        zmq_poll(items, 3, -1);
        if (items[0].revents && (size = zmq_recv(publisher, text, sizeof text, 0)) > 0) {
            char now[32];
            const int length = snprintf(now, sizeof now, "%ld", (long)time(NULL));
            show(text[0] == 1 ? "subscribed" : "unsubscribed", text + 1, size - 1);
            zmq_send(publisher, "time", 4, ZMQ_SNDMORE);
            zmq_send(publisher, now, (size_t)length, 0);
            subscribed = 1;
        }
        if (items[1].revents && (size = zmq_recv(answers, text, sizeof text, 0)) >= 0) {
            show("request", text, size);
            zmq_send(answers, "welcome", 7, 0);
            answered = 1;
        }
        if (items[2].revents && (size = zmq_recv(asks, text, sizeof text, 0)) >= 0) {
            show("answer", text, size);
            asked = 1;
        }
    }
    zmq_close(publisher); /* what is on its way still goes out */
    zmq_close(answers);
    zmq_close(asks);
    zmq_ctx_term(context);
    return 0;
}
