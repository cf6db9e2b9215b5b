// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The settings of a socket that a session and its connections need; copied when an endpoint is opened.
#pragma once

#include "engine/connection_options.hpp"
#include "pipe/pipe.hpp"
#include "shm/budget.hpp"
#include "transport/data_path_settings.hpp"
#include "transport/endpoint.hpp"
#include "transport/stream_options.hpp"
#include "zmtp/security.hpp"
#include "zmtp/socket_types.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace zlink::engine {

struct session_options {
    connection_options connection;
    transport::stream_options stream;
    transport::data_path_settings data_path;
    std::shared_ptr<const zmtp::security_settings> security;  ///< null: the defaults
    std::shared_ptr<shm::budget> shared_bodies;               ///< null: bodies go through streams alone
    shm::incoming_bodies incoming_bodies = shm::incoming_bodies::copied;
    bool inline_io = true;
    zmtp::socket_type type = zmtp::socket_type::pair;
    bool raw = false;  ///< STREAM and ROUTER_RAW: no ZMTP at all
    bool conflate = false;
    std::string routing_id;  ///< of this socket
    std::uint64_t sndhwm = 1000;
    std::uint64_t rcvhwm = 1000;
    std::uint64_t sndhwm_bytes = 0;  ///< 0: none
    std::uint64_t rcvhwm_bytes = 0;
    pipe::drop_rule drops_sent{};  ///< of the pipe itself
    pipe::drop_rule drops_received{};
    std::shared_ptr<pipe::queue_cap> cap;  ///< of the context; null: none
    std::uint64_t endpoint_id = 0;         ///< the socket's number for this bind or connect
    std::string endpoint;                  ///< as the program wrote it; for monitors

    /// Nobody but the I/O thread reads and writes the connection.
    [[nodiscard]] bool has_relays() const noexcept { return conflate || drops_sent.drops() || drops_received.drops(); }
    /// Of a pipe from the socket, which has the first end, to a connection.
    [[nodiscard]] pipe::pipe::limits limits_of_pipe() const noexcept
    {
        return {sndhwm,         rcvhwm, data_path.writev_threshold, conflate, sndhwm_bytes, rcvhwm_bytes, drops_sent,
                drops_received, cap};
    }
};

}  // namespace zlink::engine
