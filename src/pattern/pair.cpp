// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/pair.hpp"

#include <utility>

namespace zlink::pattern {

errc pair::send(const pipe::outgoing& frame)
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

// The next frame, still in the pipe.
bool pair::look(pipe::incoming& f)
{
    while (in_) {
        if (in_->reader.next(f)) [[likely]]
            return true;
        if (!in_->reader.closed()) return false;
        if (in_ == out_) close_outbound();
        host_.give_up(*std::exchange(in_, std::exchange(next_, nullptr)));
    }
    return false;
}

errc pair::receive(pipe::delivery& to)
{
    pipe::incoming f;
    if (!look(f)) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    in_->pop(f);
    return errc::none;
}

bool pair::can_receive()
{
    pipe::incoming f;
    return look(f);
}

bool pair::attach(pipe::pipe_end& end, const attachment& how)
{
    if (in_ && (out_ || next_)) {
        if (how.peer_is_socket) return false;
        refuse(end, out_ ? *out_ : *next_, how.came_at);
        return true;
    }
    out_ = &end;
    (in_ ? next_ : in_) = &end;
    return true;
}

void pair::close_outbound() noexcept
{
    if (!out_) return;
    if (out_->writer.in_message()) {
        out_->writer.rollback();
        swallowing_ = true;
    }
    out_ = nullptr;
}

void pair::on_peer_closed(pipe::pipe_end& end)
{
    if (&end == out_) close_outbound();
    if (&end == in_) (void)can_receive();
}

void pair::detach(pipe::pipe_end& end)
{
    if (&end == out_) close_outbound();
    if (&end == next_) next_ = nullptr;
    if (&end == in_) in_ = std::exchange(next_, nullptr);
}

bool pair::announce_sleep()
{
    return !in_ || in_->reader.go_dormant();
}

bool pair::confirm_sleep()
{
    if (!in_ || !(in_->reader.readable() || in_->reader.closed())) return false;
    in_->reader.wake_up();
    return true;
}

}  // namespace zlink::pattern
