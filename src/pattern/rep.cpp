// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/rep.hpp"

#include "base/invariant.hpp"
#include "base/probes.hpp"
#include "pattern/routing/most_dropped.hpp"

#include <new>
#include <utility>

namespace zlink::pattern {

// Goes to the body of the next request. Messages without a delimiter are dropped.
errc rep::find_request()
{
    pipe::incoming f;
    for (int frames = 0; state_ == state::idle; ++frames) {
        pipe::pipe_end* end = frames < routing::most_dropped ? queue_.next(f) : nullptr;
        if (!end) return errc::again;
        if (!f.more) {
            end->unwanted.add(1);
            probes::drop(probes::drop_cause::unwanted);
            queue_.pop(*end, f);
            envelope_.clear();
            from_ = nullptr;
            continue;
        }
        try {
            envelope_.emplace_back();
        } catch (const std::bad_alloc&) {
            return errc::out_of_memory;
        }
        if (!pipe::delivery(envelope_.back()).deliver(f)) {
            envelope_.pop_back();
            return errc::out_of_memory;
        }
        from_ = end;
        queue_.pop(*end, f);
        if (f.size == 0) {
            reply_to_ = end;
            state_ = state::receiving;
        }
    }
    return errc::none;
}

errc rep::receive(pipe::delivery& to)
{
    if (can_send()) return errc::fsm;
    if (const errc error = find_request(); error != errc::none) return error;
    pipe::incoming f;
    pipe::pipe_end* end = queue_.next(f);
    if (!end) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    queue_.pop(*end, f);
    if (!f.more) {
        state_ = state::replying;
        from_ = nullptr;
    }
    return errc::none;
}

bool rep::can_receive()
{
    return !can_send() && find_request() == errc::none;
}

// Writes the envelope, if the peer to reply to is still there and has room.
errc rep::begin_reply()
{
    invariant([this] { return !reply_to_ || !envelope_.empty(); });
    if (!reply_to_) {
        host_.on_dropped(drop_reason::unroutable);
        return errc::none;
    }
    if (!reply_to_->writer.has_room() && !host_.await_room(*reply_to_)) {
        reply_to_->no_room.add(1);
        probes::drop(probes::drop_cause::full);
        reply_to_ = nullptr;
        return errc::none;
    }
    for (const message::owned_frame& f : envelope_) {
        if (reply_to_->writer.write(pipe::outgoing::of(f, true))) continue;
        reply_to_->writer.rollback();
        return errc::out_of_memory;
    }
    return errc::none;
}

errc rep::send(const pipe::outgoing& frame)
{
    if (!can_send()) return errc::fsm;
    if (state_ == state::replying) {
        if (const errc error = begin_reply(); error != errc::none) return error;
        state_ = state::sending;
    }
    if (reply_to_ && !reply_to_->writer.write(frame)) {
        reply_to_->writer.rollback();
        state_ = state::replying;
        return errc::out_of_memory;
    }
    if (frame.more) return errc::none;
    if (reply_to_) reply_to_->publish();
    end_turn();
    return errc::none;
}

void rep::end_turn() noexcept
{
    envelope_.clear();
    from_ = reply_to_ = nullptr;
    state_ = state::idle;
}

// The reply, or the rest of it, is dropped.
void rep::stop_sending(const pipe::pipe_end& end) noexcept
{
    if (reply_to_ == &end) std::exchange(reply_to_, nullptr)->writer.rollback();
}

void rep::on_peer_closed(pipe::pipe_end& end)
{
    stop_sending(end);
    queue_.peer_closed(end);
}

void rep::on_drained(pipe::pipe_end& end)
{
    stop_sending(end);
    host_.give_up(end);
}

void rep::detach(pipe::pipe_end& end)
{
    stop_sending(end);
    queue_.remove(end);
    if (from_ == &end) end_turn();  // the rest of the request went with it
}

}  // namespace zlink::pattern
