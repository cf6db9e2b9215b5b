// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Z85 (RFC 32): four octets, read as a big-endian number, become five digits base 85.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace zlink {

inline constexpr std::size_t z85_octets_per_group = 4;
inline constexpr std::size_t z85_digits_per_group = 5;

/// The number of digits for `octets` octets.
constexpr std::size_t z85_size(std::size_t octets) noexcept
{
    return octets / z85_octets_per_group * z85_digits_per_group;
}

/// Writes five digits for each four octets; the number of octets is a multiple of four. No zero at the end.
void encode_z85(std::span<const std::byte> octets, char* to) noexcept;

/// Writes four octets for each five digits. False if the length is not a multiple of five, a character is not a digit,
/// or a group needs more than 32 bits. Part may have been written then.
[[nodiscard]] bool decode_z85(std::string_view text, std::byte* to) noexcept;

}  // namespace zlink
