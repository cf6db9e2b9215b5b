/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

// To be preloaded: a zmq_recv that delivers messages wrongly from the thousandth on (FAULT_AFTER is another number), as
// FAULT says. With FAULT_DONTWAIT set only calls that do not wait are counted and go wrong.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef int (*receive_function)(void* socket, void* octets, size_t capacity, int flags);

static char kept[65536];
static int kept_size = -1;

int zmq_recv(void* socket, void* octets, size_t capacity, int flags)
{
    static receive_function receive;
    static const char* fault;
    static int flags_needed;
    static int first = 1000;
    static int count;
    if (!receive) {
        receive = (receive_function)dlsym(RTLD_NEXT, "zmq_recv");
        fault = getenv("FAULT");
        if (getenv("FAULT_AFTER")) first = atoi(getenv("FAULT_AFTER"));
        flags_needed = getenv("FAULT_DONTWAIT") ? 1 : 0;
    }
    if ((flags & flags_needed) != flags_needed) return receive(socket, octets, capacity, flags);
    if (kept_size >= 0) {
        const int size = kept_size;
        memcpy(octets, kept, (size_t)size < capacity ? (size_t)size : capacity);
        kept_size = -1;
        return size;
    }
    const int size = receive(socket, octets, capacity, flags);
    if (size <= 8 || ++count < first || (size_t)size > sizeof kept) return size;
    if (strcmp(fault, "change") == 0) {
        ((char*)octets)[size / 2] ^= 1;
    } else if (strcmp(fault, "cut") == 0) {
        return size - 1;
    } else if (count == first && strcmp(fault, "repeat") == 0) {
        memcpy(kept, octets, (size_t)size);
        kept_size = size;
    } else if (count == first && strcmp(fault, "swap") == 0) {
        memcpy(kept, octets, (size_t)size);
        const int next = receive(socket, octets, capacity, flags);
        if (next >= 0) {
            kept_size = size;
            return next;
        }
        memcpy(octets, kept, (size_t)size);  // none to swap it with yet
        --count;
    } else if (count == first && strcmp(fault, "lose") == 0) {
        return receive(socket, octets, capacity, flags);
    }
    return size;
}

// The same for messages, which it can lose or change. Their content is where zmq_msg_data says.
int zmq_msg_recv(void* message, void* socket, int flags)
{
    static int (*receive)(void*, void*, int);
    static void* (*data)(void*);
    static int count;
    if (!receive) {
        receive = (int (*)(void*, void*, int))dlsym(RTLD_NEXT, "zmq_msg_recv");
        data = (void* (*)(void*))dlsym(RTLD_DEFAULT, "zmq_msg_data");
    }
    const char* fault = getenv("FAULT");
    const int size = receive(message, socket, flags);
    if (size <= 8 || ++count < 1000) return size;
    if (strcmp(fault, "change") == 0) {
        ((char*)data(message))[size / 2] ^= 1;
    } else if (count == 1000 && strcmp(fault, "lose") == 0) {
        return receive(message, socket, flags);
    }
    return size;
}
