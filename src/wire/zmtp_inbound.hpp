// The frames of ZMTP 2.0 and 3.x (RFC 15, 23, 37), which lie in the lane as they come: octets are scanned in the chunk that
// they went into, and are handed over as spans. Large bodies get memory of their own.
#pragma once

#include "wire/frame_intake.hpp"

namespace zlink::wire {

class zmtp_inbound final : public inbound {
public:
    using limits = frame_limits;

    explicit zmtp_inbound(const limits& l) noexcept : scanner_(l.max_msg_size), intake_(l) {}

    [[nodiscard]] bool prepare(receive_arena& arena, pipe::lane_writer& lane, scratch& spare,
                               room& to) noexcept override
    {
        return intake_.prepare(arena, lane, spare, to);
    }
    [[nodiscard]] outcome accept(std::size_t got, bool full, receive_arena& arena, pipe::lane_writer& lane,
                                 const scratch& spare, command_handler* commands) noexcept override;
    [[nodiscard]] bool feed(std::span<const std::byte> some) noexcept override { return intake_.feed(some); }
    [[nodiscard]] bool has_unread() const noexcept override { return intake_.has_unread(); }

private:
    using octets = frame_intake::octets;

    outcome accept_large(std::size_t got, receive_arena& arena, pipe::lane_writer& lane,
                         command_handler* commands) noexcept;
    outcome process(octets there, receive_arena& arena, pipe::lane_writer& lane, command_handler* commands) noexcept;
    outcome keep_partial(octets there, const zmtp::frame_scanner::outcome& found) noexcept;

    zmtp::frame_scanner scanner_;
    frame_intake intake_;
};

}  // namespace zlink::wire
