// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/text_escapes.hpp"

#include <cstddef>
#include <cstdint>

namespace zlink::stats {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr std::string_view hex_digits = "0123456789abcdef";

/// The octets of the character at the beginning; 0: it is not UTF-8.
std::size_t character_size(std::string_view text) noexcept
{
    const auto at = [text](std::size_t i) { return std::uint8_t(text[i]); };
    const auto follows = [&](std::size_t i) { return i < text.size() && (at(i) & 0xc0) == 0x80; };
    const std::uint8_t first = at(0);
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
    if (first >= 0xe0 && first < 0xf0) {
        if (!follows(1) || !follows(2)) return 0;
        const bool overlong = first == 0xe0 && at(1) < 0xa0, surrogate = first == 0xed && at(1) >= 0xa0;
        return overlong || surrogate ? 0 : 3;
    }
    if (first >= 0xf0 && first < 0xf5) {
        if (!follows(1) || !follows(2) || !follows(3)) return 0;
        const bool overlong = first == 0xf0 && at(1) < 0x90, beyond = first == 0xf4 && at(1) >= 0x90;
        return overlong || beyond ? 0 : 4;
    }
    return 0;
}

template <class Escape>
void put_quoted(std::string& to, std::string_view text, Escape&& escape)
{
    to += '"';
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 0) {
            to += replacement;
            text.remove_prefix(1);
            continue;
        }
        if (size != 1 || !escape(text.front())) to += text.substr(0, size);
        text.remove_prefix(size);
    }
    to += '"';
}

}  // namespace

void put_json_string(std::string& to, std::string_view text)
{
    put_quoted(to, text, [&to](char c) {
        if (c == '"' || c == '\\') {
            to += '\\';
            to += c;
            return true;
        }
        if (std::uint8_t(c) >= 0x20 && c != 0x7f) return false;
        to += "\\u00";
        to += hex_digits[std::uint8_t(c) >> 4];
        to += hex_digits[c & 15];
        return true;
    });
}

void put_label_value(std::string& to, std::string_view text)
{
    put_quoted(to, text, [&to](char c) {
        if (c != '"' && c != '\\' && c != '\n') return false;
        to += '\\';
        to += c == '\n' ? 'n' : c;
        return true;
    });
}

std::string hex_of(std::string_view octets)
{
    std::string text;
    for (const char c : octets) {
        text += hex_digits[std::uint8_t(c) >> 4];
        text += hex_digits[c & 15];
    }
    return text;
}

}  // namespace zlink::stats
