/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* A broker of services by the Majordomo Protocol (RFC 7/MDP), with a worker and a client.
 *
 *     majordomo broker ENDPOINT
 *     majordomo worker ENDPOINT SERVICE NAME
 *     majordomo client ENDPOINT SERVICE TEXT..
 *
 * Workers register for a service. The broker gives a request to the worker that has been idle longest. If a worker goes
 * away with a request, another one gets that request. Broker and workers know of each other's end by heartbeats. */
#include "guide.h"

#define CLIENT "MDPC01"
#define WORKER "MDPW01"
#define READY "\1"
#define REQUEST "\2"
#define REPLY "\3"
#define HEARTBEAT "\4"
#define DISCONNECT "\5"

enum { HEARTBEAT_MS = 500, SILENCE_MS = 4 * HEARTBEAT_MS, REQUEST_MS = 60000, PATIENCE_MS = 10000, MOST = 100 };

/* --- broker ---------------------------------------------------------------------------------------------------- */

struct request {
    struct message message; /* client, empty frame, body */
    struct frame service;
    int64_t expires;
};

struct worker {
    struct frame address, service;
    int64_t expires;
    int busy;
    struct request request; /* that it is busy with */
};

static void* socket_of_broker;
static struct worker workers[MOST];   /* the one that has been idle longest comes first */
static struct request requests[MOST]; /* the oldest comes first */
static int worker_count, request_count;

static struct worker* find_worker(const struct frame* address)
{
    for (int i = 0; i < worker_count; ++i) {
        if (same(&workers[i].address, address)) return &workers[i];
    }
    return NULL;
}

static void send_to_worker(const struct frame* address, const char* command, const struct message* rest)
{
    struct message message = {0};
    add(&message, address->data, address->size);
    add_text(&message, "");
    add_text(&message, WORKER);
    add_text(&message, command);
    if (rest) add_rest(&message, rest, 0);
    send_message(socket_of_broker, &message);
}

static void drop_request(int number)
{
    memmove(&requests[number], &requests[number + 1], (size_t)(--request_count - number) * sizeof *requests);
}

static void queue_request(const struct request* request)
{
    if (request_count < MOST) requests[request_count++] = *request;
}

/* Its request goes to another worker. */
static void remove_worker(struct worker* worker)
{
    if (worker->busy) queue_request(&worker->request);
    const size_t behind = (size_t)(&workers[--worker_count] - worker);
    memmove(worker, worker + 1, behind * sizeof *worker);
}

static void add_worker(const struct frame* address, const struct frame* service, int64_t expires)
{
    if (worker_count == MOST) return send_to_worker(address, DISCONNECT, NULL);
    workers[worker_count++] = (struct worker){.address = *address, .service = *service, .expires = expires};
}

/* Gives requests to idle workers of their service. */
static void dispatch(void)
{
    for (int i = 0; i < request_count;) {
        struct worker* worker = workers;
        while (worker < workers + worker_count && (worker->busy || !same(&worker->service, &requests[i].service))) {
            ++worker;
        }
        if (worker == workers + worker_count) {
            ++i;
            continue;
        }
        worker->busy = 1;
        worker->request = requests[i];
        send_to_worker(&worker->address, REQUEST, &requests[i].message);
        drop_request(i);
    }
}

/* Frames: client, empty, MDPC01, service, body. */
static void on_client(const struct message* in)
{
    struct request request = {.service = in->frames[3], .expires = now_ms() + REQUEST_MS};
    add(&request.message, in->frames[0].data, in->frames[0].size);
    add_text(&request.message, "");
    add_rest(&request.message, in, 4);
    queue_request(&request);
}

/* Frames: worker, empty, MDPW01, command, and those of the command. */
static void on_worker(const struct message* in)
{
    const struct frame* address = &in->frames[0];
    struct worker* worker = find_worker(address);
    if (is_text(in, 3, READY) && in->count == 5 && !worker) {
        add_worker(address, &in->frames[4], now_ms() + SILENCE_MS);
    } else if (is_text(in, 3, REPLY) && in->count > 6 && worker && worker->busy) {
        const struct frame service = worker->service;
        struct message reply = {0};
        add(&reply, in->frames[4].data, in->frames[4].size);
        add_text(&reply, "");
        add_text(&reply, CLIENT);
        add(&reply, service.data, service.size);
        add_rest(&reply, in, 6);
        send_message(socket_of_broker, &reply);
        worker->busy = 0;
        remove_worker(worker); /* to the end of the line */
        add_worker(address, &service, now_ms() + SILENCE_MS);
    } else if (is_text(in, 3, HEARTBEAT) && worker) {
        worker->expires = now_ms() + SILENCE_MS;
    } else { /* DISCONNECT, and what is not expected */
        if (worker) remove_worker(worker);
        if (!is_text(in, 3, DISCONNECT)) send_to_worker(address, DISCONNECT, NULL);
    }
}

