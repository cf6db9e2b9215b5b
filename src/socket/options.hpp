// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The options of one socket, which zmq_setsockopt stores and zmq_getsockopt reads, composed of the options of the
// layers.
//
// When a change takes effect:
// - at once: the options for which takes_effect_at_once() is true (high-water marks of both kinds, linger, timeouts, and
//   those that the pattern looks at for each message). The socket hands them on after set_option() succeeded.
// - from the next bind or connect: everything else. The socket copies `stream`, `connection` and `security` when it
//   opens an endpoint, so later changes leave open endpoints and their reconnects alone.
#pragma once

#include "base/errc.hpp"
#include "base/socket_types.hpp"
#include "engine/connection_options.hpp"
#include "engine/security_options.hpp"
#include "pattern/pattern_options.hpp"
#include "pipe/drop_rule.hpp"
#include "transport/stream_options.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace zlink::socket {

struct context_options;

/// A plain value owned by the socket's thread. Fields are named after their option, in lower case.
struct socket_options {
    socket_type type = socket_type::pair;  ///< decides which options are accepted

    transport::stream_options stream;
    engine::connection_options connection;
    engine::security_settings security;
    pattern::pattern_options pattern;

    // Every socket type
    int sndhwm = 1000;  ///< 0: no limit
    int rcvhwm = 1000;
    std::int64_t sndhwm_bytes = 0;  ///< 0: no limit
    std::int64_t rcvhwm_bytes = 0;
    int linger = -1;    ///< milliseconds; -1: for ever
    int sndtimeo = -1;  ///< milliseconds; -1: for ever
    int rcvtimeo = -1;
    std::uint64_t affinity = 0;  ///< bit n: I/O thread n may serve the connection; 0: all
    std::string routing_id;
    std::string name;                ///< for statistics
    std::string connect_routing_id;  ///< for the next connect only: the socket moves it out there
    bool conflate = false;
    int shm_borrow = -1;  ///< ZLINK_SHM_BORROW; -1: the process's knob
    pipe::when_full on_full_receive = pipe::when_full::block;
    bool shared = false;             ///< between threads; only the socket stores it
    bool loopback_fastpath = false;  ///< kept for reading back, without effect

    // Transports that are not built: kept for reading back
    int rate = 100;
    int recovery_ivl = 10000;
    int multicast_maxtpdu = 1500;

    // What its pipes drop by themselves; the other rules of sends are the pattern's. Octets of a raw peer are a stream,
    // and no messages.

    [[nodiscard]] pipe::when_full drops_sent() const noexcept
    {
        using enum pipe::when_full;
        return pattern.on_full == drop_oldest && !pattern.router_raw ? drop_oldest : block;
    }
    [[nodiscard]] pipe::when_full drops_received() const noexcept
    {
        return pattern.router_raw ? pipe::when_full::block : on_full_receive;
    }
};

/// The options a new socket of this type starts with in a context with these options.
[[nodiscard]] socket_options initial_options(socket_type type, const context_options& context);

/// Sets a stored option with libzmq's rules on size and range. errc::invalid_argument: the value is bad,
/// or the option is unknown, live, or not one of this socket type. The options are then unchanged. errc::out_of_memory
/// is the only other failure.
[[nodiscard]] errc set_option(socket_options& options, int option, const void* value, std::size_t size);

/// Reads a stored option, including the constants ZMQ_TYPE and ZMQ_THREAD_SAFE. `*size` is the room on entry, and
/// the length on return. Strings include their terminating zero. errc::invalid_argument: the room does not fit (numbers
/// want their exact size), or the option is live, or can only be set.
[[nodiscard]] errc get_option(const socket_options& options, int option, void* value, std::size_t* size);

/// Options that only the live socket can answer or carry out: ZMQ_SUBSCRIBE, ZMQ_UNSUBSCRIBE, ZMQ_EVENTS, ZMQ_FD,
/// ZMQ_RCVMORE, ZMQ_LAST_ENDPOINT, ZMQ_TOPICS_COUNT. set_option() and get_option() reject them.
[[nodiscard]] bool is_live_option(int option) noexcept;

/// Whether a socket with these options has this live option at all. Filters belong to SUB, and to PUB and XPUB in
/// manual mode; ZMQ_TOPICS_COUNT to the four types of publish-subscribe. Every socket has the rest.
[[nodiscard]] bool accepts_live_option(const socket_options& options, int option) noexcept;

/// Whether a successful set_option() must reach parts that already run. These are live pipes (marks), closing
/// (ZMQ_LINGER), waiting (ZMQ_SNDTIMEO, ZMQ_RCVTIMEO), and the pattern (options of single socket types).
[[nodiscard]] bool takes_effect_at_once(int option) noexcept;

}  // namespace zlink::socket
