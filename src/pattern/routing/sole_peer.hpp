// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One peer, messages both ways, as in PAIR and CHANNEL. A new peer may come while the messages of one that has left are
// still being read. It is sent to already, and read next.
#pragma once

#include "base/invariant.hpp"
#include "base/probes.hpp"
#include "pattern/pattern.hpp"

namespace zlink::pattern::routing {

class sole_peer {
public:
    explicit sole_peer(pattern_host& host) noexcept : host_(host) {}

    [[nodiscard]] errc send(const pipe::outgoing& frame) noexcept;
    [[nodiscard]] bool can_send() noexcept { return out_ && out_->writer.has_room_or_wait(); }
    [[nodiscard]] bool has_peer() const noexcept { return out_ != nullptr; }
    /// As pattern::drop().
    [[nodiscard]] bool drop(const pipe::outgoing& frame) noexcept
    {
        if (out_) swallowing_ = frame.more;
        return out_ != nullptr;
    }

    /// The pipe of the next frame, which is still in it. Null: there is none.
    [[nodiscard]] pipe::pipe_end* next(pipe::incoming& f)
    {
        if (!in_) return nullptr;
        if (in_->reader.next(f)) [[likely]]
            return in_;
        return in_->reader.closed() ? next_of_successor(f) : nullptr;
    }
    /// Takes the frame that next() showed.
    void pop(pipe::pipe_end& end, const pipe::incoming& f) noexcept
    {
        invariant([&] { return &end == in_; });
        end.pop(f);
    }
    /// Takes it and the rest of its message, which no program gets.
    void skip(pipe::pipe_end& end, pipe::incoming f) noexcept
    {
        end.unwanted.add(1);
        probes::drop(probes::drop_cause::unwanted);
        pop(end, f);
        while (f.more && end.reader.next(f)) pop(end, f);
    }

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
    pipe::pipe_end* next_of_successor(pipe::incoming& f);
    void close_outbound() noexcept;

    pattern_host& host_;
    pipe::pipe_end* in_ = nullptr;    ///< the pipe, until all of it has been read
    pipe::pipe_end* out_ = nullptr;   ///< the pipe, while its other party is there
    pipe::pipe_end* next_ = nullptr;  ///< a new peer's, while the messages of the one before are being read
    bool swallowing_ = false;         ///< the rest of a message: the pipe was lost, or had no room for the message
};

}  // namespace zlink::pattern::routing
