// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_version() and zlink_version(): the API's version and zlink's own, as the headers of this build state them.
#include "zlink.h"
#include "zmq.h"

namespace {

void store(int* target, int value) noexcept
{
    if (target != nullptr) {
        *target = value;
    }
}

}  // namespace

void zmq_version(int* major, int* minor, int* patch)
{
    store(major, ZMQ_VERSION_MAJOR);
    store(minor, ZMQ_VERSION_MINOR);
    store(patch, ZMQ_VERSION_PATCH);
}

void zlink_version(int* major, int* minor, int* patch)
{
    store(major, ZLINK_VERSION_MAJOR);
    store(minor, ZLINK_VERSION_MINOR);
    store(patch, ZLINK_VERSION_PATCH);
}