static void look_at_the_clock(int64_t* next_heartbeat)
{
    const int64_t now = now_ms();
    for (int i = worker_count - 1; i >= 0; --i) {
        if (workers[i].expires <= now) remove_worker(&workers[i]);
    }
    for (int i = request_count - 1; i >= 0; --i) {
        if (requests[i].expires <= now) drop_request(i);
    }
    if (now < *next_heartbeat) return;
    for (int i = 0; i < worker_count; ++i) send_to_worker(&workers[i].address, HEARTBEAT, NULL);
    *next_heartbeat = now + HEARTBEAT_MS;
}

static void broker(void* context, const char* endpoint)
{
    struct message in;
    int64_t next_heartbeat = 0;
    socket_of_broker = bound(context, ZMQ_ROUTER, endpoint);
    for (;;) {
        look_at_the_clock(&next_heartbeat);
        dispatch();
        if (!has_message(socket_of_broker, next_heartbeat - now_ms())) continue;
        if (receive_message(socket_of_broker, &in) != 0) stop("broker");
        if (in.count > 4 && is_text(&in, 2, CLIENT))
            on_client(&in);
        else if (in.count > 3 && is_text(&in, 2, WORKER))
            on_worker(&in);
    }
}

/* --- worker ---------------------------------------------------------------------------------------------------- */

static void send_to_broker(void* socket, const char* command, const struct message* rest)
{
    struct message message = {0};
    add_text(&message, "");
    add_text(&message, WORKER);
    add_text(&message, command);
    if (rest) add_rest(&message, rest, 0);
    send_message(socket, &message);
}

/* Serves until the broker is silent, or sends DISCONNECT. */
static void serve(void* socket, const char* name)
{
    int64_t broker_expires = now_ms() + SILENCE_MS, next_heartbeat = now_ms() + HEARTBEAT_MS;
    while (now_ms() < broker_expires) {
        struct message in;
        if (has_message(socket, next_heartbeat - now_ms()) && receive_message(socket, &in) == 0) {
            broker_expires = now_ms() + SILENCE_MS;
            if (is_text(&in, 2, DISCONNECT)) return;
            if (is_text(&in, 2, REQUEST) && in.count > 5) { /* client, empty frame, body */
                struct message reply = {0};
                char text[2 * LONGEST_FRAME];
                snprintf(text, sizeof text, "%s did %s", name, in.frames[5].data);
                add(&reply, in.frames[3].data, in.frames[3].size);
                add_text(&reply, "");
                add_text(&reply, text);
                send_to_broker(socket, REPLY, &reply);
            }
        }
        if (now_ms() >= next_heartbeat) {
            send_to_broker(socket, HEARTBEAT, NULL);
            next_heartbeat = now_ms() + HEARTBEAT_MS;
        }
    }
}

static void worker(void* context, const char* endpoint, const char* service, const char* name)
{
    for (;;) { /* the protocol wants a new socket for each registration */
        void* socket = connected(context, ZMQ_DEALER, endpoint);
        struct message registration = {0};
        add_text(&registration, service);
        send_to_broker(socket, READY, &registration);
        serve(socket, name);
        printf("registering again\n");
        zmq_close(socket);
    }
}

/* --- client ---------------------------------------------------------------------------------------------------- */

static int client(void* context, const char* endpoint, const char* service, char** texts)
{
    void* socket = connected(context, ZMQ_REQ, endpoint);
    set_option(socket, ZMQ_RCVTIMEO, PATIENCE_MS);
    for (; *texts; ++texts) {
        struct message request = {0}, reply;
        add_text(&request, CLIENT);
        add_text(&request, service);
        add_text(&request, *texts);
        send_message(socket, &request);
        if (receive_message(socket, &reply) != 0) break;
        if (reply.count > 2) printf("%s\n", reply.frames[2].data);
    }
    zmq_close(socket);
    if (*texts) printf("no answer to %s\n", *texts);
    return *texts != NULL;
}

int main(int argc, char** argv)
{
    if (argc < 3 || (argc < 5 && strcmp(argv[1], "broker") != 0)) {
        return fprintf(stderr, "usage: %s broker|worker|client ENDPOINT [SERVICE NAME|TEXT..]\n", argv[0]), 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    void* context = zmq_ctx_new();
    if (strcmp(argv[1], "broker") == 0) broker(context, argv[2]);
    if (strcmp(argv[1], "worker") == 0) worker(context, argv[2], argv[3], argv[4]);
    const int status = client(context, argv[2], argv[3], argv + 4);
    zmq_ctx_term(context);
    return status;
}
