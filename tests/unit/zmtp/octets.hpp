// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octet strings for protocol tests: written down as in the RFCs, compared and printed as hex.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::zmtp::test {

using octets = std::vector<std::byte>;

/// A piece of an octet string: one octet, or the characters of a text.
class piece {
public:
    piece(int octet) : text_(1, char(octet)) {}
    piece(const char* text) : text_(text) {}
    piece(std::string text) : text_(std::move(text)) {}
    piece(const octets& other) : text_(reinterpret_cast<const char*>(other.data()), other.size()) {}

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// wire({0x04, 5, "READY"}): the pieces one after the other.
inline octets wire(std::initializer_list<piece> pieces)
{
    octets out;
    for (const piece& p : pieces) {
        const auto bytes = std::as_bytes(std::span(p.text()));
        out.insert(out.end(), bytes.begin(), bytes.end());
    }
    return out;
}

inline octets zeros(std::size_t count)
{
    return octets(count);
}

inline octets copy(std::span<const std::byte> from)
{
    return {from.begin(), from.end()};
}

inline std::string text(std::span<const std::byte> from)
{
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

/// For comparisons whose failure can be read.
inline std::string hex(std::span<const std::byte> from)
{
    std::string out;
    for (const std::byte b : from) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x ", unsigned(b));
        out += digits;
    }
    return out;
}

}  // namespace zlink::zmtp::test
