// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Subscriptions on the wire: SUBSCRIBE and CANCEL commands towards 3.1 peers, messages that begin with octet 1 or 0
// towards older ones. Either form may be received.
#pragma once

#include "zmtp/command.hpp"
#include "zmtp/peer.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace zlink::zmtp {

struct subscription {
    bool subscribe;  ///< false: cancel
    std::span<const std::byte> topic;
};

/// Reads the message form: %x01 or %x00, then the topic. Anything else is a user's message.
[[nodiscard]] std::optional<subscription> subscription_from_message(std::span<const std::byte> body) noexcept;

/// Reads the command form; nothing if it is another command.
[[nodiscard]] std::optional<subscription> subscription_from_command(const command& from) noexcept;

/// Most octets encode_subscription_prefix() writes: a long frame header and the SUBSCRIBE name.
inline constexpr std::size_t max_subscription_prefix = 9 + subscribe_prefix_size;

/// Writes the part of the frame that precedes the topic, in the form and framing of `version`; returns its octets.
std::size_t encode_subscription_prefix(std::byte* to, bool subscribe, std::size_t topic_size,
                                       protocol_version version) noexcept;

/// Appends the whole frame.
void append_subscription(std::vector<std::byte>& out, const subscription& what, protocol_version version);

}  // namespace zlink::zmtp
