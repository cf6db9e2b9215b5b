// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/zmtp_inbound.hpp"

#include "base/many_octets.hpp"
#include "message/frame_header.hpp"
#include "shm/body_reference.hpp"

namespace zlink::wire {

namespace {

// Smaller bodies are copied at once: a socket may read what they say itself (a routing id, an envelope), and relies on
// it while it does so.
constexpr std::size_t smallest_lent = 4096;

}  // namespace

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
        case stop::reserved_bits: {
            octets there_is{rest, end};
            bool partial = false;
            const outcome taken = take_reference(there_is, lane, partial);
            if (taken != outcome::done || partial) return taken;
            begin = there_is.begin;
            break;
        }
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

// Of a peer that shares memory, if it is the reference to a body. `partial`: it has not come whole.
inbound::outcome zmtp_inbound::take_reference(octets& there, pipe::lane_writer& lane, bool& partial) noexcept
{
    const auto flags = std::uint8_t(*there.begin);
    if (!bodies_ || !shm::is_reference(flags)) return fail(errc::protocol_error);
    const auto size = std::size_t(there.end - there.begin);
    if (size > 1 && std::size_t(there.begin[1]) != shm::reference_size) return fail(errc::protocol_error);
    if (size < shm::reference_frame_size) {
        partial = true;
        return intake_.keep_partial(there, shm::reference_frame_size - size) ? outcome::done
                                                                             : fail(errc::out_of_memory);
    }
    const shm::body_reference where = shm::decode_reference(there.begin + message::short_header_size);
    if (where.size > scanner_.max_frame_size()) return fail(errc::message_too_long);
    const result<message::buffer*> lent = bodies_->body_of(where);
    if (!lent) return fail(lent.error());
    message::buffer* body = *lent;
    if (body->capacity() < smallest_lent) {
        message::buffer* const copy = message::buffer::allocate(body->capacity());
        if (copy) copy_many_octets(copy->data(), body->data(), body->capacity());
        body->release();
        body = copy;
    }
    there.begin += shm::reference_frame_size;
    const bool taken = body && frame_intake::hand_over_lent(flags & message::flag_more, body, lane);
    return taken ? outcome::done : fail(errc::out_of_memory);
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
