// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The proof of a server that it has understood an upgrade (RFC 6455 section 4.2.2). It is SHA-1 of the client's key and
// a fixed text, in base64.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace zlink::zws {

/// FIPS 180-4. Nothing here relies on its strength.
[[nodiscard]] std::array<std::byte, 20> sha1(std::string_view text);
[[nodiscard]] std::string base64(std::span<const std::byte> octets);

/// The value of Sec-WebSocket-Accept for this Sec-WebSocket-Key.
[[nodiscard]] std::string accept_for(std::string_view key);
/// 16 random octets.
[[nodiscard]] std::string new_key();
/// 16 octets in base64.
[[nodiscard]] bool is_key(std::string_view text) noexcept;

}  // namespace zlink::zws
