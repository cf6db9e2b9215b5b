// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How ZMTP lies in the octets of a stream. A framing is chosen once for a connection. It makes the carrier of the
// handshake, the inbound half and the outbound half. It encodes the frame that closes the connection, and has words for
// mistakes of the peer.
#pragma once

#include "engine/connection/connection_writer.hpp"
#include "engine/connection/framed_handshake.hpp"
#include "engine/session_options.hpp"
#include "transport/stream.hpp"
#include "wire/close_reason.hpp"
#include "wire/frame_intake.hpp"
#include "wire/inbound.hpp"
#include "wire/outbound.hpp"
#include "zmtp/mechanism/sealing.hpp"
#include "zmtp/peer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace zlink::engine {

/// The octets that close a connection, if there are any.
struct close_frame {
    std::array<std::byte, 8> octets{};
    std::uint8_t size = 0;

    [[nodiscard]] std::span<const std::byte> span() const noexcept { return std::span(octets).first(size); }
};

/// Objects have no state of their own, live for ever, and are used by any thread. Nothing here is called for a message
/// or a batch.
class framing {
public:
    /// Null: traffic begins at once. The stream outlives the handshake. May throw std::bad_alloc.
    [[nodiscard]] virtual std::unique_ptr<framed_handshake> make_handshake(zmtp::local_peer local,
                                                                           const transport::stream& stream) const = 0;

    // After the handshake

    /// The half that makes messages of octets. `opens`: the opener that the handshake's mechanism has left, or null.
    /// May throw std::bad_alloc.
    [[nodiscard]] virtual std::unique_ptr<wire::inbound> make_inbound(const session_options& options,
                                                                      zmtp::protocol_version version,
                                                                      const transport::stream& stream,
                                                                      std::unique_ptr<zmtp::opener> opens) const = 0;
    /// The half that makes octets of messages. `seals`: as above. May throw std::bad_alloc.
    [[nodiscard]] virtual wire::outbound make_outbound(const session_options& options, zmtp::protocol_version version,
                                                       const transport::stream& stream,
                                                       std::unique_ptr<zmtp::sealer> seals) const = 0;
    /// There are PINGs to send, and peers of that version answer them.
    [[nodiscard]] virtual bool has_heartbeats(zmtp::protocol_version version) const noexcept = 0;

    // At the end. By default a peer is told nothing

    [[nodiscard]] virtual close_frame make_close_frame(wire::close_reason, const transport::stream&) const noexcept
    {
        return {};
    }
    /// The mistake of the peer that has this reason, for zlink_last_error(); empty: not a mistake, or one that is known
    /// otherwise.
    [[nodiscard]] virtual std::string_view mistake(wire::close_reason) const noexcept { return {}; }

protected:
    ~framing() = default;
};

/// The framing of a connection over that stream.
[[nodiscard]] const framing& framing_of(const session_options& options, const transport::stream& stream) noexcept;

/// ZMTP 2.0 and later as it lies in the lane, sealed or not, and ZMTP 1.0.
[[nodiscard]] const framing& zmtp_framing() noexcept;
/// Bodies alone, without a handshake: STREAM and raw ROUTER.
[[nodiscard]] const framing& raw_framing() noexcept;
/// Of streams that negotiate (transport::stream::negotiates()).
[[nodiscard]] const framing& negotiated_framing() noexcept;

/// Its messages join and leave groups, by commands.
[[nodiscard]] bool joins_groups(const session_options& options) noexcept;

/// The limits that inbound halves made of frames obey.
[[nodiscard]] wire::frame_limits frame_limits_of(const session_options& options) noexcept;

/// The writer of messages to the stream. May throw std::bad_alloc.
[[nodiscard]] connection_writer make_writer(const framing& frames, const session_options& options,
                                            zmtp::protocol_version version, const transport::stream& stream,
                                            std::unique_ptr<zmtp::sealer> seals);

/// Tells the peer that this side closes the connection, if the framing has words for that. The octets written before
/// have to end with a whole frame; nothing is written afterwards.
void say_close(const framing& frames, transport::stream& stream, wire::close_reason why) noexcept;

}  // namespace zlink::engine
