// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The monitor's last event comes when a closed socket's last connection is gone, so nothing else has to be asked. The
// sockets linger without limit meanwhile: a limit of their own would drop messages at a moment that nobody could tell.
#include "cli/farewell.hpp"

#include "support/status_line.hpp"
#include "support/stop_signal.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds silence{1000};  // before a word about the wait

void close_all(std::span<const leaving_socket> sockets, std::optional<milliseconds> limit, farewell& result)
{
    for (const auto& each : sockets) {
        if (const auto queued = each.watch->queues()) {
            result.queued += each.sends ? queued->out : 0;
            result.unread += queued->in;
        }
        // Where the monitor can't tell the end, the library has to keep the limit.
        const int own_limit = !each.watch->ends_when_sent() && limit ? static_cast<int>(limit->count()) : -1;
        each.peer->set(ZMQ_LINGER, each.sends ? own_limit : 0);
        each.peer->close();
    }
}

bool all_ended(std::span<const leaving_socket> sockets)
{
    for (const auto& each : sockets) {
        each.watch->read();
    }
    return std::ranges::all_of(sockets, [](const leaving_socket& each) { return each.watch->ended(); });
}

}  // namespace

farewell say_farewell(std::span<const leaving_socket> sockets, std::optional<milliseconds> limit, bool quiet)
{
    farewell result;
    close_all(sockets, limit, result);
    const auto start = clock::now();
    const bool stopped_before = stop_signal::requested();
    bool told = quiet || stopped_before;
    std::vector<zmq_pollitem_t> items;
    for (const auto& each : sockets) {
        items.push_back({each.watch->handle(), 0, ZMQ_POLLIN, 0});
    }
    if (!stopped_before) {
        items.push_back({nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0});
    }
    while (!all_ended(sockets)) {
        if (std::ranges::all_of(sockets,
                                [](const auto& each) { return each.watch->ended() || each.watch->hopeless(); })) {
            result.how = farewell::end::given_up;
            break;
        }
        const auto waited = clock::now() - start;
        if (limit && waited >= *limit) {
            result.how = farewell::end::too_late;
            break;
        }
        if (!stopped_before && stop_signal::requested()) {
            result.how = farewell::end::stopped;
            break;
        }
        if (!told && waited >= silence) {
            told = true;
            say("waiting for a peer to take the unsent messages; Ctrl-C drops them, --linger limits the wait\n");
        }
        auto until = limit ? std::chrono::ceil<milliseconds>(*limit - waited) : milliseconds(3'600'000);
        if (!told) {
            until = std::min(until, std::chrono::ceil<milliseconds>(silence - waited));
        }
        zmq_poll(items.data(), static_cast<int>(items.size()), std::max<long>(until.count(), 1));
    }
    return result;
}

void leave(int status)
{
    std::fflush(nullptr);
    _exit(status);
}

}  // namespace zlink::tool
