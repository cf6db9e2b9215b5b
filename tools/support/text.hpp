// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Text as the user types and reads it: hex, escapes, durations, counts with unit prefixes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool {

// Lower-case hex digits of the bytes.
std::string to_hex(std::string_view bytes);

// The bytes of hex digits; blanks between bytes and a leading 0x are ignored. Nothing when it isn't hex.
std::optional<std::string> from_hex(std::string_view digits);

// Resolves \t, \n, \r, \0, \\ and \xHH. Nothing when an escape is unknown.
std::optional<std::string> unescape(std::string_view text);

// What a terminal would obey becomes \xHH: control characters (C0 but those kept, C1) and octets that aren't UTF-8.
std::string without_controls(std::string_view text, std::string_view kept);

// The text itself when it is printable, otherwise 0x and its hex digits.
std::string printable(std::string_view bytes);

// "250", "250ms", "2s", "1.5s" or "1m"; a plain number means milliseconds. Nothing when it isn't a duration.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// "500", "64k", "1M" or "2G" octets, by steps of 1024; at least 1. Nothing when it isn't a size.
std::optional<std::size_t> parse_size(std::string_view text);

// The time now: 2026-01-31T23:59:59.123456Z, and seconds since 1970 with as many digits.
std::string utc_time_now();
std::string unix_time_now();

// Cuts at every occurrence of the separator; an empty separator leaves the text whole.
std::vector<std::string> split(std::string_view text, std::string_view separator);

std::string lower(std::string_view text);
std::string upper(std::string_view text);

// 1,234,567
std::string grouped(std::uint64_t value);

// "1 message", "12,345 messages"
std::string messages(std::uint64_t count);

// 1.23 M, 45.6 k, 789
std::string short_count(double value);

// 12.3 MB
std::string byte_count(double bytes);

// Number of single-character edits between two words.
std::size_t edit_distance(std::string_view one, std::string_view other);

// For "did you mean": so few edits that the one may be meant by the other.
bool may_be_meant(std::string_view typed, std::string_view known);

}  // namespace zlink::tool
