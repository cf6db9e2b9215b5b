// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/framing.hpp"

#include "wire/decoded_inbound.hpp"
#include "wire/sealed_inbound.hpp"
#include "wire/zmtp_inbound.hpp"
#include "wire/zws_inbound.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace zlink::engine {

namespace {

// Null: as messages lie in the lane.
std::unique_ptr<wire::frame_encoder> encoder_for(const session_options& options, zmtp::protocol_version version)
{
    if (options.raw) return wire::make_raw_encoder();
    if (version == zmtp::protocol_version::zmtp_1_0) return wire::make_zmtp1_encoder();
    if (traits(options.type).subscribes && version >= zmtp::protocol_version::zmtp_3_1)
        return wire::make_subscription_encoder();
    return nullptr;
}

// Publishers wait for what has come on their connections to be read, and hardly anything comes: a peer that sends a lot all
// the same is read in small pieces.
std::size_t read_limit(const session_options& options) noexcept
{
    constexpr std::size_t small_read = 8 * 1024;
    const std::size_t most = options.data_path.in_batch;
    return publishes(options.type) ? std::min(most, small_read) : most;
}

wire::frame_form form_of(const transport::stream& stream) noexcept
{
    const zws::agreement* const agreed = stream.agreed();
    if (!agreed) return wire::frame_form::zmtp;
    return agreed->client ? wire::frame_form::zws_client : wire::frame_form::zws_server;
}

}  // namespace

std::unique_ptr<wire::inbound> make_inbound(const session_options& options, zmtp::protocol_version version,
                                            const transport::stream& stream, std::unique_ptr<zmtp::opener> opens)
{
    const transport::data_path_settings& path = options.data_path;
    const std::int64_t most = options.connection.max_msg_size;
    const auto decoded = [&](std::unique_ptr<wire::frame_decoder> how) {
        return std::make_unique<wire::decoded_inbound>(std::move(how), path.max_transfer);
    };
    if (options.raw) return decoded(wire::make_raw_decoder());
    if (version == zmtp::protocol_version::zmtp_1_0) return decoded(wire::make_zmtp1_decoder(most));
    const wire::frame_limits limits{most, read_limit(options), path.writev_threshold, path.max_transfer};
    if (const wire::frame_form form = form_of(stream); form != wire::frame_form::zmtp) {
        return std::make_unique<wire::zws_inbound>(limits, form == wire::frame_form::zws_client, std::move(opens));
    }
    if (opens) return std::make_unique<wire::sealed_inbound>(std::move(opens), limits);
    return std::make_unique<wire::zmtp_inbound>(limits);
}

connection_writer make_writer(const session_options& options, zmtp::protocol_version version,
                              const transport::stream& stream, std::unique_ptr<zmtp::sealer> seals)
{
    const transport::data_path_settings& path = options.data_path;
    return connection_writer(encoder_for(options, version), {{path.out_batch, path.out_batch_small}, path.max_transfer},
                             std::move(seals), form_of(stream));
}

}  // namespace zlink::engine
