// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/z85.hpp"

#include "base/byte_order.hpp"

#include <array>
#include <cstdint>
#include <limits>

namespace zlink {
namespace {

constexpr std::uint32_t base = 85;
constexpr std::string_view alphabet = "0123456789"
                                      "abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      ".-:+=^!/*?&<>()[]{}@%$#";
static_assert(alphabet.size() == base);

constexpr std::uint8_t no_digit = 0xff;

constexpr auto digit_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    }
    return values;
}();

/// False: `to` is untouched.
bool decode_group(std::string_view digits, std::byte* to) noexcept
{
    std::uint64_t number = 0;
    for (const char digit : digits) {
        const std::uint8_t value = digit_values[static_cast<unsigned char>(digit)];
        if (value == no_digit) return false;
        number = number * base + value;
    }
    if (number > std::numeric_limits<std::uint32_t>::max()) return false;
    store_be32(to, std::uint32_t(number));
    return true;
}

}  // namespace

void encode_z85(std::span<const std::byte> octets, char* to) noexcept
{
    for (std::size_t at = 0; at < octets.size(); at += z85_octets_per_group, to += z85_digits_per_group) {
        std::uint32_t number = load_be32(octets.data() + at);
        for (std::size_t i = z85_digits_per_group; i-- > 0; number /= base) to[i] = alphabet[number % base];
    }
}

bool decode_z85(std::string_view text, std::byte* to) noexcept
{
    if (text.size() % z85_digits_per_group != 0) return false;
    for (std::size_t at = 0; at < text.size(); at += z85_digits_per_group, to += z85_octets_per_group) {
        if (!decode_group(text.substr(at, z85_digits_per_group), to)) return false;
    }
    return true;
}

}  // namespace zlink
