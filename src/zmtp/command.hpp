// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMTP commands: the body of a frame with flag COMMAND is a length-prefixed name followed by data (RFC 37, "Commands").
// Parsing yields views into the given bytes; errors are errc::protocol_error.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

enum class command_kind : std::uint8_t { ready, error, subscribe, cancel, join, leave, ping, pong, unknown };

struct command {
    command_kind kind;
    std::string_view name;            ///< as on the wire
    std::span<const std::byte> data;  ///< the octets behind the name: metadata, a topic, ...
};

/// Splits a command body into name and data. An unknown name is not an error.
[[nodiscard]] result<command> parse_command(std::span<const std::byte> body) noexcept;

inline constexpr std::size_t max_ping_context = 16;

struct ping {
    std::uint16_t ttl;                   ///< tenths of a second; 0: none
    std::span<const std::byte> context;  ///< the context for the answer, at most max_ping_context octets
};

/// The data of a PING. If the context is longer, the rest is cut off, as libzmq does.
[[nodiscard]] result<ping> parse_ping(std::span<const std::byte> data) noexcept;
/// The data of an ERROR: the reason. Octets after it are ignored, as libzmq does.
[[nodiscard]] result<std::string_view> parse_error_reason(std::span<const std::byte> data) noexcept;

/// Octets of a body apart from topic, group or context.
inline constexpr std::size_t subscribe_prefix_size = 10;
inline constexpr std::size_t cancel_prefix_size = 7;
inline constexpr std::size_t join_prefix_size = 5;
inline constexpr std::size_t leave_prefix_size = 6;
inline constexpr std::size_t ping_prefix_size = 7;
inline constexpr std::size_t pong_prefix_size = 5;
inline constexpr std::size_t ready_prefix_size = 6;

/// Each writes the octets that precede topic, group, context or metadata in a command body, and returns their number
/// (the constants above).
std::size_t encode_ready_prefix(std::byte* to) noexcept;
std::size_t encode_subscribe_prefix(std::byte* to) noexcept;
std::size_t encode_cancel_prefix(std::byte* to) noexcept;
std::size_t encode_join_prefix(std::byte* to) noexcept;
std::size_t encode_leave_prefix(std::byte* to) noexcept;
std::size_t encode_ping_prefix(std::byte* to, std::uint16_t ttl) noexcept;
std::size_t encode_pong_prefix(std::byte* to) noexcept;

/// Appends the body of an ERROR; a reason past 255 octets is cut.
void append_error(std::vector<std::byte>& out, std::string_view reason);

/// Appends a whole command frame: header and `body`.
void append_command_frame(std::vector<std::byte>& out, std::span<const std::byte> body);

}  // namespace zlink::zmtp
