// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Parsing and printing of the small notations that the tool's arguments and output use.
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace zlink::tool {
namespace {

std::optional<unsigned> hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return static_cast<unsigned>(digit - '0');
    }
    if (digit >= 'a' && digit <= 'f') {
        return static_cast<unsigned>(digit - 'a') + 10U;
    }
    if (digit >= 'A' && digit <= 'F') {
        return static_cast<unsigned>(digit - 'A') + 10U;
    }
    return std::nullopt;
}

std::string scaled(double value, double step, const std::array<const char*, 5>& units)
{
    std::size_t unit = 0;
    while (value >= step && unit + 1 < units.size()) {
        value /= step;
        ++unit;
    }
    const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

// Octets of the UTF-8 character that the text begins with; 0: it is none (RFC 3629).
std::size_t character_size(std::string_view text)
{
    const auto octet = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = octet(0);
    const std::size_t size = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
    if (size == 0 || size > text.size()) return 0;
    for (std::size_t at = 1; at < size; ++at) {
        if ((octet(at) & 0xc0) != 0x80) return 0;
    }
    const bool too_long_or_none = (first == 0xe0 && octet(1) < 0xa0) || (first == 0xed && octet(1) >= 0xa0) ||
                                  (first == 0xf0 && octet(1) < 0x90) || (first == 0xf4 && octet(1) >= 0x90);
    return too_long_or_none ? 0 : size;
}

}  // namespace

std::string to_hex(std::string_view bytes)
{
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text += digits[value >> 4U];
        text += digits[value & 15U];
    }
    return text;
}

std::optional<std::string> from_hex(std::string_view digits)
{
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        digits.remove_prefix(2);
    }
    std::string bytes;
    for (std::size_t at = 0; at < digits.size();) {
        if (digits[at] == ' ') {
            ++at;
            continue;
        }
        const auto high = hex_value(digits[at]);
        const auto low = at + 1 < digits.size() ? hex_value(digits[at + 1]) : std::nullopt;
        if (!high || !low) {
            return std::nullopt;
        }
        bytes += static_cast<char>(*high * 16U + *low);
        at += 2;
    }
    return bytes;
}

std::optional<std::string> unescape(std::string_view text)
{
    std::string bytes;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\') {
            bytes += text[at];
            continue;
        }
        if (++at == text.size()) {
            return std::nullopt;
        }
        switch (text[at]) {
        case 't': bytes += '\t'; break;
        case 'n': bytes += '\n'; break;
        case 'r': bytes += '\r'; break;
        case '0': bytes += '\0'; break;
        case '\\': bytes += '\\'; break;
        case 'x': {
            const auto byte = from_hex(text.substr(at + 1, 2));
            if (!byte || byte->size() != 1) {
                return std::nullopt;
            }
            bytes += *byte;
            at += 2;
            break;
        }
        default: return std::nullopt;
        }
    }
    return bytes;
}

std::string without_controls(std::string_view text, std::string_view kept)
{
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        const auto first = static_cast<unsigned char>(text[0]);
        const bool control = size == 0 || (size == 1 && (first < 0x20 || first == 0x7f)) ||
                             (size == 2 && first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0);
        const bool stays = !control || (size == 1 && kept.find(text[0]) != std::string_view::npos);
        const auto character = text.substr(0, std::max<std::size_t>(size, 1));
        if (stays) {
            result += character;
        } else {
            for (const char octet : character) {
                result += "\\x" + to_hex({&octet, 1});
            }
        }
        text.remove_prefix(character.size());
    }
    return result;
}

std::string printable(std::string_view bytes)
{
    return without_controls(bytes, "") == bytes ? std::string(bytes) : "0x" + to_hex(bytes);
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const double factor = unit.empty() || unit == "ms"   ? 1
                          : unit == "s"                  ? 1000
                          : unit == "m" || unit == "min" ? 60'000
                                                         : 0;
    if (error != std::errc{} || factor == 0 || !std::isfinite(value) || value < 0 || value * factor > 2e9) {
        return std::nullopt;
    }
    return std::chrono::milliseconds(std::llround(value * factor));
}

std::optional<std::size_t> parse_size(std::string_view text)
{
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit = lower({end, static_cast<std::size_t>(text.data() + text.size() - end)});
    const unsigned shift = unit == "k" ? 10 : unit == "m" ? 20 : unit == "g" ? 30 : 0;
    if (error != std::errc{} || (shift == 0 && !unit.empty()) || value == 0 ||
        value > std::numeric_limits<std::size_t>::max() >> (shift + 1)) {
        return std::nullopt;
    }
    return value << shift;
}

std::string utc_time_now()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    tm parts{};
    gmtime_r(&now.tv_sec, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, now.tv_nsec / 1000);
}

std::string unix_time_now()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return fmt::format("{}.{:06}", now.tv_sec, now.tv_nsec / 1000);
}

std::vector<std::string> split(std::string_view text, std::string_view separator)
{
    std::vector<std::string> parts;
    if (!separator.empty()) {
        for (auto at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
            parts.emplace_back(text.substr(0, at));
            text.remove_prefix(at + separator.size());
        }
    }
    parts.emplace_back(text);
    return parts;
}

std::string lower(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

std::string upper(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return result;
}

std::string grouped(std::uint64_t value)
{
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string messages(std::uint64_t count)
{
    return grouped(count) + (count == 1 ? " message" : " messages");
}

std::string short_count(double value)
{
    return scaled(value, 1000, {"", " k", " M", " G", " T"});
}

std::string byte_count(double bytes)
{
    return scaled(bytes, 1000, {" B", " kB", " MB", " GB", " TB"});
}

std::size_t edit_distance(std::string_view one, std::string_view other)
{
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= one.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const std::size_t replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

bool may_be_meant(std::string_view typed, std::string_view known)
{
    return edit_distance(typed, known) <= std::max<std::size_t>(1, std::min(typed.size(), known.size()) / 3);
}

}  // namespace zlink::tool
