// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One peer, messages both ways, as in PAIR and CHANNEL. While the messages of a peer that has left are still being
// read, a new one may have come: it is sent to already, and read next.
#pragma once

#include "pattern/pattern.hpp"

namespace zlink::pattern::routing {

class sole_peer {
public:
    explicit sole_peer(pattern_host& host) noexcept : host_(host) {}

    [[nodiscard]] errc send(const pipe::outgoing& frame) noexcept;
    [[nodiscard]] bool can_send() noexcept { return out_ && out_->writer.has_room_or_wait(); }

    /// The next frame, still in the pipe. False: there is none.
    [[nodiscard]] bool next(pipe::incoming& f)
    {
        if (!in_) return false;
        if (in_->reader.next(f)) [[likely]]
            return true;
        return in_->reader.closed() && next_of_successor(f);
    }
    /// Takes the frame that next() showed.
    void pop(const pipe::incoming& f) noexcept { in_->pop(f); }

    /// The pipe that the next message goes to, or comes from; may be null.
    [[nodiscard]] pipe::pipe_end* target() const noexcept { return swallowing_ ? nullptr : out_; }
    [[nodiscard]] pipe::pipe_end* source() const noexcept { return in_; }

    // As of pattern
    [[nodiscard]] bool attach(pipe::pipe_end& end, const attachment& how) noexcept;
    void on_peer_closed(pipe::pipe_end& end);
    void detach(pipe::pipe_end& end) noexcept;
    bool announce_sleep() noexcept { return !in_ || in_->reader.go_dormant(); }
    [[nodiscard]] bool confirm_sleep() noexcept;

private:
    bool next_of_successor(pipe::incoming& f);
    void close_outbound() noexcept;

    pattern_host& host_;
    pipe::pipe_end* in_ = nullptr;    ///< the pipe, until all of it has been read
    pipe::pipe_end* out_ = nullptr;   ///< the pipe, while its other party is there
    pipe::pipe_end* next_ = nullptr;  ///< a new peer's, while the messages of the one before are being read
    bool swallowing_ = false;         ///< the pipe was lost in the middle of a message
};

}  // namespace zlink::pattern::routing
