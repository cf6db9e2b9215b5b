// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/dish.hpp"

#include "message/frame.hpp"
#include "pattern/routing/most_dropped.hpp"

#include <string_view>

namespace zlink::pattern {

namespace {

std::string_view text_of(std::span<const std::byte> octets) noexcept
{
    return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

}  // namespace

// Takes the first frame of a message, if it is a group that was joined; else drops the message.
bool dish::take_group(pipe::pipe_end& end, const pipe::incoming& f)
{
    if (f.more && f.size <= message::max_group_size) {
        group_of_.emplace(std::span<const std::byte>(f.data, f.size));
        if (subscriber_.matches(group_of_->octets())) {
            subscriber_.pop(end, f);
            return true;
        }
    }
    subscriber_.skip(end, f);
    return false;
}

// The body of the next message, still in its pipe.
pipe::pipe_end* dish::next(pipe::incoming& body)
{
    for (int looks = 0; looks < routing::most_dropped; ++looks) {
        pipe::pipe_end* const end = subscriber_.next(body);
        if (!end) return nullptr;
        if (end != sender_) {
            if (take_group(*end, body)) sender_ = end;
        } else if (body.more) {
            sender_ = nullptr;
            subscriber_.skip(*end, body);
        } else {
            return end;
        }
    }
    return nullptr;
}

// Whether this group, a frame in a lane, was joined.
inline bool dish::joined(std::span<const std::byte> group) noexcept
{
    if (last_joined_ && last_joined_->is_of(group)) [[likely]]
        return true;
    if (!subscriber_.matches(message::key_in_lane(group))) return false;
    last_joined_.emplace(group);
    return true;
}

// Takes the next message if it lies in one piece, as small ones do, and is of a group that was joined.
// errc::again: next() has to look.
inline errc dish::receive_pair(pipe::delivery& to)
{
    std::span<const std::byte> group;
    pipe::incoming body;
    pipe::pipe_end* const end = subscriber_.next_pair(group, body);
    if (!end || group.size() > message::max_group_size) return errc::again;
    if (!joined(group)) return errc::again;
    if (!to.deliver_last(body)) return errc::out_of_memory;
    if (to.frame() && !to.frame()->set_group(text_of(group))) return errc::out_of_memory;
    subscriber_.pop(*end, body);
    return errc::none;
}

errc dish::receive(pipe::delivery& to)
{
    if (!sender_) [[likely]] {
        if (!subscriber_.next_readable()) return errc::again;
        if (const errc e = receive_pair(to); e != errc::again) [[likely]]
            return e;
    }
    return receive_in_pieces(to);
}

// The same for a message that does not lie in one piece, or is not of such a group.
errc dish::receive_in_pieces(pipe::delivery& to)
{
    pipe::incoming body;
    pipe::pipe_end* const end = next(body);
    if (!end) return errc::again;
    if (!to.deliver(body)) return errc::out_of_memory;
    if (to.frame() && !to.frame()->set_group(text_of(group_of_->group()))) return errc::out_of_memory;
    sender_ = nullptr;
    subscriber_.pop(*end, body);
    return errc::none;
}

bool dish::can_receive()
{
    pipe::incoming body;
    return next(body) != nullptr;
}

void dish::detach(pipe::pipe_end& end)
{
    if (sender_ == &end) sender_ = nullptr;
    subscriber_.detach(end);
}

errc dish::subscribe(std::span<const std::byte> group, bool on)
{
    if (group.size() > message::max_group_size) return errc::invalid_argument;
    const message::group_key key(group);
    if (subscriber_.matches(key.octets()) == on) return errc::invalid_argument;
    last_joined_.reset();
    return subscriber_.subscribe(key.octets(), on);
}

}  // namespace zlink::pattern
