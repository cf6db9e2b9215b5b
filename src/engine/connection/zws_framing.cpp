// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZWS (RFC 45), the framing that a stream can negotiate: it has no greeting, and each frame of ZeroMQ is a message of
// WebSocket.
#include "base/byte_order.hpp"
#include "base/invariant.hpp"
#include "engine/connection/framing.hpp"
#include "engine/security_options.hpp"
#include "wire/zws_handshake.hpp"
#include "wire/zws_inbound.hpp"
#include "wire/zws_octets.hpp"
#include "zmtp/mechanism/table.hpp"
#include "zws/agreement.hpp"
#include "zws/close_code.hpp"

#include <optional>
#include <utility>

namespace zlink::engine {

namespace {

using wire::close_reason;

zws::close_code code_of(close_reason why) noexcept
{
    switch (why) {
    case close_reason::none: break;
    case close_reason::finished: return zws::close_code::normal;
    case close_reason::protocol_error: return zws::close_code::protocol_error;
    case close_reason::unsupported_data: return zws::close_code::unsupported_data;
    case close_reason::refused: return zws::close_code::policy_violation;
    case close_reason::too_long: return zws::close_code::too_big;
    }
    return zws::close_code::none;
}

// Null until the stream has agreed.
const transport::negotiation* agreed(const transport::stream& stream) noexcept
{
    const transport::negotiation* const with = stream.negotiates();
    return with && with->now == transport::negotiation::state::agreed ? with : nullptr;
}

bool is_client(const transport::stream& stream) noexcept
{
    invariant([&] { return agreed(stream) != nullptr; });
    return stream.negotiates()->client;
}

/// Begins once the stream has agreed on the mechanism.
class handshake_of_zws final : public framed_handshake {
public:
    handshake_of_zws(zmtp::local_peer local, const transport::stream& stream) noexcept
        : machine_(std::move(local), zmtp::handshake::beginning::elsewhere),
          stream_(stream)
    {}

    [[nodiscard]] zmtp::handshake& machine() noexcept override { return machine_; }
    [[nodiscard]] step advance(std::span<const std::byte> in) noexcept override
    {
        if (!frames_ && !begin()) return {machine_.current(), {}};
        const zmtp::handshake::step taken = frames_->advance(in);
        return {taken.state, frames_->unread()};
    }
    [[nodiscard]] std::vector<std::byte> begun_traffic() const override
    {
        return frames_ ? frames_->begun_traffic() : std::vector<std::byte>{};
    }
    [[nodiscard]] std::span<const std::byte> output() noexcept override
    {
        return frames_ ? frames_->output() : std::span<const std::byte>{};
    }
    void consume_output(std::size_t n) noexcept override
    {
        if (frames_) frames_->consume_output(n);
    }
    [[nodiscard]] carrier_failure failure() const noexcept override
    {
        using kind = carrier_failure::kind;
        constexpr auto error = zmtp::handshake_error::carrier_unspecified;
        if (frames_ && frames_->closed()) return {kind::closed};
        if (frames_ && frames_->broken()) return {kind::broken, error, frames_->told_to_peer()};
        if (stream_.negotiates()->now == transport::negotiation::state::failed) return {kind::not_negotiated, error};
        return {};
    }

private:
    [[nodiscard]] bool begin() noexcept
    {
        const transport::negotiation* const with = agreed(stream_);
        if (!with) return false;
        machine_.begin(with->mechanism);
        frames_.emplace(machine_, with->client);
        return true;
    }

    zmtp::handshake machine_;
    const transport::stream& stream_;
    std::optional<wire::zws_handshake> frames_;  ///< around the machine, once that has begun
};

class zws_frames final : public framing {
public:
    [[nodiscard]] std::unique_ptr<framed_handshake> make_handshake(zmtp::local_peer local,
                                                                   const transport::stream& stream) const override
    {
        return std::make_unique<handshake_of_zws>(std::move(local), stream);
    }
    [[nodiscard]] std::unique_ptr<wire::inbound> make_inbound(const session_options& options, zmtp::protocol_version,
                                                              const transport::stream& stream,
                                                              std::unique_ptr<zmtp::opener> opens) const override
    {
        return std::make_unique<wire::zws_inbound>(frame_limits_of(options), is_client(stream), std::move(opens));
    }
    [[nodiscard]] wire::outbound make_outbound(const session_options& options, zmtp::protocol_version,
                                               const transport::stream& stream,
                                               std::unique_ptr<zmtp::sealer> seals) const override
    {
        const wire::foreign_form& form = wire::zws_form(is_client(stream));
        std::unique_ptr<wire::frame_encoder> joins;
        if (joins_groups(options))
            joins = seals ? wire::make_group_encoder() : wire::make_zws_group_encoder(is_client(stream));
        return wire::outbound(std::move(joins), std::move(seals), &form);
    }
    // Heartbeats are pings of WebSocket, whatever the version.
    [[nodiscard]] bool has_heartbeats(zmtp::protocol_version) const noexcept override { return true; }

    [[nodiscard]] close_frame make_close_frame(close_reason why,
                                               const transport::stream& stream) const noexcept override
    {
        constexpr std::size_t code_size = 2;
        constexpr std::size_t room = std::tuple_size_v<decltype(close_frame::octets)>;
        static_assert(zws::header_size(code_size, true) + code_size <= room);
        const transport::negotiation* const with = agreed(stream);
        if (why == close_reason::none || !with) return {};
        close_frame frame;
        const wire::begun_zws_frame begun = wire::begin_zws_frame(frame.octets.data(), with->client, zws::opcode::close,
                                                                  code_size, zws::mask_source::of_this_thread());
        store_be16(begun.body, std::uint16_t(code_of(why)));
        zws::copy_masked(begun.body, begun.body, code_size, begun.key);
        frame.size = std::uint8_t(begun.body + code_size - frame.octets.data());
        return frame;
    }
    [[nodiscard]] std::string_view mistake(close_reason why) const noexcept override
    {
        return zws::mistake(code_of(why));
    }
};

constinit const zws_frames zws_object;

}  // namespace

const framing& negotiated_framing() noexcept
{
    return zws_object;
}

std::vector<std::string> negotiated_protocols(const security_settings& security)
{
    const zmtp::mechanism_row* const row = zmtp::find_mechanism(security.mechanism);
    return row ? zws::protocols_of(row->name, security.checks_peers()) : std::vector<std::string>{};
}

}  // namespace zlink::engine
