/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* What the examples of this folder share: messages of a few short frames, time, and the end on an error. */
#ifndef GUIDE_H_INCLUDED
#define GUIDE_H_INCLUDED

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

enum { MOST_FRAMES = 10, LONGEST_FRAME = 255 };

struct frame {
    size_t size;
    char data[LONGEST_FRAME + 1]; /* with a NUL behind the text */
};

struct message {
    int count;
    struct frame frames[MOST_FRAMES];
};

static inline void stop(const char* what)
{
    fprintf(stderr, "%s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(1);
}

static inline int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Adds a frame, cut to LONGEST_FRAME. */
static inline void add(struct message* to, const void* data, size_t size)
{
    struct frame* frame = &to->frames[to->count++];
    frame->size = size < LONGEST_FRAME ? size : LONGEST_FRAME;
    if (frame->size != 0) memcpy(frame->data, data, frame->size);
    frame->data[frame->size] = '\0';
}

static inline void add_text(struct message* to, const char* text)
{
    add(to, text, strlen(text));
}

/* Adds the frames of another message, from number `first` on. */
static inline void add_rest(struct message* to, const struct message* from, int first)
{
    for (int i = first; i < from->count && to->count < MOST_FRAMES; ++i) {
        add(to, from->frames[i].data, from->frames[i].size);
    }
}

static inline int same(const struct frame* a, const struct frame* b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static inline int is_text(const struct message* in, int number, const char* text)
{
    return number < in->count && strcmp(in->frames[number].data, text) == 0;
}

/* Returns -1 if a frame could not be sent, for example because ZMQ_SNDTIMEO was over. */
static inline int send_message(void* socket, const struct message* from)
{
    for (int i = 0; i < from->count; ++i) {
        const int more = i + 1 < from->count ? ZMQ_SNDMORE : 0;
        if (zmq_send(socket, from->frames[i].data, from->frames[i].size, more) < 0) return -1;
    }
    return 0;
}

/* Returns -1 if there is nothing to receive within ZMQ_RCVTIMEO. Frames beyond MOST_FRAMES are dropped. */
static inline int receive_message(void* socket, struct message* to)
{
    int more = 1;
    size_t size = sizeof more;
    to->count = 0;
    while (more) {
        char data[LONGEST_FRAME];
        const int got = zmq_recv(socket, data, sizeof data, 0);
        if (got < 0) return -1;
        if (to->count < MOST_FRAMES) add(to, data, (size_t)got);
        zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
    }
    return 0;
}

/* Waits for a message; 0: there is none after so many milliseconds. */
static inline int has_message(void* socket, int64_t milliseconds)
{
    zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
    return zmq_poll(&item, 1, (long)(milliseconds < 0 ? 0 : milliseconds)) > 0;
}

static inline void set_option(void* socket, int option, int value)
{
    if (zmq_setsockopt(socket, option, &value, sizeof value) != 0) stop("zmq_setsockopt");
}

static inline void* bound(void* context, int type, const char* endpoint)
{
    void* socket = zmq_socket(context, type);
    if (!socket || zmq_bind(socket, endpoint) != 0) stop(endpoint);
    set_option(socket, ZMQ_LINGER, 0);
    return socket;
}

static inline void* connected(void* context, int type, const char* endpoint)
{
    void* socket = zmq_socket(context, type);
    if (!socket || zmq_connect(socket, endpoint) != 0) stop(endpoint);
    set_option(socket, ZMQ_LINGER, 0);
    return socket;
}

#endif
