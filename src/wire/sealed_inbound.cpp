#include "wire/sealed_inbound.hpp"

#include <algorithm>
#include <utility>

namespace zlink::wire {

namespace {

// Frames that are opened in one call: many enough for those who open some at a time, and few enough for the stack.
constexpr std::size_t most_at_once = 128;

constexpr std::uint64_t largest_frame = (std::uint64_t{1} << 63) - 1;

constexpr std::uint8_t known_flags = message::flag_more | message::flag_command;

// As many as that, none of which is there before it is made.
union some_frames {
    some_frames() noexcept {}
    zmtp::frame_to_open at[most_at_once];
};

std::uint64_t largest_sealed(std::int64_t max_msg_size, std::size_t overhead) noexcept
{
    const std::uint64_t most = max_msg_size < 0 ? largest_frame : std::uint64_t(max_msg_size);
    return std::min(most, largest_frame - overhead) + overhead;
}

}  // namespace

sealed_inbound::sealed_inbound(std::unique_ptr<zmtp::opener> how, const frame_limits& l) noexcept
    : framed_inbound(l),
      opener_(std::move(how)),
      overhead_(opener_->overhead()),
      largest_sealed_(largest_sealed(l.max_msg_size, overhead_))
{}

// A body in memory of its own is opened there.
inbound::outcome sealed_inbound::take_large(const message::frame_header& h, message::buffer* body, octets behind,
                                            receive_arena& arena, pipe::lane_writer& lane,
                                            command_handler* commands) noexcept
{
    zmtp::frame_to_open frame{{body->data(), std::size_t(h.body_size)}, body->data()};
    if (open({&frame, 1}) == 0) {
        body->release();
        return failed();
    }
    if (frame.flags & message::flag_command) {
        const octets command{body->data(), body->data() + frame.size};
        const outcome result = frame.flags & message::flag_more ? fail(errc::protocol_error)
                                                                : deliver_large_command(command, behind, commands);
        body->release();
        return result;
    }
    if (!intake_.hand_over_large({frame.flags, 0, frame.size}, body, arena, lane)) return fail(errc::out_of_memory);
    return outcome::done;
}

// That a frame is a command, and which is too long to be one, is seen only now.
inbound::outcome sealed_inbound::deliver_large_command(octets command, octets behind,
                                                       command_handler* commands) noexcept
{
    const auto size = std::size_t(command.end - command.begin);
    if (size > frame_intake::largest_kept) return fail(errc::protocol_error);
    if (commands) return commands->on_command({command.begin, size}) ? outcome::done : fail(errc::protocol_error);
    try {
        std::vector<std::byte> frame(message::long_header_size + size);
        std::byte* const body = frame.data() + message::encode_header(frame.data(), message::flag_command, size);
        std::byte* const end = std::copy(command.begin, command.end, body);
        return keep_opened({frame.data(), end}, behind);
    } catch (...) {
        return fail(errc::out_of_memory);
    }
}

inbound::outcome sealed_inbound::process(octets there, receive_arena& arena, pipe::lane_writer& lane,
                                         command_handler* commands) noexcept
{
    std::byte* const sealed = there.begin + std::exchange(opened_, 0);
    const opening found = open_all({sealed, there.end});
    const octets rest{found.rest, there.end};
    const outcome result = deliver({there.begin, found.opened}, rest, arena, lane, commands);
    if (result != outcome::done) return result;
    return broken_ == errc::none ? keep_partial(rest, found) : failed();
}

// Frames in lane form. `rest` is what has not been opened.
inbound::outcome sealed_inbound::deliver(octets opened, octets rest, receive_arena& arena, pipe::lane_writer& lane,
                                         command_handler* commands) noexcept
{
    while (true) {
        const zmtp::frame_scanner::outcome found = scanner_.scan(opened.begin, opened.end);
        auto* at = const_cast<std::byte*>(found.frames_end);
        if (at != opened.begin && !intake_.hand_over(opened.begin, found, arena, lane, rest.end)) {
            return fail(errc::out_of_memory);
        }
        if (found.why == zmtp::frame_scanner::stop::end) return outcome::done;
        // A command with MORE; there is nothing else to stop at.
        if (found.why != zmtp::frame_scanner::stop::command) return fail(errc::protocol_error);
        if (!commands) return keep_opened({at, opened.end}, rest);
        std::byte* const body = at + found.header.size;
        // Inside a message, too: libzmq sends PING and PONG between two frames of it.
        if (!commands->on_command({body, std::size_t(found.header.body_size)})) return fail(errc::protocol_error);
        opened.begin = body + found.header.body_size;
    }
}

// A command is for the I/O thread, and all that has come behind it with it.
inbound::outcome sealed_inbound::keep_opened(octets opened, octets rest) noexcept
{
    if (!intake_.keep_unread(opened, rest)) return fail(errc::out_of_memory);
    opened_ = std::size_t(opened.end - opened.begin);
    return outcome::command;
}

inbound::outcome sealed_inbound::keep_partial(octets there, const opening& found) noexcept
{
    if (there.begin == there.end) return outcome::done;
    std::uint64_t missing = 0;
    if (found.next == presence::no_body) {
        const message::frame_header& h = found.header;
        if (h.body_size > overhead_ && intake_.is_large(h.body_size - overhead_)) {
            const bool begun = intake_.begin_large(h, {there.begin + h.size, there.end});
            return begun ? outcome::done : fail(errc::out_of_memory);
        }
        missing = h.size + h.body_size - std::uint64_t(there.end - there.begin);
    }
    return intake_.keep_partial(there, missing) ? outcome::done : fail(errc::out_of_memory);
}

// Each body moves to where it lies behind the opened ones before it, with room for the lane's header, which is never longer than
// the frame's own. So it never lies behind its beginning, nor where frames are that have not been opened.
sealed_inbound::opening sealed_inbound::open_all(octets sealed) noexcept
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

// How many of them are good; `broken_` tells of the next one.
std::size_t sealed_inbound::open(std::span<zmtp::frame_to_open> frames) noexcept
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

// MORE and COMMAND outside are nobody's word and mean nothing; libzmq lets them pass.
sealed_inbound::presence sealed_inbound::look(octets at, message::frame_header& h) noexcept
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

// What is told last is first in the stream.
void sealed_inbound::breaks(errc why, zmtp::handshake_error reason) noexcept
{
    broken_ = why;
    broken_reason_ = reason;
}

}  // namespace zlink::wire
