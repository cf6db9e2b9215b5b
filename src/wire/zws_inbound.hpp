// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames of ZWS (RFC 45), each in a message of WebSocket. Small ones that have come together are unmasked in place.
// After that they lie in lane form, a little before their former place, and go to the lane as one span. A large body
// gets memory of its own, and is unmasked there. If a mechanism seals, the contents of a message are opened next.
#pragma once

#include "wire/opening_inbound.hpp"
#include "zmtp/mechanism/sealing.hpp"
#include "zws/fragments.hpp"
#include "zws/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace zlink::wire {

class zws_inbound final : public opening_inbound<zws_inbound> {
public:
    /// `client`: this side masks, so the peer does not. `opens`: null if frames are not sealed. `l`: of frames of
    /// ZeroMQ, also of those that come in fragments; sealed ones may be longer. May throw std::bad_alloc.
    zws_inbound(const frame_limits& l, bool client, std::unique_ptr<zmtp::opener> opens = nullptr);

private:
    friend framed_inbound;

    enum class stop : std::uint8_t { end, partial, control, fragment, command, bad, text, long_command, too_long };
    /// What comes in memory of its own: the body of a frame of ZeroMQ, or a fragment.
    enum class large_is : std::uint8_t { body, fragment, last_fragment };
    /// The result for some octets: frames in lane form up to `found.frames_end`; the cause of the stop is at `rest`.
    struct run {
        zmtp::frame_scanner::outcome found;
        std::byte* rest;
        stop why = stop::end;
        zws::frame_header header{};  ///< of the frame at `rest`, unless `why` is end; size 0: the header is not whole
    };

    outcome take_large(const message::frame_header& h, message::buffer* body, octets behind, receive_arena& arena,
                       pipe::lane_writer& lane, command_handler* commands) noexcept;
    outcome process(octets there, receive_arena& arena, pipe::lane_writer& lane, command_handler* commands) noexcept;

    template <bool Masked>
    [[nodiscard]] run unframe(octets from, std::byte* to) const noexcept;
    [[nodiscard]] run unframe(octets from, std::byte* to) const noexcept;
    [[nodiscard]] stop look(const std::byte* at, std::size_t there, zws::frame_header& h) const noexcept;
    [[nodiscard]] stop look_at_fragment(const std::byte* payload, std::size_t there,
                                        const zws::frame_header& h) const noexcept;
    outcome hand_over(std::byte* begin, const run& what, octets rest, receive_arena& arena, pipe::lane_writer& lane,
                      command_handler* commands) noexcept;

    /// Each takes the message of WebSocket at the beginning of `there`, and moves `there` behind it.
    outcome take_control(octets& there, const zws::frame_header& h, command_handler* commands) noexcept;
    outcome take_command(octets& there, const zws::frame_header& h, command_handler* commands) noexcept;
    outcome take_fragment(octets& there, const zws::frame_header& h, pipe::lane_writer& lane,
                          command_handler* commands) noexcept;

    outcome add_fragment(std::span<const std::byte> payload, bool final, octets behind, pipe::lane_writer& lane,
                         command_handler* commands) noexcept;
    outcome deliver_fragments(octets behind, pipe::lane_writer& lane, command_handler* commands) noexcept;
    outcome keep_partial(octets there, const zws::frame_header& h) noexcept;
    outcome broken(close_reason why = close_reason::protocol_error) noexcept
    {
        tell_peer(why);
        return fail(errc::protocol_error, zmtp::handshake_error::carrier_unspecified);
    }
    outcome too_long() noexcept
    {
        tell_peer(close_reason::too_long);
        return fail(errc::message_too_long);
    }

    const bool client_;
    std::optional<frame_opener> opener_;
    const std::uint64_t largest_;  ///< body of a frame of ZeroMQ, sealed if frames are sealed
    zws::mask large_key_ = 0;      ///< of the large body that comes
    large_is large_ = large_is::body;
    zws::fragments fragments_;
    bool closed_ = false;  ///< the peer has said that it closes
};

}  // namespace zlink::wire
