// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/sole_peer.hpp"

#include "base/invariant.hpp"

#include <utility>

namespace zlink::pattern::routing {

errc sole_peer::send(const pipe::outgoing& frame) noexcept
{
    if (swallowing_) [[unlikely]] {
        swallowing_ = frame.more;
        return errc::none;
    }
    if (!can_send()) return errc::again;
    if (!out_->writer.write(frame)) [[unlikely]] {
        out_->writer.rollback();
        return errc::out_of_memory;
    }
    if (!frame.more) out_->publish();
    return errc::none;
}

// The pipe has ended, and all of it has been read.
pipe::pipe_end* sole_peer::next_of_successor(pipe::incoming& f)
{
    invariant([this] { return in_ && in_->reader.closed(); });
    if (in_ == out_) close_outbound();
    host_.give_up(*std::exchange(in_, std::exchange(next_, nullptr)));
    return next(f);
}

bool sole_peer::attach(pipe::pipe_end& end, const attachment& how) noexcept
{
    if (in_ && (out_ || next_)) {
        if (how.peer_is_socket) {
            routing_of(end).rejected = true;
            return false;
        }
        reject(end, out_ ? *out_ : *next_, how.came_at);
        return true;
    }
    out_ = &end;
    (in_ ? next_ : in_) = &end;
    return true;
}

void sole_peer::close_outbound() noexcept
{
    if (!out_) return;
    if (out_->writer.in_message()) {
        out_->writer.rollback();
        swallowing_ = true;
    }
    out_ = nullptr;
}

void sole_peer::on_peer_closed(pipe::pipe_end& end)
{
    if (&end == out_) close_outbound();
    if (&end != in_) return;
    pipe::incoming f;
    (void)next(f);
}

void sole_peer::detach(pipe::pipe_end& end) noexcept
{
    if (&end == out_) close_outbound();
    if (&end == next_) next_ = nullptr;
    if (&end == in_) in_ = std::exchange(next_, nullptr);
}

bool sole_peer::confirm_sleep() noexcept
{
    if (!in_ || !(in_->reader.readable() || in_->reader.closed())) return false;
    in_->reader.wake_up();
    return true;
}

}  // namespace zlink::pattern::routing
