// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file statistics.hpp
 * What sockets have done so far. Any thread may ask, also while another one uses the socket; or closes it, if it asks by
 * a native handle that was taken before.
 * docs/observing.md and zlink.h tell what the numbers mean.
 */
#pragma once

#include <zlink/core.hpp>
#include <zlink/error.hpp>
#include <zlink/io_group.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace zlink {
inline namespace v1 {

/// Of one socket: zlink_stats_t of zlink.h.
struct socket_statistics {
    std::uint64_t number = 0;
    std::chrono::milliseconds age{0};
    std::string name;
    int type = 0;
    message_counts messages;
    std::uint64_t dropped_no_peer = 0;
    std::uint64_t dropped_no_match = 0;
    std::uint64_t dropped_unroutable = 0;
    std::uint64_t dropped_unsent = 0;
    std::uint64_t dropped_unread = 0;
    std::uint64_t send_waits = 0;
    std::uint64_t connects = 0;
    std::uint64_t disconnects = 0;
    std::uint64_t reconnects = 0;
    std::uint64_t failed_connects = 0;
    std::uint64_t failed_handshakes = 0;
    std::uint64_t protocol_errors = 0;
    std::uint64_t refused = 0;
    std::uint64_t silences = 0;
    std::string last_error;
};

/// Of one peer: zlink_peer_stats_t of zlink.h.
struct peer_statistics {
    std::string endpoint;
    std::string address;
    std::string routing_id;
    std::string user_id;
    std::string mechanism;
    bool connected = false;
    message_counts messages;
    std::chrono::microseconds round_trip{0};
    std::string last_error;
};

namespace core {

inline v1::socket_statistics owned(const statistics_view& of)
{
    return {.number = of.number,
            .age = std::chrono::milliseconds(of.age_ms),
            .name = std::string(of.name),
            .type = of.type,
            .messages = of.messages,
            .dropped_no_peer = of.dropped_no_peer,
            .dropped_no_match = of.dropped_no_match,
            .dropped_unroutable = of.dropped_unroutable,
            .dropped_unsent = of.dropped_unsent,
            .dropped_unread = of.dropped_unread,
            .send_waits = of.send_waits,
            .connects = of.connects,
            .disconnects = of.disconnects,
            .reconnects = of.reconnects,
            .failed_connects = of.failed_connects,
            .failed_handshakes = of.failed_handshakes,
            .protocol_errors = of.protocol_errors,
            .refused = of.refused,
            .silences = of.silences,
            .last_error = std::string(of.last_error)};
}

inline v1::peer_statistics owned(const peer_view& of)
{
    return {.endpoint = std::string(of.endpoint),
            .address = std::string(of.address),
            .routing_id = std::string(of.routing_id),
            .user_id = std::string(of.user_id),
            .mechanism = std::string(of.mechanism),
            .connected = of.connected,
            .messages = of.messages,
            .round_trip = std::chrono::microseconds(of.round_trip_us),
            .last_error = std::string(of.last_error)};
}

/// What a call has shown, one after the other. No exception of this side goes through the library.
template <class Kept>
class collected {
public:
    template <class View>
    static void take(void* to, const View& one) noexcept
    {
        auto& self = *static_cast<collected*>(to);
        try {
            self.all_.push_back(owned(one));
        } catch (...) {
            self.failed_ = std::current_exception();
        }
    }
    /// `error`: the result of the call.
    [[nodiscard]] std::vector<Kept> result(int error)
    {
        throw_if(error);
        if (failed_) std::rethrow_exception(failed_);
        return std::move(all_);
    }

private:
    std::vector<Kept> all_;
    std::exception_ptr failed_;
};

}  // namespace core

/// Of all sockets of the group, in the order of their creation.
[[nodiscard]] inline std::vector<socket_statistics> statistics_of(const io_group& group)
{
    core::collected<socket_statistics> all;
    return all.result(core::context_statistics(group.native_handle(), all.take<core::statistics_view>, &all));
}

/// Of a socket, by its handle.
[[nodiscard]] inline socket_statistics statistics_of(void* native_handle)
{
    core::collected<socket_statistics> one;
    return one.result(core::socket_statistics(native_handle, one.take<core::statistics_view>, &one)).front();
}

/// Of the peers of a socket, in no particular order.
[[nodiscard]] inline std::vector<peer_statistics> peers_of(void* native_handle)
{
    core::collected<peer_statistics> all;
    return all.result(core::socket_peers(native_handle, all.take<core::peer_view>, &all));
}

}  // namespace v1
}  // namespace zlink
