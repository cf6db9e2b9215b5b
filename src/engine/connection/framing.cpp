// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/framing.hpp"

#include "wire/decoded_inbound.hpp"
#include "wire/sealed_inbound.hpp"
#include "wire/zmtp_inbound.hpp"

#include <algorithm>
#include <utility>

namespace zlink::engine {

namespace {

// Publishers wait until the input on their connections has been read, and there is hardly any input. If a peer sends a
// lot all the same, it is read in small pieces.
std::size_t read_limit(const session_options& options) noexcept
{
    constexpr std::size_t small_read = 8 * 1024;
    const std::size_t most = options.data_path.in_batch;
    return publishes(options.type) ? std::min(most, small_read) : most;
}

std::unique_ptr<wire::inbound> decoded(std::unique_ptr<wire::frame_decoder> how, const session_options& options)
{
    return std::make_unique<wire::decoded_inbound>(std::move(how), options.data_path.max_transfer);
}

/// The machine's octets as they are.
class plain_handshake final : public framed_handshake {
public:
    explicit plain_handshake(zmtp::local_peer local) noexcept : machine_(std::move(local)) {}

    [[nodiscard]] zmtp::handshake& machine() noexcept override { return machine_; }
    [[nodiscard]] step advance(std::span<const std::byte> in) noexcept override
    {
        const zmtp::handshake::step taken = machine_.advance(in);
        return {taken.state, in.subspan(taken.consumed)};
    }
    [[nodiscard]] std::vector<std::byte> begun_traffic() const override { return machine_.begun_traffic(); }
    [[nodiscard]] std::span<const std::byte> output() noexcept override { return machine_.output(); }
    void consume_output(std::size_t n) noexcept override { machine_.consume_output(n); }
    [[nodiscard]] carrier_failure failure() const noexcept override { return {}; }

private:
    zmtp::handshake machine_;
};

class zmtp_frames final : public framing {
public:
    [[nodiscard]] std::unique_ptr<framed_handshake> make_handshake(zmtp::local_peer local,
                                                                   const transport::stream&) const override
    {
        return std::make_unique<plain_handshake>(std::move(local));
    }
    [[nodiscard]] std::unique_ptr<wire::inbound> make_inbound(const session_options& options,
                                                              zmtp::protocol_version version, const transport::stream&,
                                                              std::unique_ptr<zmtp::opener> opens) const override
    {
        if (version == zmtp::protocol_version::zmtp_1_0) {
            return decoded(wire::make_zmtp1_decoder(options.connection.max_msg_size), options);
        }
        if (opens) return std::make_unique<wire::sealed_inbound>(std::move(opens), frame_limits_of(options));
        return std::make_unique<wire::zmtp_inbound>(frame_limits_of(options));
    }
    [[nodiscard]] wire::outbound make_outbound(const session_options& options, zmtp::protocol_version version,
                                               const transport::stream&,
                                               std::unique_ptr<zmtp::sealer> seals) const override
    {
        return wire::outbound(encoder_for(options, version), std::move(seals));
    }
    // libzmq 4.2 to 4.3.2 announce 3.0 and have heartbeats.
    [[nodiscard]] bool has_heartbeats(zmtp::protocol_version version) const noexcept override
    {
        return version >= zmtp::protocol_version::zmtp_3_0;
    }

private:
    // Null: frames are written as messages lie in the lane.
    static std::unique_ptr<wire::frame_encoder> encoder_for(const session_options& options,
                                                            zmtp::protocol_version version)
    {
        if (version == zmtp::protocol_version::zmtp_1_0) return wire::make_zmtp1_encoder();
        if (joins_groups(options)) return wire::make_group_encoder();
        if (traits(options.type).subscribes && version >= zmtp::protocol_version::zmtp_3_1)
            return wire::make_subscription_encoder();
        return nullptr;
    }
};

class raw_octets final : public framing {
public:
    [[nodiscard]] std::unique_ptr<framed_handshake> make_handshake(zmtp::local_peer,
                                                                   const transport::stream&) const override
    {
        return nullptr;
    }
    [[nodiscard]] std::unique_ptr<wire::inbound> make_inbound(const session_options& options, zmtp::protocol_version,
                                                              const transport::stream&,
                                                              std::unique_ptr<zmtp::opener>) const override
    {
        return decoded(wire::make_raw_decoder(), options);
    }
    [[nodiscard]] wire::outbound make_outbound(const session_options&, zmtp::protocol_version, const transport::stream&,
                                               std::unique_ptr<zmtp::sealer>) const override
    {
        return wire::outbound(wire::make_raw_encoder());
    }
    [[nodiscard]] bool has_heartbeats(zmtp::protocol_version) const noexcept override { return false; }
};

constinit const zmtp_frames zmtp_object;
constinit const raw_octets raw_object;

}  // namespace

const framing& zmtp_framing() noexcept
{
    return zmtp_object;
}

const framing& raw_framing() noexcept
{
    return raw_object;
}

const framing& framing_of(const session_options& options, const transport::stream& stream) noexcept
{
    if (options.raw) return raw_framing();
    return stream.negotiates() ? negotiated_framing() : zmtp_framing();
}

bool joins_groups(const session_options& options) noexcept
{
    return traits(options.type).subscribes && traits(options.type).has_groups;
}

wire::frame_limits frame_limits_of(const session_options& options) noexcept
{
    const transport::data_path_settings& path = options.data_path;
    return {options.connection.max_msg_size, read_limit(options), path.writev_threshold, path.max_transfer};
}

connection_writer make_writer(const framing& frames, const session_options& options, zmtp::protocol_version version,
                              const transport::stream& stream, std::unique_ptr<zmtp::sealer> seals)
{
    const transport::data_path_settings& path = options.data_path;
    return connection_writer(frames.make_outbound(options, version, stream, std::move(seals)),
                             {{path.out_batch, path.out_batch_small}, path.max_transfer});
}

void say_close(const framing& frames, transport::stream& stream, wire::close_reason why) noexcept
{
    const close_frame last = frames.make_close_frame(why, stream);
    if (last.size != 0) stream.end_with(last.span());
}

}  // namespace zlink::engine
