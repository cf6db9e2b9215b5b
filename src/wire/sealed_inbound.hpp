// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames that a mechanism has sealed (RFC 26: each is a MESSAGE command in the body of a ZMTP frame of its own). All
// frames that have come together are opened in place. The opened frames lie in lane form at the place of the sealed
// ones, and go to the lane as one span.
#pragma once

#include "wire/opening_inbound.hpp"
#include "zmtp/mechanism/sealing.hpp"

#include <memory>

namespace zlink::wire {

class sealed_inbound final : public opening_inbound<sealed_inbound> {
public:
    /// `l`: of opened frames. Sealed ones may be longer by the octets that sealing adds.
    sealed_inbound(std::unique_ptr<zmtp::opener> how, const frame_limits& l) noexcept;

private:
    friend framed_inbound;

    outcome take_large(const message::frame_header& h, message::buffer* body, octets behind, receive_arena& arena,
                       pipe::lane_writer& lane, command_handler* commands) noexcept
    {
        return open_large(opener_, std::size_t(h.body_size), body, behind, arena, lane, commands);
    }
    outcome process(octets there, receive_arena& arena, pipe::lane_writer& lane, command_handler* commands) noexcept;
    outcome keep_partial(octets there, const frame_opener::opening& found) noexcept;

    frame_opener opener_;
};

}  // namespace zlink::wire
