// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/zmtp_inbound.hpp"

namespace zlink::wire {

inbound::outcome zmtp_inbound::take_large(const message::frame_header& h, message::buffer* body, octets /*behind*/,
                                          receive_arena& arena, pipe::lane_writer& lane,
                                          command_handler* /*commands*/) noexcept
{
    return intake_.hand_over_large(h, body, arena, lane) ? outcome::done : fail(errc::out_of_memory);
}

inbound::outcome zmtp_inbound::process(octets there, receive_arena& arena, pipe::lane_writer& lane,
                                       command_handler* commands) noexcept
{
    using stop = zmtp::frame_scanner::stop;
    auto [begin, end] = there;
    while (true) {
        const zmtp::frame_scanner::outcome found = scanner_.scan(begin, end);
        auto* rest = const_cast<std::byte*>(found.frames_end);
        if (rest != begin && !intake_.hand_over(begin, found, arena, lane, end)) return fail(errc::out_of_memory);
        switch (found.why) {
        case stop::end: return outcome::done;
        case stop::reserved_bits: return fail(errc::protocol_error);
        case stop::too_long: return fail(errc::message_too_long);
        case stop::partial_header:
        case stop::partial_body: return keep_partial({rest, end}, found);
        case stop::command: {
            if (!commands) return intake_.keep_unread({rest, end}) ? outcome::command : fail(errc::out_of_memory);
            std::byte* body = rest + found.header.size;
            // Inside a message, too: libzmq sends PING and PONG between two frames of it.
            if (!commands->on_command({body, std::size_t(found.header.body_size)})) return fail(errc::protocol_error);
            begin = body + found.header.body_size;
            break;
        }
        }
    }
}

inbound::outcome zmtp_inbound::keep_partial(octets there, const zmtp::frame_scanner::outcome& found) noexcept
{
    std::uint64_t missing = 0;
    if (found.why == zmtp::frame_scanner::stop::partial_body) {
        const message::frame_header& h = found.header;
        if (intake_.is_large(h.body_size) && !(h.flags & message::flag_command)) {
            const bool begun = intake_.begin_large(h, {there.begin + h.size, there.end});
            return begun ? outcome::done : fail(errc::out_of_memory);
        }
        if (h.body_size > frame_intake::largest_kept) return fail(errc::protocol_error);
        missing = h.size + h.body_size - std::uint64_t(there.end - there.begin);
    }
    return intake_.keep_partial(there, missing) ? outcome::done : fail(errc::out_of_memory);
}

}  // namespace zlink::wire
