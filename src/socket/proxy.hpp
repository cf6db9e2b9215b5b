// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Passes messages between two sockets for ever: zmq_proxy and zmq_proxy_steerable.
#pragma once

#include "base/errc.hpp"
#include "message/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::socket {

class socket;

/// One run of a proxy, on the calling thread. All sockets belong to it until run() returns, except for shared ones: it
/// holds these for a message at a time. `capture` gets a copy of
/// every message; frames of `control` are commands: PAUSE, RESUME, TERMINATE, STATISTICS. Both may be null, and the two
/// sides may be one socket.
class proxy {
public:
    proxy(socket& front, socket& back, socket* capture, socket* control) noexcept
        : down_{front, back, capture},
          up_{back, front, capture},
          control_(control)
    {}

    /// errc::none after TERMINATE, else why it ended: terminated, interrupted, or the error of a socket. A cancellation
    /// point.
    [[nodiscard]] errc run();

private:
    struct traffic {
        std::uint64_t parts = 0;  ///< counts each part of a multipart message, as libzmq 4.3.5 does
        std::uint64_t bytes = 0;
    };

    /// One direction. While `to` is full, nothing is read from `from`.
    struct direction {
        socket& from;
        socket& to;
        socket* capture;
        bool blocked = false;
        traffic passed{};
        std::vector<message::owned_frame> parts{};  ///< of the message that is forwarded as a whole

        /// Moves the messages that are there, up to a limit that keeps the other direction alive.
        [[nodiscard]] errc forward();
        [[nodiscard]] errc forward_message();
        /// The same where a socket is shared.
        [[nodiscard]] errc forward_whole();
        [[nodiscard]] errc forward_whole_message();
        [[nodiscard]] errc receive_whole(std::size_t& count);
        [[nodiscard]] errc send_whole(std::size_t count);
        [[nodiscard]] errc copy_to_capture(std::size_t count);
        [[nodiscard]] errc let_go_before_wait();
    };

    enum class state { active, paused, ended };

    [[nodiscard]] errc execute_command();
    void send_statistics();

    direction down_;
    direction up_;
    socket* control_;
    state state_ = state::active;
};

}  // namespace zlink::socket
