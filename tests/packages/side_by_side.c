/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* side_by_side PREFIXED PLAIN FOLDER: both libraries in this process, each told by the end of its file's name, talk to
 * each other over tcp and over ipc (a path in FOLDER), in both directions. */
#include "side_by_side.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHECK(what)                                                                                                    \
    if (!(what)) {                                                                                                     \
        fprintf(stderr, "%s, line %d: %s: %s\n", endpoint, __LINE__, #what, strerror(errno));                          \
        return 1;                                                                                                      \
    }

static int talk(const struct side* server, const struct side* client, const char* endpoint)
{
    char bound[300];
    void* of_server = server->start();
    void* of_client = client->start();
    void* serving = server->serve(of_server, endpoint, bound, sizeof bound);
    void* asking;
    CHECK(of_server != NULL && of_client != NULL && serving != NULL);
    asking = client->ask(of_client, bound);
    CHECK(asking != NULL);
    CHECK(server->answer(serving));
    CHECK(client->was_answered(asking));
    CHECK(server->close(serving) == 0 && client->close(asking) == 0);
    CHECK(server->end(of_server) == 0 && client->end(of_client) == 0);
    return 0;
}

static int is_in(const struct side* side, const char* wanted)
{
    const char* file = side->version();
    if (strstr(file, wanted) != NULL) return 1;
    fprintf(stderr, "functions are those of %s, not of %s\n", file, wanted);
    return 0;
}

int main(int argc, char** argv)
{
    char path[300], other[300];
    if (argc != 4 || !is_in(&prefixed_side, argv[1]) || !is_in(&plain_side, argv[2])) return 2;
    if (!prefixed_side.fails() || !plain_side.fails()) return fputs("a failure has no error code\n", stderr), 1;
    snprintf(path, sizeof path, "ipc://%s/one.ipc", argv[3]);
    snprintf(other, sizeof other, "ipc://%s/other.ipc", argv[3]);
    return talk(&prefixed_side, &plain_side, "tcp://127.0.0.1:*") ||
           talk(&plain_side, &prefixed_side, "tcp://127.0.0.1:*") || talk(&prefixed_side, &plain_side, path) ||
           talk(&plain_side, &prefixed_side, other);
}
