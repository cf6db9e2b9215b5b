// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sleeping until a moment that is given in nanoseconds; zmq_poll() knows milliseconds.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>

namespace zlink::tool {

// A socket and what is awaited of it: ZMQ_POLLIN, ZMQ_POLLOUT.
struct awaited_socket {
    void* handle;
    short events;
};

// Until one of the events is there, the moment has come, or a stop is asked for.
void sleep_until(std::initializer_list<awaited_socket> sockets,
                 std::optional<std::chrono::steady_clock::time_point> moment);

}  // namespace zlink::tool
