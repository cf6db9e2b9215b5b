/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* Espresso: a proxy between publishers and subscribers, and a listener that sees all that passes.
 *
 *     espresso [MESSAGES]
 *
 * One process holds all of it: a publisher, a subscriber of "A", the proxy, and the listener, which prints. The proxy
 * copies each message of either direction to its capture socket: what is published, and who subscribes to what. */
#include "guide.h"

#include <pthread.h>

struct roles {
    void* context;
    int messages;
};

/* Publishes A and B in turn. It waits for the subscription, so that no message goes out before there is a reader. */
static void* publisher(void* of)
{
    const struct roles* roles = of;
    struct message subscription;
    void* socket = connected(roles->context, ZMQ_XPUB, "inproc://publishers");
    receive_message(socket, &subscription);
    for (int i = 0; i < 2 * roles->messages; ++i) {
        char text[32];
        snprintf(text, sizeof text, "%c-%d", i % 2 == 0 ? 'A' : 'B', i / 2 + 1);
        zmq_send(socket, text, strlen(text), 0);
    }
    receive_message(socket, &subscription); /* the subscriber has enough */
    zmq_close(socket);
    return NULL;
}

static void* subscriber(void* of)
{
    const struct roles* roles = of;
    struct message message;
    void* socket = connected(roles->context, ZMQ_SUB, "inproc://subscribers");
    zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "A", 1);
    for (int i = 0; i < roles->messages; ++i) receive_message(socket, &message);
    zmq_setsockopt(socket, ZMQ_UNSUBSCRIBE, "A", 1);
    receive_message(socket, &message); /* nothing comes any more: the context's end wakes it */
    zmq_close(socket);
    return NULL;
}

static void* proxy(void* of)
{
    const struct roles* roles = of;
    void* front = bound(roles->context, ZMQ_XSUB, "inproc://publishers");
    void* back = bound(roles->context, ZMQ_XPUB, "inproc://subscribers");
    void* capture = connected(roles->context, ZMQ_PAIR, "inproc://listener");
    zmq_proxy(front, back, capture); /* returns when the context ends */
    zmq_close(front);
    zmq_close(back);
    zmq_close(capture);
    return NULL;
}

int main(int argc, char** argv)
{
    struct roles roles = {zmq_ctx_new(), argc > 1 ? atoi(argv[1]) : 3};
    void* (*const parts[])(void*) = {proxy, publisher, subscriber};
    pthread_t threads[3];
    void* listener = bound(roles.context, ZMQ_PAIR, "inproc://listener");
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, parts[i], &roles);

    for (struct message seen; receive_message(listener, &seen) == 0;) {
        const char* data = seen.frames[0].data;
        if (data[0] != 0 && data[0] != 1) {
            puts(data);
            continue;
        }
        printf("%s %s\n", data[0] == 1 ? "subscribe" : "unsubscribe", data + 1);
        if (data[0] == 0) break;
    }
    pthread_join(threads[1], NULL); /* the publisher ends by itself, the others with the context */
    zmq_close(listener);
    zmq_ctx_shutdown(roles.context);
    pthread_join(threads[0], NULL);
    pthread_join(threads[2], NULL);
    return zmq_ctx_term(roles.context);
}
