// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/fan_out.hpp"

#include "message/frame.hpp"

namespace zlink::pattern::routing {

namespace {

// Bodies from this size on are referenced by lanes rather than copied (see ZMQ_ASIO_OUT_WRITEV_THRESHOLD), so one
// copy serves all.
constexpr std::size_t share_from = 8192;

// Among many pipes each one's state is out of the cache when its turn comes. It is asked for so many pipes ahead, and
// what it points to a little later (docs/decisions/0008).
constexpr std::size_t far_ahead = 8;
constexpr std::size_t near_ahead = 4;

}  // namespace

bool fan_out::attach(pipe::pipe_end& end) noexcept
{
    if (!pipes_.add(end)) return false;
    pipes_.to_back(end);
    return true;
}

void fan_out::leave_message(pipe::pipe_end& end) noexcept
{
    if (!in_message_ || !pipes_.in_front(end)) return;
    end.writer.rollback();
    pipes_.to_back(end);
}

void fan_out::remove(pipe::pipe_end& end) noexcept
{
    leave_message(end);
    pipes_.remove(end);
}

bool fan_out::selected_have_room() noexcept
{
    for (std::size_t i = 0; i < pipes_.front_size(); ++i) {
        if (!pipes_[i].writer.has_room_or_wait()) return false;
    }
    return true;
}

void fan_out::abandon() noexcept
{
    for (std::size_t i = 0; i < pipes_.front_size(); ++i) pipes_[i].writer.rollback();
    pipes_.all_to_back();
    in_message_ = false;
}

errc fan_out::write(const pipe::outgoing& f) noexcept
{
    const std::size_t count = pipes_.front_size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + far_ahead < count) pipes_[i + far_ahead].writer.prefetch();
        if (i + near_ahead < count) pipes_[i + near_ahead].writer.prefetch_room();
        if (pipes_[i].writer.write(f)) [[likely]]
            continue;
        abandon();
        return errc::out_of_memory;
    }
    return errc::none;
}

// A whole message for one pipe: what most messages of a publisher are.
errc fan_out::send_to_one(pipe::pipe_end& end, const pipe::outgoing& f, bool past_hwm) noexcept
{
    pipes_.all_to_back();
    if (!past_hwm && !end.writer.has_room()) [[unlikely]]
        return errc::none;
    if (!end.writer.write(f)) [[unlikely]]
        return errc::out_of_memory;
    end.publish();
    return errc::none;
}

errc fan_out::send(const pipe::outgoing& f, bool past_hwm) noexcept
{
    if (!in_message_ && !f.more && pipes_.front_size() == 1) return send_to_one(pipes_[0], f, past_hwm);
    if (!in_message_ && !past_hwm) {
        for (std::size_t i = pipes_.front_size(); i-- > 0;) {
            if (!pipes_[i].writer.has_room()) [[unlikely]]
                pipes_.to_back(pipes_[i]);
        }
    }
    errc error = errc::none;
    if (f.size < share_from || pipes_.front_size() < 2 || (f.msg && (f.msg->shareable() || f.msg->is_constant()))) {
        error = write(f);
    } else {
        message::owned_frame shared;
        if (shared.init_copy_of(f.data, f.size)) {
            error = write(pipe::outgoing::of(shared, f.more));
        } else {
            shared.init();
            abandon();
            error = errc::out_of_memory;
        }
    }
    if (error != errc::none) return error;
    in_message_ = f.more;
    if (f.more) return errc::none;
    const std::size_t count = pipes_.front_size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + near_ahead < count) pipes_[i + near_ahead].writer.prefetch_published();
        pipes_[i].publish();
    }
    pipes_.all_to_back();
    return errc::none;
}

}  // namespace zlink::pattern::routing
