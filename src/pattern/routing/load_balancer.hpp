// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Gives whole messages to pipes in turn. Pipes with a full queue are passed over.
#pragma once

#include "base/errc.hpp"
#include "pattern/routing/pipe_partition.hpp"
#include "pipe/lane_writer.hpp"

namespace zlink::pattern::routing {

class load_balancer {
public:
    /// False when memory is short.
    [[nodiscard]] bool attach(pipe::pipe_end& end) noexcept { return pipes_.add(end); }

    /// The pipe takes nothing more. If it has part of a message, the rest of that message is swallowed. No-op if it
    /// is not here.
    void remove(pipe::pipe_end& end) noexcept;

    /// event_credit; may come at any time, and for pipes that are not here.
    void activate(pipe::pipe_end& end) noexcept { pipes_.to_front(end); }

    /// errc::again: no pipe has room, nothing was taken. errc::out_of_memory: the message so far is taken back.
    [[nodiscard]] errc send(const pipe::outgoing& f) noexcept
    {
        if (phase_ != phase::between) [[unlikely]] {
            if (phase_ == phase::swallowing) {
                if (!f.more) phase_ = phase::between;
                return errc::none;
            }
        } else if (!choose()) {
            return errc::again;
        }
        pipe::pipe_end& end = pipes_.current();
        if (!end.writer.write(f)) [[unlikely]] {
            abandon();
            return errc::out_of_memory;
        }
        if (f.more) {
            phase_ = phase::inside;
            return errc::none;
        }
        phase_ = phase::between;
        end.publish();
        if (pipes_.front_size() > 1) pipes_.advance();
        return errc::none;
    }

    /// As pattern::drop().
    [[nodiscard]] bool drop(const pipe::outgoing& f) noexcept
    {
        if (phase_ != phase::between || !has_peer()) return false;
        if (f.more) phase_ = phase::swallowing;
        return true;
    }
    /// There is a pipe, with room or without, whose peer has not left.
    [[nodiscard]] bool has_peer() const noexcept;

    /// Takes back an unfinished message.
    void abandon() noexcept;

    /// Whether a new message would be taken. If not, an event_credit follows when one would.
    [[nodiscard]] bool ready() noexcept { return phase_ != phase::between || choose(); }

    /// The pipe that has the first part of the current message; null between messages or if it is gone.
    [[nodiscard]] pipe::pipe_end* target() const noexcept
    {
        return phase_ == phase::inside ? &pipes_.current() : nullptr;
    }

    /// The only pipe there is, between messages; else null.
    [[nodiscard]] pipe::pipe_end* sole() const noexcept
    {
        return phase_ == phase::between && pipes_.size() == 1 ? &pipes_[0] : nullptr;
    }

private:
    enum class phase : std::uint8_t { between, inside, swallowing };

    // Makes the next pipe with room the current one. A peer that has left takes nothing, whether this socket has been
    // told or not. Some such peers are passed over; if there are more, the next call goes on.
    bool choose() noexcept
    {
        for (int left = 0; pipes_.front_size() != 0 && left < most_passed_over;) {
            pipe::pipe_end& end = pipes_.current();
            const bool has_left = end.peer_has_left();
            if (!has_left && end.writer.has_room_or_wait()) [[likely]]
                return true;
            left += has_left;
            pipes_.to_back(end);
        }
        return false;
    }
    /// Machine: some 1 us each, out of the cache; with 1,000 a send took 1.1 ms. Above: a send may report a missing
    /// room, once.
    static constexpr int most_passed_over = 300;

    pipe_partition<&routing_record::balancer_index> pipes_;
    phase phase_ = phase::between;
};

}  // namespace zlink::pattern::routing
