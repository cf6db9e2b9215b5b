/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/* One side of a conversation. prefixed_side.c is compiled with zlink/zmq.h, plain_side.c with the zmq.h of libzmq. */
#ifndef SIDE_BY_SIDE_H_INCLUDED
#define SIDE_BY_SIDE_H_INCLUDED

#include <stddef.h>

struct side {
    const char* (*version)(void); /* of the library: its file */
    void* (*start)(void);         /* a context */
    int (*end)(void* context);
    void* (*serve)(void* context, const char* endpoint, char* bound, size_t size); /* a REP */
    void* (*ask)(void* context, const char* endpoint);                             /* a REQ that has asked */
    int (*answer)(void* socket);
    int (*was_answered)(void* socket);
    int (*close)(void* socket);
    int (*fails)(void); /* an error code by its own errno and words */
};

extern const struct side prefixed_side;
extern const struct side plain_side;

#endif
