// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// From the stream into the inbound lane, by the worker: reads for as long as the stream has something and no other
// connection waits.
//
//   open       input is asked for
//   lane_full  until the application takes messages (event_credit)
//   throttled  for a moment: the application has enough large messages (load/read_throttle.hpp)
//   detached   for good: the socket does not read this peer any more; only its end is asked for; the token stays here
//
// Threads: the worker's. The reader belongs to the holder of the pipe's read token. An application that holds it reads
// itself (inline_path), and changes the interest in input before and after that.
#pragma once

#include "engine/connection/connection_heartbeat.hpp"
#include "engine/connection/connection_reader.hpp"
#include "engine/connection/traffic_context.hpp"
#include "load/read_throttle.hpp"
#include "runtime/deadline_timer.hpp"
#include "wire/inbound.hpp"
#include "zmtp/mechanism/sealing.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace zlink::engine {

class receive_path {
public:
    enum class state : std::uint8_t { open, lane_full, throttled, detached };

    enum class outcome : std::uint8_t {
        goes_on,
        closed,  ///< the peer has ended the stream
        failed,  ///< reader().error() says why
    };

    /// `opens`: the opener that the handshake's mechanism has left. May throw std::bad_alloc.
    receive_path(traffic_context& at, path_owner& owner, std::unique_ptr<zmtp::opener> opens);

    [[nodiscard]] connection_reader& reader() noexcept { return reader_; }
    [[nodiscard]] state now() const noexcept { return state_; }

    /// Reads the available input, unless an application holds the token, or has parked it.
    [[nodiscard]] outcome read(wire::command_handler& commands, connection_heartbeat& heartbeat) noexcept;
    /// Reading goes on when the application has taken messages (event_credit).
    [[nodiscard]] bool waits_for_credit() const noexcept
    {
        return state_ == state::lane_full || state_ == state::detached;
    }
    /// The pipe will not be read any more: once the lane is full, only the peer's end is looked for.
    void note_rejected() noexcept;
    void stop() noexcept { pause_timer_.cancel(); }

    /// The high-water mark of the inbound lane has changed.
    void note_changed_mark() noexcept { mark_changed_ = true; }
    /// Takes the mark up, if this path holds the token or gets it: read() follows. False: not now; a holder that sleeps
    /// is woken.
    [[nodiscard]] bool take_up_mark() noexcept;
    /// The same, for the thread that holds the read token, or before the token is offered.
    void take_up_mark_now() noexcept;

private:
    enum class step : std::uint8_t { again, pause, drained, left, closed, failed };
    [[nodiscard]] step read_once(wire::command_handler& commands, connection_heartbeat& heartbeat) noexcept;
    [[nodiscard]] bool detaches() noexcept;
    [[nodiscard]] bool pauses() noexcept;
    void ask_for_input(bool drained) noexcept;

    traffic_context& at_;
    path_owner& owner_;
    connection_reader reader_;
    load::read_throttle throttle_;
    runtime::deadline_timer pause_timer_;
    state state_ = state::open;
    bool rejected_ = false;         ///< the pipe will not be read any more
    bool mark_changed_ = false;     ///< for the holder of the read token to take up
    unsigned undrained_turns_ = 0;  ///< turns in a row that left something in the kernel
};

}  // namespace zlink::engine
