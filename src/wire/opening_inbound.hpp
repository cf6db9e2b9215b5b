// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of wires of sealed frames: the handling of opened ones, among which are commands. Opened frames are
// never opened again: if they wait for another thread, they wait in opened form.
#pragma once

#include "message/frame_header.hpp"
#include "wire/frame_opener.hpp"
#include "wire/framed_inbound.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace zlink::wire {

/// A base of `Wire`, see framed_inbound.
template <class Wire>
class opening_inbound : public framed_inbound<Wire> {
protected:
    using typename inbound::outcome;
    using octets = frame_intake::octets;
    using framed_inbound<Wire>::framed_inbound;
    using framed_inbound<Wire>::intake_;
    using framed_inbound<Wire>::scanner_;
    using inbound::fail;

    /// Frames in lane form. `rest` is the part that has not been opened.
    outcome deliver(octets opened, octets rest, receive_arena& arena, pipe::lane_writer& lane,
                    command_handler* commands) noexcept
    {
        while (true) {
            const zmtp::frame_scanner::outcome found = scanner_.scan(opened.begin, opened.end);
            auto* at = const_cast<std::byte*>(found.frames_end);
            if (at != opened.begin && !intake_.hand_over(opened.begin, found, arena, lane, rest.end)) {
                return fail(errc::out_of_memory);
            }
            if (found.why == zmtp::frame_scanner::stop::end) return outcome::done;
            // A command with MORE; the scanner stops at nothing else.
            if (found.why != zmtp::frame_scanner::stop::command) return fail(errc::protocol_error);
            if (!commands) return keep_opened({at, opened.end}, rest);
            std::byte* const body = at + found.header.size;
            // Inside a message, too: libzmq sends PING and PONG between two frames of it.
            if (!commands->on_command({body, std::size_t(found.header.body_size)})) return fail(errc::protocol_error);
            opened.begin = body + found.header.body_size;
        }
    }

    /// A body in memory of its own is opened there; its reference is passed.
    outcome open_large(frame_opener& how, std::size_t size, message::buffer* body, octets behind, receive_arena& arena,
                       pipe::lane_writer& lane, command_handler* commands) noexcept
    {
        zmtp::frame_to_open frame{{body->data(), size}, body->data()};
        if (how.open({&frame, 1}) == 0) {
            body->release();
            return fail(how.error(), how.reason());
        }
        if (frame.flags & message::flag_command) {
            const octets command{body->data(), body->data() + frame.size};
            const outcome result = frame.flags & message::flag_more ? fail(errc::protocol_error)
                                                                    : deliver_command(command, behind, commands);
            body->release();
            return result;
        }
        if (!intake_.hand_over_large({frame.flags, 0, frame.size}, body, arena, lane)) return fail(errc::out_of_memory);
        return outcome::done;
    }

    /// A command in memory of its own. Only once it is open can the wire see that it is a command, and too long to be
    /// one.
    outcome deliver_command(octets command, octets behind, command_handler* commands) noexcept
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

    /// Octets in lane form at the beginning of the octets that the intake has kept.
    [[nodiscard]] std::size_t take_opened() noexcept { return std::exchange(opened_, 0); }

private:
    // A command is for the I/O thread, together with everything that has come behind it.
    outcome keep_opened(octets opened, octets rest) noexcept
    {
        if (!intake_.keep_unread(opened, rest)) return fail(errc::out_of_memory);
        opened_ = std::size_t(opened.end - opened.begin);
        return outcome::command;
    }

    std::size_t opened_ = 0;
};

}  // namespace zlink::wire
