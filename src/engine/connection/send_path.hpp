// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// From the outbound lane to the stream, by the worker: batches for as long as the stream takes them and no other
// connection waits.
//
//   ready ---- the stream takes no more ----> wait_room   until the descriptor is writable
//     ^                                  \--> wait_input  until something has been read (stream::write_waits_for_input)
//     |_____________________________________________|
//   any ------ a write failed --------------> broken      for good: the peer is gone, reading finds the end
//
// Threads: the worker's. The writer belongs to the holder of the pipe's write token.
#pragma once

#include "engine/connection/command_path.hpp"
#include "engine/connection/connection_writer.hpp"
#include "engine/connection/traffic_context.hpp"
#include "zmtp/mechanism/sealing.hpp"

#include <cstdint>
#include <memory>

namespace zlink::engine {

class send_path {
public:
    enum class state : std::uint8_t { ready, wait_room, wait_input, broken };

    enum class outcome : std::uint8_t {
        goes_on,
        drained,         ///< everything is written, and nothing follows
        close_answered,  ///< the peer, which closes, has its answer
        lost,            ///< the write failed, and there was nothing left to wait for
    };

    /// `seals`: the sealer that the handshake's mechanism has left. May throw std::bad_alloc.
    send_path(traffic_context& at, std::unique_ptr<zmtp::sealer> seals);

    [[nodiscard]] connection_writer& writer() noexcept { return writer_; }
    [[nodiscard]] state now() const noexcept { return state_; }

    /// The pipe has its connection: a thread that waits for room in its lane may count on the worker.
    void begin() noexcept { move_to(state::ready); }
    /// Writes the available messages, if the state is ready. If an application holds the token, the token is asked for
    /// and nothing is written.
    [[nodiscard]] outcome write(command_path& commands) noexcept;
    /// The descriptor is writable, or something has been read: the state that waited for that is over.
    [[nodiscard]] outcome go_on(command_path& commands) noexcept;
    /// For a stream that wraps another: writes octets of its own. An error is found by reading.
    void write_own_octets() noexcept;
    /// No more is written.
    void end() noexcept { take_on(false); }

    /// The high-water mark of the outbound lane has changed.
    void note_changed_mark() noexcept { mark_changed_ = true; }
    /// Takes the mark up, if this path holds the token or gets it; otherwise when event_token comes.
    void take_up_mark() noexcept;

    /// Messages that the worker has taken from the lane, ever.
    [[nodiscard]] std::uint64_t messages_taken() const noexcept { return messages_taken_; }

private:
    [[nodiscard]] connection_writer::outcome write_batches(pipe::owed_credit& credit) noexcept;
    [[nodiscard]] outcome after(connection_writer::outcome what, bool drained, bool dormant, bool large) noexcept;
    void wait() noexcept;
    void move_to(state to) noexcept;
    void take_on(bool does) noexcept;

    traffic_context& at_;
    connection_writer writer_;
    state state_ = state::ready;
    bool mark_changed_ = false;
    std::uint64_t messages_taken_ = 0;
};

}  // namespace zlink::engine
