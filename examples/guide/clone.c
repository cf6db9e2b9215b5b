/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* Clone: a table of keys and values that a server keeps and its clients have copies of (RFC 12/CHP).
 *
 *     clone server SNAPSHOT PUBLISHER COLLECTOR
 *     clone watch SNAPSHOT PUBLISHER [SUBTREE]      prints the table, then each change
 *     clone set COLLECTOR KEY=VALUE..               an empty value deletes the key
 *
 * The three arguments in capitals are endpoints of the server. A client asks for a snapshot, and then applies the
 * changes that are newer. A change is a message of five frames: key, number, UUID, properties, value. Of the protocol,
 * UUIDs and properties (a time to live) are left out. */
#include "guide.h"

enum { HUGZ_MS = 1000, MOST = 100, KEY = 0, NUMBER = 1, VALUE = 4, FRAMES = 5 };

struct entry {
    struct frame key, value;
    uint64_t number; /* of the change that made it */
};

static struct entry table[MOST];
static int entries;

static void apply(const struct frame* key, const struct frame* value, uint64_t number)
{
    struct entry* entry = table;
    while (entry < table + entries && !same(&entry->key, key)) ++entry;
    const int found = entry < table + entries;
    if (value->size == 0) {
        if (found) *entry = table[--entries];
    } else if (found || entries < MOST) {
        *entry = (struct entry){*key, *value, number};
        if (!found) ++entries;
    }
}

/* 8 bytes, the highest first. */
static void add_number(struct message* to, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = (unsigned char)(number >> (56 - 8 * i));
    add(to, bytes, sizeof bytes);
}

static uint64_t number_of(const struct frame* frame)
{
    uint64_t number = 0;
    for (size_t i = 0; i < frame->size; ++i) number = number << 8 | (unsigned char)frame->data[i];
    return number;
}

static void add_change(struct message* to, const struct frame* key, uint64_t number, const struct frame* value)
{
    add(to, key->data, key->size);
    add_number(to, number);
    add_text(to, "");
    add_text(to, "");
    add(to, value->data, value->size);
}

static struct frame text_frame(const char* text)
{
    struct message message = {0};
    add_text(&message, text);
    return message.frames[0];
}

/* --- server ---------------------------------------------------------------------------------------------------- */

static const struct frame* subtree_of(const struct message* request)
{
    return &request->frames[2];
}

static void send_snapshot(void* socket, const struct message* request)
{
    const struct frame* subtree = subtree_of(request);
    const struct frame end = text_frame("KTHXBAI");
    uint64_t newest = 0;
    for (const struct entry* entry = table; entry < table + entries; ++entry) {
        if (strncmp(entry->key.data, subtree->data, subtree->size) != 0) continue;
        struct message message = {0};
        add(&message, request->frames[0].data, request->frames[0].size);
        add_change(&message, &entry->key, entry->number, &entry->value);
        send_message(socket, &message);
        if (entry->number > newest) newest = entry->number;
    }
    struct message message = {0};
    add(&message, request->frames[0].data, request->frames[0].size);
    add_change(&message, &end, newest, subtree);
    send_message(socket, &message);
}

static void send_hugz(void* publisher)
{
    const struct frame hugz = text_frame("HUGZ"), none = text_frame("");
    struct message message = {0};
    add_change(&message, &hugz, 0, &none);
    send_message(publisher, &message);
}

/* The publisher is an XPUB, which hears of subscriptions. After each it sends a HUGZ, so that the subscriber knows. */
static void server(void* context, char** endpoints)
{
    void* snapshot = bound(context, ZMQ_ROUTER, endpoints[0]);
    void* publisher = bound(context, ZMQ_XPUB, endpoints[1]);
    void* collector = bound(context, ZMQ_SUB, endpoints[2]);
    uint64_t number = 0;
    struct message in;
    set_option(publisher, ZMQ_XPUB_VERBOSE, 1);
    zmq_setsockopt(collector, ZMQ_SUBSCRIBE, "", 0);
    zmq_pollitem_t items[] = {
        {snapshot, 0, ZMQ_POLLIN, 0}, {publisher, 0, ZMQ_POLLIN, 0}, {collector, 0, ZMQ_POLLIN, 0}};
    for (;;) {
        const int ready = zmq_poll(items, 3, HUGZ_MS);
        if (ready < 0) stop("zmq_poll");
        if (ready == 0) send_hugz(publisher);
        if (items[0].revents && receive_message(snapshot, &in) == 0) { /* client, "ICANHAZ?", subtree */
            if (in.count == 3 && is_text(&in, 1, "ICANHAZ?")) send_snapshot(snapshot, &in);
        }
        if (items[1].revents && receive_message(publisher, &in) == 0) send_hugz(publisher);
        if (items[2].revents && receive_message(collector, &in) == 0 && in.count == FRAMES) {
            struct message change = {0};
            apply(&in.frames[KEY], &in.frames[VALUE], ++number);
            add_change(&change, &in.frames[KEY], number, &in.frames[VALUE]);
            send_message(publisher, &change);
        }
    }
}

