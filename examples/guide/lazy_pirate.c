/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* Lazy Pirate: a client that has its answer, or knows after a while that there is none.
 *
 *     lazy_pirate server ENDPOINT [LOST]       answers requests, except the first LOST ones
 *     lazy_pirate client ENDPOINT [REQUESTS]
 *
 * A REQ that waits for a lost answer cannot send again. So the client closes it, and asks again on a new one. */
#include "guide.h"

enum { PATIENCE_MS = 1000, TRIES = 3 };

static void* asking(void* context, const char* endpoint)
{
    void* socket = connected(context, ZMQ_REQ, endpoint);
    set_option(socket, ZMQ_RCVTIMEO, PATIENCE_MS);
    return socket;
}

/* Sends the request until an answer comes. Returns -1 if none came; `*socket` is a new one then. */
static int ask(void* context, void** socket, const char* endpoint, const char* request, struct message* answer)
{
    for (int attempt = 1; attempt <= TRIES; ++attempt) {
        zmq_send(*socket, request, strlen(request), 0);
        if (receive_message(*socket, answer) == 0) return 0;
        printf("no answer to %s, attempt %d of %d\n", request, attempt, TRIES);
        zmq_close(*socket);
        *socket = asking(context, endpoint);
    }
    return -1;
}

static int client(void* context, const char* endpoint, int requests)
{
    void* socket = asking(context, endpoint);
    int failed = 0;
    for (int number = 1; number <= requests && !failed; ++number) {
        struct message answer;
        char request[32];
        snprintf(request, sizeof request, "request %d", number);
        failed = ask(context, &socket, endpoint, request, &answer) != 0;
        if (!failed) printf("%s\n", answer.frames[0].data);
    }
    if (failed) printf("the server seems to be away\n");
    zmq_close(socket);
    return failed;
}

/* A ROUTER can leave a request without an answer; a REP could not go on after that. */
static void server(void* context, const char* endpoint, int lost)
{
    void* socket = bound(context, ZMQ_ROUTER, endpoint);
    for (struct message request; receive_message(socket, &request) == 0;) { /* client, empty frame, text */
        if (request.count != 3) continue;
        if (lost-- > 0) {
            printf("lost: %s\n", request.frames[2].data);
            continue;
        }
        struct message answer = {0};
        char text[LONGEST_FRAME + 16];
        snprintf(text, sizeof text, "answer to %s", request.frames[2].data);
        add(&answer, request.frames[0].data, request.frames[0].size);
        add_text(&answer, "");
        add_text(&answer, text);
        send_message(socket, &answer);
    }
    zmq_close(socket);
}

int main(int argc, char** argv)
{
    const int number = argc > 3 ? atoi(argv[3]) : -1;
    int status = 0;
    if (argc < 3) return fprintf(stderr, "usage: %s server|client ENDPOINT [NUMBER]\n", argv[0]), 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    void* context = zmq_ctx_new();
    if (strcmp(argv[1], "server") == 0)
        server(context, argv[2], number);
    else
        status = client(context, argv[2], number < 0 ? 3 : number);
    zmq_ctx_term(context);
    return status;
}
