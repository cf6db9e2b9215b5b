/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* Binary Star: two servers, of which one serves and the other one waits to take over.
 *
 *     binary_star primary FRONTEND OWN PEER        FRONTEND: for clients; OWN, PEER: where each tells its state
 *     binary_star backup FRONTEND OWN PEER
 *     binary_star client PRIMARY BACKUP [REQUESTS] PRIMARY, BACKUP: their FRONTENDs
 *
 * The servers tell each other their state by PUB and SUB. The passive one takes over if two things hold: the other one
 * is silent, and a client asks. A client asks the other server when it has no answer. So if only the wire between the
 * servers is cut, the passive one is not asked. If both are active nevertheless, both end: a person has to decide. */
#include "guide.h"

enum { HEARTBEAT_MS = 500, SILENCE_MS = 2 * HEARTBEAT_MS, PATIENCE_MS = 2000, TRIES = 6 };

enum state { PRIMARY, BACKUP, ACTIVE, PASSIVE }; /* the first two: started, and has not heard of the other one */
static const char* const names[] = {"primary", "backup", "active", "passive"};

/* The next state when the other one tells its own. */
static enum state after_peer(enum state own, enum state peer)
{
    if (own == peer) {
        fprintf(stderr, "both servers are %s\n", names[own]);
        exit(1);
    }
    switch (own) {
    case PRIMARY: return peer == BACKUP ? ACTIVE : peer == ACTIVE ? PASSIVE : own;
    case BACKUP: return peer == ACTIVE ? PASSIVE : own;
    case PASSIVE: return peer == ACTIVE ? own : ACTIVE; /* the other one has been started again */
    default: return own;
    }
}

/* The next state when a client asks. A backup that has never heard of the primary may be the one that is cut off. */
static enum state after_request(enum state own, int peer_is_silent)
{
    return peer_is_silent && own != BACKUP ? ACTIVE : own;
}

static void server(void* context, enum state start, char** endpoints)
{
    const char* name = names[start];
    enum state state = start;
    struct message in;
    void* clients = bound(context, ZMQ_ROUTER, endpoints[0]);
    void* teller = bound(context, ZMQ_PUB, endpoints[1]);
    void* peer = connected(context, ZMQ_SUB, endpoints[2]);
    zmq_setsockopt(peer, ZMQ_SUBSCRIBE, "", 0);
    zmq_pollitem_t items[] = {{clients, 0, ZMQ_POLLIN, 0}, {peer, 0, ZMQ_POLLIN, 0}};
    int64_t next_heartbeat = now_ms(), peer_silent_at = now_ms() + SILENCE_MS;
    for (;;) {
        const enum state before = state;
        if (now_ms() >= next_heartbeat) {
            zmq_send(teller, names[state], strlen(names[state]), 0);
            next_heartbeat = now_ms() + HEARTBEAT_MS;
        }
        const int64_t wait = next_heartbeat - now_ms();
        if (zmq_poll(items, 2, (long)(wait < 0 ? 0 : wait)) < 0) stop("zmq_poll");
        if (items[1].revents && receive_message(peer, &in) == 0) {
            for (int i = PRIMARY; i <= PASSIVE; ++i) {
                if (is_text(&in, 0, names[i])) state = after_peer(state, (enum state)i);
            }
            peer_silent_at = now_ms() + SILENCE_MS;
        }
        if (items[0].revents && receive_message(clients, &in) == 0 && in.count == 3) {
            state = after_request(state, now_ms() >= peer_silent_at);
            if (state == ACTIVE) { /* client, empty frame, text */
                char text[LONGEST_FRAME + 32];
                snprintf(text, sizeof text, "%s: answer to %s", name, in.frames[2].data);
                in.count = 2;
                add_text(&in, text);
                send_message(clients, &in);
            }
        }
        if (state != before) {
            printf("%s\n", names[state]);
            next_heartbeat = now_ms(); /* the other one is told at once */
        }
    }
}

static int client(void* context, char** endpoints, int requests)
{
    int at = 0, failed = 0;
    void* socket = NULL;
    for (int number = 1; number <= requests && !failed; ++number) {
        struct message answer;
        char request[32];
        snprintf(request, sizeof request, "request %d", number);
        failed = 1;
        for (int attempt = 0; attempt < TRIES && failed; ++attempt) {
            if (!socket) {
                socket = connected(context, ZMQ_REQ, endpoints[at]);
                set_option(socket, ZMQ_RCVTIMEO, PATIENCE_MS);
            }
            zmq_send(socket, request, strlen(request), 0);
            failed = receive_message(socket, &answer) != 0;
            if (failed) {
                zmq_close(socket);
                socket = NULL;
                at = 1 - at;
            }
        }
        if (!failed) printf("%s\n", answer.frames[0].data);
    }
    if (failed) printf("neither server answers\n");
    if (socket) zmq_close(socket);
    return failed;
}

int main(int argc, char** argv)
{
    const char* role = argc > 3 ? argv[1] : "";
    int status = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    void* context = zmq_ctx_new();
    if (strcmp(role, "primary") == 0 && argc == 5)
        server(context, PRIMARY, argv + 2);
    else if (strcmp(role, "backup") == 0 && argc == 5)
        server(context, BACKUP, argv + 2);
    else if (strcmp(role, "client") == 0)
        status = client(context, argv + 2, argc > 4 ? atoi(argv[4]) : 3);
    else
        status = (fprintf(stderr, "usage: %s primary|backup|client ENDPOINT.. [REQUESTS]\n", argv[0]), 2);
    zmq_ctx_term(context);
    return status;
}
