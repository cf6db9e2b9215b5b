// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/frame_opener.hpp"

#include <algorithm>
#include <utility>

namespace zlink::wire {

namespace {

// Frames that are opened in one call. The number is large enough for an opener that opens several at a time, and small
// enough for the stack.
constexpr std::size_t most_at_once = 128;

constexpr std::uint64_t largest_frame = (std::uint64_t{1} << 63) - 1;

constexpr std::uint8_t known_flags = message::flag_more | message::flag_command;

// Room for that many frames. A frame does not exist before it is constructed.
union some_frames {
    some_frames() noexcept {}
    zmtp::frame_to_open at[most_at_once];
};

std::uint64_t most_sealed(std::int64_t max_msg_size, std::size_t overhead) noexcept
{
    const std::uint64_t most = max_msg_size < 0 ? largest_frame : std::uint64_t(max_msg_size);
    return std::min(most, largest_frame - overhead) + overhead;
}

}  // namespace

frame_opener::frame_opener(std::unique_ptr<zmtp::opener> how, std::int64_t max_msg_size) noexcept
    : opener_(std::move(how)),
      overhead_(opener_->overhead()),
      largest_sealed_(most_sealed(max_msg_size, overhead_))
{}

// Each body moves to its place behind the opened ones before it. The place has room for the lane's header, which is
// never longer than the frame's own. So the place is never behind the body's beginning, nor within frames that have not
// been opened.
frame_opener::opening frame_opener::open_all(octets sealed) noexcept
{
    opening out{sealed.begin, sealed.begin};
    if (broken_ != errc::none) return out;
    some_frames group;
    std::size_t count;
    do {
        count = 0;
        std::byte* to = out.opened;
        out.next = presence::no_header;
        while (count < most_at_once && (out.next = look({out.rest, sealed.end}, out.header)) == presence::whole) {
            const std::byte* const body = out.rest + out.header.size;
            const auto size = std::size_t(out.header.body_size);
            const std::size_t opened = size - std::min(size, overhead_);
            to += message::header_size(opened);
            std::construct_at(&group.at[count++], zmtp::frame_to_open{{body, size}, to});
            to += opened;
            out.rest += out.header.size + size;
        }
        const std::size_t good = open({group.at, count});
        for (const zmtp::frame_to_open& f : std::span(group.at, good)) {
            out.opened = f.to + f.size;
            message::encode_header(f.to - message::header_size(f.size), f.flags, f.size);
        }
        if (good != count) break;
    } while (count == most_at_once);
    return out;
}

// Returns how many of them are good; `broken_` tells of the next one.
std::size_t frame_opener::open(std::span<zmtp::frame_to_open> frames) noexcept
{
    using reason = zmtp::handshake_error;
    if (frames.empty()) return 0;
    const zmtp::opener::outcome done = opener_->open(frames);
    for (std::size_t i = 0; i < std::min(done.opened, frames.size()); ++i) {
        const zmtp::frame_to_open& f = frames[i];
        if (f.size + overhead_ == f.sealed.size() && !(f.flags & ~known_flags)) [[likely]]
            continue;
        breaks(errc::protocol_error, reason::zmtp_unspecified);
        return i;
    }
    if (done.opened >= frames.size()) return frames.size();
    breaks(errc::protocol_error, done.error == reason::none ? reason::zmtp_unspecified : done.error);
    return done.opened;
}

// MORE and COMMAND outside the seal are not authenticated and mean nothing; libzmq lets them pass.
frame_opener::presence frame_opener::look(octets at, message::frame_header& h) noexcept
{
    const auto there = std::size_t(at.end - at.begin);
    if (there < 1) return presence::no_header;
    const auto flags = std::uint8_t(*at.begin);
    if (flags & message::flags_reserved) {
        breaks(errc::protocol_error, zmtp::handshake_error::none);
        return presence::bad;
    }
    if (there < (flags & message::flag_long ? message::long_header_size : message::short_header_size)) {
        return presence::no_header;
    }
    h = message::decode_header(at.begin);
    if (h.body_size > largest_sealed_) {
        breaks(errc::message_too_long, zmtp::handshake_error::none);
        return presence::bad;
    }
    return there - h.size < h.body_size ? presence::no_body : presence::whole;
}

// The last call counts, as it is about the earliest frame in the stream.
void frame_opener::breaks(errc why, zmtp::handshake_error reason) noexcept
{
    broken_ = why;
    broken_reason_ = reason;
}

}  // namespace zlink::wire
