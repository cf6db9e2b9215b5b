// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Big-endian integers, the byte order of every ZMTP number (RFC 37).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink {

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);

[[nodiscard]] inline std::uint64_t load_be64(const std::byte* from) noexcept
{
    std::uint64_t v;
    std::memcpy(&v, from, sizeof v);
    return std::endian::native == std::endian::little ? __builtin_bswap64(v) : v;
}

[[nodiscard]] inline std::uint32_t load_be32(const std::byte* from) noexcept
{
    std::uint32_t v;
    std::memcpy(&v, from, sizeof v);
    return std::endian::native == std::endian::little ? __builtin_bswap32(v) : v;
}

[[nodiscard]] inline std::uint16_t load_be16(const std::byte* from) noexcept
{
    std::uint16_t v;
    std::memcpy(&v, from, sizeof v);
    return std::endian::native == std::endian::little ? __builtin_bswap16(v) : v;
}

inline void store_be64(std::byte* to, std::uint64_t v) noexcept
{
    if constexpr (std::endian::native == std::endian::little) v = __builtin_bswap64(v);
    std::memcpy(to, &v, sizeof v);
}

inline void store_be32(std::byte* to, std::uint32_t v) noexcept
{
    if constexpr (std::endian::native == std::endian::little) v = __builtin_bswap32(v);
    std::memcpy(to, &v, sizeof v);
}

inline void store_be16(std::byte* to, std::uint16_t v) noexcept
{
    if constexpr (std::endian::native == std::endian::little) v = __builtin_bswap16(v);
    std::memcpy(to, &v, sizeof v);
}

}  // namespace zlink
