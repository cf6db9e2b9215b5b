// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A web server answers the signature of ZMTP by "HTTP/1.1 400 Bad Request". ZMTP 1.0 has no mark to recognize that. It
// reads a routing-id frame of 71 octets ('H' is its length), and frames after it: an ordinary peer, which takes every
// message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace zlink::zmtp {

/// Looks at the first octets of a stream, however they come.
class http_answer {
public:
    /// Takes the next octets. If they complete the beginning of an HTTP answer, returns how many belong to it; else 0.
    std::size_t advance(std::span<const std::byte> in) noexcept
    {
        for (std::size_t i = 0; i < in.size() && matched_ < beginning.size(); ++i) {
            matched_ = char(in[i]) == beginning[matched_] ? std::uint8_t(matched_ + 1) : other;
            if (matched_ == beginning.size()) return i + 1;
        }
        return 0;
    }

private:
    static constexpr std::string_view beginning = "HTTP/";
    static constexpr std::uint8_t other = 0xff;

    std::uint8_t matched_ = 0;
};

}  // namespace zlink::zmtp
