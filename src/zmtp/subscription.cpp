// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Subscriptions in message and in command form.
#include "zmtp/subscription.hpp"

#include "base/grow.hpp"
#include "message/frame_header.hpp"
#include "zmtp/v1_framing.hpp"

namespace zlink::zmtp {

namespace {

constexpr std::byte subscribe_octet{1};
constexpr std::byte cancel_octet{0};

static_assert(max_subscription_prefix >= v1_max_header_size + 1);

}  // namespace

std::optional<subscription> subscription_from_message(std::span<const std::byte> body) noexcept
{
    if (body.empty() || (body[0] != subscribe_octet && body[0] != cancel_octet)) return std::nullopt;
    return subscription{body[0] == subscribe_octet, body.subspan(1)};
}

std::optional<subscription> subscription_from_command(const command& from) noexcept
{
    if (from.kind != command_kind::subscribe && from.kind != command_kind::cancel) return std::nullopt;
    return subscription{from.kind == command_kind::subscribe, from.data};
}

std::size_t encode_subscription_prefix(std::byte* to, bool subscribe, std::size_t topic_size,
                                       protocol_version version) noexcept
{
    if (version >= protocol_version::zmtp_3_1) {
        const std::size_t name = subscribe ? subscribe_prefix_size : cancel_prefix_size;
        const std::size_t n = message::encode_header(to, message::flag_command, name + topic_size);
        return n + (subscribe ? encode_subscribe_prefix(to + n) : encode_cancel_prefix(to + n));
    }
    const std::size_t n = version == protocol_version::zmtp_1_0 ? encode_v1_header(to, false, 1 + topic_size)
                                                                : message::encode_header(to, 0, 1 + topic_size);
    to[n] = subscribe ? subscribe_octet : cancel_octet;
    return n + 1;
}

void append_subscription(std::vector<std::byte>& out, const subscription& what, protocol_version version)
{
    std::byte prefix[max_subscription_prefix];
    const std::size_t n = encode_subscription_prefix(prefix, what.subscribe, what.topic.size(), version);
    grow_for(out, n + what.topic.size());
    out.insert(out.end(), prefix, prefix + n);
    out.insert(out.end(), what.topic.begin(), what.topic.end());
}

}  // namespace zlink::zmtp
