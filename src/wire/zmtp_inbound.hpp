// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The frames of ZMTP 2.0 and 3.x (RFC 15, 23, 37), which lie in the lane as they come. Octets are scanned in the chunk
// that they went into, and are handed over as spans. Large bodies get memory of their own.
#pragma once

#include "shm/receiving_arena.hpp"
#include "wire/framed_inbound.hpp"

namespace zlink::wire {

class zmtp_inbound final : public framed_inbound<zmtp_inbound> {
public:
    using limits = frame_limits;

    explicit zmtp_inbound(const limits& l) noexcept : framed_inbound(l) {}

    void share_bodies(shm::receiving_arena* arena) noexcept override { bodies_ = arena; }

private:
    friend framed_inbound;

    outcome take_large(const message::frame_header& h, message::buffer* body, octets behind, receive_arena& arena,
                       pipe::lane_writer& lane, command_handler* commands) noexcept;
    outcome process(octets there, receive_arena& arena, pipe::lane_writer& lane, command_handler* commands) noexcept;
    outcome keep_partial(octets there, const zmtp::frame_scanner::outcome& found) noexcept;
    outcome take_reference(octets& there, pipe::lane_writer& lane, bool& partial) noexcept;

    shm::receiving_arena* bodies_ = nullptr;  ///< null: none is shared
};

}  // namespace zlink::wire
