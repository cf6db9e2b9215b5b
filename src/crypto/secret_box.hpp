// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// NaCl's boxes with a whole nonce given, one at a time, as handshakes need them. crypto_box after its key agreement and
// crypto_secretbox are the same. (Boxes of traffic: box.hpp.)
#pragma once

#include "crypto/keys.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace zlink::crypto {

inline constexpr std::size_t nonce_size = 24;
using nonce = std::array<std::byte, nonce_size>;

/// Writes text.size() + box_overhead octets.
void seal_box(const secret_key& key, const nonce& number, std::span<const std::byte> text, std::byte* to) noexcept;

/// Writes box.size() - box_overhead octets and returns true; or returns false if the box is not authentic.
[[nodiscard]] bool open_box(const secret_key& key, const nonce& number, std::span<const std::byte> box,
                            std::byte* to) noexcept;

}  // namespace zlink::crypto
