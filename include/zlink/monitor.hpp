// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file monitor.hpp
 * The events of a socket's connections.
 */
#pragma once

#include <zlink/core.hpp>
#include <zlink/error.hpp>
#include <zlink/io_group.hpp>
#include <zlink/multipart.hpp>
#include <zlink/socket.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>

namespace zlink {
inline namespace v1 {

/// The kinds of events: ZMQ_EVENT_* of zmq.h, whose values they have. zmq_socket_monitor(3) describes them.
enum class event_kind : std::uint64_t {
    connected = 0x0001,
    connect_delayed = 0x0002,
    connect_retried = 0x0004,
    listening = 0x0008,
    bind_failed = 0x0010,
    accepted = 0x0020,
    accept_failed = 0x0040,
    closed = 0x0080,
    close_failed = 0x0100,
    disconnected = 0x0200,
    monitor_stopped = 0x0400,
    handshake_failed_no_detail = 0x0800,
    handshake_succeeded = 0x1000,
    handshake_failed_protocol = 0x2000,
    handshake_failed_auth = 0x4000,
    all = 0xffff
};

[[nodiscard]] constexpr event_kind operator|(event_kind a, event_kind b) noexcept
{
    return event_kind(std::uint64_t(a) | std::uint64_t(b));
}

/// An event of a socket's connections: zlink_socket_monitor() of zlink.h tells more of the members.
struct event {
    event_kind kind{};
    std::uint64_t value = 0;
    std::string endpoint;    ///< as the program wrote it
    std::string address;     ///< of the other end
    std::string routing_id;  ///< that the peer has announced
    std::string user_id;     ///< that authentication gave it
    std::string reason;      ///< in words, of a failure
};

namespace core {

/// False: that is no event.
[[nodiscard]] inline bool read_event(const multipart& from, event& to)
{
    constexpr std::size_t parts = 7;
    if (from.size() != parts || from[0].size() != sizeof(std::uint64_t) || from[1].size() != sizeof(std::uint64_t))
        return false;
    std::uint64_t kind = 0;
    std::memcpy(&kind, from[0].data(), sizeof kind);
    std::memcpy(&to.value, from[1].data(), sizeof to.value);
    to.kind = event_kind(kind);
    std::string* const texts[] = {&to.endpoint, &to.address, &to.routing_id, &to.user_id, &to.reason};
    for (std::size_t i = 2; i < parts; ++i) *texts[i - 2] = from[i].view();
    return true;
}

/// Begins the monitor of the socket and connects `to`, which is a PAIR of the same group, to it.
[[nodiscard]] inline int begin_monitor(void* watched, event_kind events, void* to)
{
    // The number of a socket does not come again. Its address may, while the name is bound still.
    std::uint64_t number = 0;
    int error = socket_statistics(
        to, [](void* n, const statistics_view& of) { *static_cast<std::uint64_t*>(n) = of.number; }, &number);
    if (error != 0) return error;
    const std::string endpoint = "inproc://zlink.monitor." + std::to_string(number);
    error = socket_monitor_start(watched, endpoint, std::uint64_t(events));
    return error != 0 ? error : socket_endpoint(to, endpoint_call::connect, endpoint);
}

}  // namespace core

/// The events of one socket from now on. A socket has one monitor at a time. If nobody receives, events are lost once
/// 2,000 wait. One thread at a time uses it; it may be another one than the socket's, but begins on the socket's.
class monitor {
public:
    explicit monitor(socket& watched, event_kind events = event_kind::all)
    {
        int error = 0;
        pair_ = core::socket_handle(watched.group(), socket_type::pair, error);
        core::throw_if(error);
        core::throw_if(core::begin_monitor(watched.native_handle(), events, pair_.get()));
    }

    /// Waits for the next event. Fails as a receive does.
    void receive(event& to) { core::throw_if(take(to, 0)); }
    /// False: there is none.
    [[nodiscard]] bool try_receive(event& to)
    {
        const int error = take(to, core::flag_dont_wait);
        if (error != EAGAIN) core::throw_if(error);
        return error == 0;
    }
    /// Of the socket that the events come by, for a poller.
    [[nodiscard]] void* native_handle() const noexcept { return pair_.get(); }

private:
    [[nodiscard]] int take(event& to, int flags)
    {
        const int error = core::receive_all_parts(pair_.get(), parts_, flags);
        if (error != 0) return error;
        return core::read_event(parts_, to) ? 0 : EPROTO;
    }

    core::socket_handle pair_;
    multipart parts_;
};

}  // namespace v1
}  // namespace zlink
