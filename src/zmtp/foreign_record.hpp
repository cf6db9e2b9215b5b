// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A client of TLS begins with a handshake record, and a server of TLS answers the signature of ZMTP by an alert. ZMTP
// 1.0 has no mark to recognize that. It reads the record's type as the length of a routing-id frame, and the version,
// 3, as its flags, which in ZMTP 1.0 have one bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace zlink::zmtp {

/// Looks at the first octets of a stream, however they come.
class foreign_record {
public:
    /// Takes the next octets. If they complete the beginning of a record, returns how many belong to it; else 0.
    std::size_t advance(std::span<const std::byte> in) noexcept
    {
        for (std::size_t i = 0; i < in.size() && matched_ < beginning; ++i) {
            matched_ = fits(std::to_integer<unsigned>(in[i])) ? std::uint8_t(matched_ + 1) : other;
            if (matched_ == beginning) return i + 1;
        }
        return 0;
    }

private:
    static constexpr std::uint8_t beginning = 3;
    static constexpr std::uint8_t other = 0xff;

    [[nodiscard]] bool fits(unsigned octet) const noexcept
    {
        constexpr unsigned alert = 21, handshake = 22, major = 3, newest_minor = 4;
        switch (matched_) {
        case 0: return octet == alert || octet == handshake;
        case 1: return octet == major;
        default: return octet <= newest_minor;
        }
    }

    std::uint8_t matched_ = 0;
};

}  // namespace zlink::zmtp
