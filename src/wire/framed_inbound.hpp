// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of wires of frames: their octets go through a frame_intake, and a large body through memory of its
// own.
#pragma once

#include "wire/frame_intake.hpp"

namespace zlink::wire {

/// A base of `Wire`, which handles the frames:
///   outcome process(octets there, receive_arena&, pipe::lane_writer&, command_handler*): all frames in these octets;
///   outcome take_large(const message::frame_header&, message::buffer* body, octets behind, receive_arena&,
///                      pipe::lane_writer&, command_handler*): one frame with a complete body; the reference is passed.
template <class Wire>
class framed_inbound : public inbound {
public:
    [[nodiscard]] bool prepare(receive_arena& arena, pipe::lane_writer& lane, scratch& spare, room& to) noexcept final
    {
        return intake_.prepare(arena, lane, spare, to);
    }
    [[nodiscard]] outcome accept(std::size_t got, bool full, receive_arena& arena, pipe::lane_writer& lane,
                                 const scratch& spare, command_handler* commands) noexcept final
    {
        if (intake_.in_large()) return accept_large(got, arena, lane, commands);
        if (intake_.collects()) {
            const outcome collected = intake_.collect(got, spare);
            return collected == outcome::failed ? fail(errc::out_of_memory) : collected;
        }
        const outcome result = wire().process(intake_.place(got, arena), arena, lane, commands);
        if (result != outcome::done) return result;
        return intake_.looked_at(got, full) ? outcome::again : outcome::done;
    }
    [[nodiscard]] bool feed(std::span<const std::byte> some) noexcept final { return intake_.feed(some); }
    [[nodiscard]] bool has_unread() const noexcept final { return intake_.has_unread(); }

protected:
    using octets = frame_intake::octets;

    explicit framed_inbound(const frame_limits& l) noexcept : scanner_(l.max_msg_size), intake_(l) {}

    zmtp::frame_scanner scanner_;  ///< of frames in lane form
    frame_intake intake_;

private:
    Wire& wire() noexcept { return static_cast<Wire&>(*this); }

    outcome accept_large(std::size_t got, receive_arena& arena, pipe::lane_writer& lane,
                         command_handler* commands) noexcept
    {
        octets behind{};
        if (!intake_.add_to_large(got, arena, behind)) return outcome::done;
        message::frame_header h{};
        message::buffer* const body = intake_.take_large(h);
        const outcome result = wire().take_large(h, body, behind, arena, lane, commands);
        return result == outcome::done ? wire().process(behind, arena, lane, commands) : result;
    }
};

}  // namespace zlink::wire
