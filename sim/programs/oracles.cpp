// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/programs/oracles.hpp"

#include "sim/kernel.hpp"

#include <zlink.h>
#include <zmq.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace zlink::sim {

namespace {

// What the library has of a connection besides the queues: read ahead, or gathered to be written.
constexpr std::size_t library_has = 256 * 1024, messages_in_hand = 4;

}  // namespace

// --- events ---------------------------------------------------------------------------------------------------------

event_watch::event_watch(const context_handle& in, const socket_handle& of, const std::string& name, bool ends_itself)
    : name_(name),
      ends_itself_(ends_itself),
      events_(in, ZMQ_PAIR)
{
    const std::string where = "inproc://events of " + name;
    events_.set(ZMQ_LINGER, 0);
    events_.set(ZMQ_RCVHWM, 0);
    must([&] { return zmq_socket_monitor(of.get(), where.c_str(), ZMQ_EVENT_ALL); }, "zmq_socket_monitor");
    must([&] { return zmq_connect(events_.get(), where.c_str()); }, "zmq_connect");
}

void event_watch::look()
{
    while (true) {
        char head[6], where[300];
        const int size = zmq_recv(events_.get(), head, sizeof head, ZMQ_DONTWAIT);
        if (size < 0 && zmq_errno() == EINTR) continue;
        if (size < 0) return;
        require(size == int(sizeof head), "an event of a monitor has no head");
        while (zmq_recv(events_.get(), where, sizeof where, 0) < 0)
            require(zmq_errno() == EINTR, "an event is cut off");
        std::uint16_t event = 0;
        std::uint32_t value = 0;
        std::memcpy(&event, head, sizeof event);
        std::memcpy(&value, head + sizeof event, sizeof value);
        take(event, int(value));
    }
}

void event_watch::take(unsigned event, int value)
{
    const auto check = [&](bool holds, const char* what) {
        require(holds, "monitor of " + name_ + ": " + what + " (event " + std::to_string(event) + ", value " +
                           std::to_string(value) + ")");
    };
    world::get().trace("event", event);
    check(!stopped_, "an event comes behind the last one");
    switch (event) {
    case ZMQ_EVENT_CONNECTED:
    case ZMQ_EVENT_ACCEPTED:
        check(open_.insert(value).second || ends_itself_, "a connection begins that has not ended");
        ++begun_;
        break;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: check(++shaken_ <= begun_, "a handshake ends without a connection"); break;
    case ZMQ_EVENT_DISCONNECTED:
        check(open_.erase(value) == 1, "a connection ends that had not begun");
        check(++ended_ <= begun_, "more connections end than have begun");
        break;
    case ZMQ_EVENT_MONITOR_STOPPED: stopped_ = true; break;
    default: break;
    }
}

void event_watch::finish()
{
    ends_itself_ = true;  // connections whose messages are written
    const nanos until = world::get().now() + 300 * second;
    while (look(), !stopped_) {
        require(world::get().now() < until, "monitor of " + name_ + ": its end is not told");
        rest(millisecond);
    }
    events_.close();
}

// --- the balance ----------------------------------------------------------------------------------------------------

void require_balance(const context_handle& of)
{
    const nanos until = world::get().now() + 5 * second;
    while (true) {
        std::vector<zlink_stats_t> all(64);
        all[0].size = sizeof all[0];
        std::size_t count = all.size();
        must([&] { return zlink_context_stats(of.get(), all.data(), &count); }, "zlink_context_stats");
        all.resize(std::min(count, all.size()));
        std::uint64_t sent = 0, found = 0, full = 0;
        for (const zlink_stats_t& s : all) {
            sent += s.messages.messages_sent;
            found += s.messages.messages_received + s.messages.dropped_replaced;
            full += s.messages.dropped_full;
            require(s.disconnects == 0 && s.dropped_unsent == 0 && s.dropped_unread == 0,
                    "statistics tell of a connection that broke, and none did");
        }
        if (found <= sent && sent - found <= full) return;
        require(world::get().now() < until, std::to_string(sent) + " messages were sent, " + std::to_string(found) +
                                                " received, and " + std::to_string(full) + " dropped at marks");
        rest(10 * millisecond);
    }
}

// --- marks ----------------------------------------------------------------------------------------------------------

void mark_watch::sent(std::size_t octets)
{
    under_way_.insert(octets);
    if (most_ == 0) return;
    const std::size_t allowed = most_ + queues_ * messages_in_hand;
    if (under_way_.size() <= allowed) return;
    std::size_t beyond = under_way_.size() - allowed;
    require(kernel_between_, std::to_string(under_way_.size()) + " messages wait in queues that take " +
                                 std::to_string(most_) + " by their marks");
    // The smallest ones may be with the kernel.
    std::size_t octets_beyond = kernel::get().octets_of_streams() + queues_ * library_has;
    for (auto at = under_way_.begin(); beyond > 0; ++at, --beyond) {
        require(*at <= octets_beyond, std::to_string(under_way_.size()) + " messages wait in queues that take " +
                                          std::to_string(most_) + " by their marks, and the kernel has " +
                                          std::to_string(kernel::get().octets_of_streams()) + " octets");
        octets_beyond -= *at;
    }
}

void mark_watch::received(std::size_t octets)
{
    const auto at = under_way_.find(octets);
    if (at != under_way_.end()) under_way_.erase(at);
}

}  // namespace zlink::sim
