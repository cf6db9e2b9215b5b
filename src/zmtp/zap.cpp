// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZAP requests and replies.
#include "zmtp/zap.hpp"

#include "zmtp/metadata.hpp"

#include <cstring>

namespace zlink::zmtp {

namespace {

constexpr std::string_view zap_version = "1.0";
constexpr std::size_t reply_frames = 7;

std::vector<std::byte> octets_of(std::string_view text)
{
    const auto octets = std::as_bytes(std::span(text));
    return {octets.begin(), octets.end()};
}

std::string_view text_of(zap_frame frame) noexcept
{
    return {reinterpret_cast<const char*>(frame.data()), frame.size()};
}

/// 200, 300, 400 or 500, else 0.
int status_of(std::string_view code) noexcept
{
    if (code.size() != 3 || code[0] < '2' || code[0] > '5' || code[1] != '0' || code[2] != '0') return 0;
    return (code[0] - '0') * 100;
}

}  // namespace

std::vector<std::vector<std::byte>> zap_request_frames(const zap_request& request, const zap_envelope& envelope)
{
    std::vector<std::vector<std::byte>> frames;
    frames.reserve(7 + request.credentials.size());
    frames.emplace_back();
    frames.push_back(octets_of(zap_version));
    frames.push_back(octets_of(envelope.request_id));
    frames.push_back(octets_of(envelope.domain));
    frames.push_back(octets_of(envelope.address));
    frames.emplace_back(envelope.routing_id.begin(), envelope.routing_id.end());
    frames.push_back(octets_of(request.mechanism));
    frames.insert(frames.end(), request.credentials.begin(), request.credentials.end());
    return frames;
}

handshake_error parse_zap_reply(const zap_reply& reply, zap_answer& out)
{
    const auto frames = reply.frames;
    if (frames.size() != reply_frames) return handshake_error::zap_malformed_reply;
    if (!frames[0].empty()) return handshake_error::zap_unspecified;
    if (text_of(frames[1]) != zap_version) return handshake_error::zap_bad_version;
    if (text_of(frames[2]) != reply.request_id) return handshake_error::zap_bad_request_id;
    const int status = status_of(text_of(frames[3]));
    if (status == 0) return handshake_error::zap_invalid_status_code;
    result<std::vector<property>> metadata = parse_metadata(frames[6]);
    if (!metadata) return handshake_error::zap_invalid_metadata;

    out.status = status;
    out.user_id = text_of(frames[5]);
    out.metadata = std::move(*metadata);
    return handshake_error::none;
}

}  // namespace zlink::zmtp