/* --- clients --------------------------------------------------------------------------------------------------- */

static void print(const struct message* change)
{
    printf("%s=%s\n", change->frames[KEY].data, change->frames[VALUE].data);
}

static void watch(void* context, const char* snapshot_at, const char* publisher_at, const char* subtree)
{
    struct message in, request = {0};
    uint64_t newest = 0;
    void* subscriber = connected(context, ZMQ_SUB, publisher_at);
    zmq_setsockopt(subscriber, ZMQ_SUBSCRIBE, subtree, strlen(subtree));
    zmq_setsockopt(subscriber, ZMQ_SUBSCRIBE, "HUGZ", 4);
    do { /* from the first HUGZ on, no change is missed */
        if (receive_message(subscriber, &in) != 0) stop("watch");
    } while (!is_text(&in, KEY, "HUGZ"));

    void* snapshot = connected(context, ZMQ_DEALER, snapshot_at);
    add_text(&request, "ICANHAZ?");
    add_text(&request, subtree);
    send_message(snapshot, &request);
    for (;;) {
        if (receive_message(snapshot, &in) != 0 || in.count != FRAMES) stop("snapshot");
        if (is_text(&in, KEY, "KTHXBAI")) break;
        apply(&in.frames[KEY], &in.frames[VALUE], number_of(&in.frames[NUMBER]));
        print(&in);
    }
    newest = number_of(&in.frames[NUMBER]);
    zmq_close(snapshot);
    printf("%d keys\n", entries);

    while (receive_message(subscriber, &in) == 0) {
        if (in.count != FRAMES || is_text(&in, KEY, "HUGZ") || number_of(&in.frames[NUMBER]) <= newest) continue;
        newest = number_of(&in.frames[NUMBER]);
        apply(&in.frames[KEY], &in.frames[VALUE], newest);
        print(&in);
    }
}

/* An XPUB, which hears of the server's subscription: what a PUB sends before that is lost. */
static int set(void* context, const char* collector_at, char** changes)
{
    struct message subscription;
    void* publisher = connected(context, ZMQ_XPUB, collector_at);
    set_option(publisher, ZMQ_RCVTIMEO, 5000);
    set_option(publisher, ZMQ_LINGER, 5000);
    if (receive_message(publisher, &subscription) != 0) stop(collector_at);
    for (; *changes; ++changes) {
        struct message message = {0};
        char* equals = strchr(*changes, '=');
        if (!equals) return fprintf(stderr, "not KEY=VALUE: %s\n", *changes), 2;
        *equals = '\0';
        const struct frame key = text_frame(*changes), value = text_frame(equals + 1);
        add_change(&message, &key, 0, &value);
        send_message(publisher, &message);
    }
    zmq_close(publisher);
    return 0;
}

int main(int argc, char** argv)
{
    const char* role = argc > 3 ? argv[1] : "";
    int status = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    void* context = zmq_ctx_new();
    if (strcmp(role, "server") == 0 && argc == 5)
        server(context, argv + 2);
    else if (strcmp(role, "watch") == 0)
        watch(context, argv[2], argv[3], argc > 4 ? argv[4] : "");
    else if (strcmp(role, "set") == 0)
        status = set(context, argv[2], argv + 3);
    else
        status = (fprintf(stderr, "usage: %s server|watch|set ENDPOINT.. [SUBTREE|KEY=VALUE..]\n", argv[0]), 2);
    zmq_ctx_term(context);
    return status;
}
