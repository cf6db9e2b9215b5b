// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Texts of programs and peers inside of texts with a syntax. Octets that are not UTF-8 become U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace zlink::stats {

/// A string of JSON, with its quotes.
void put_json_string(std::string& to, std::string_view text);
/// A label's value in Prometheus's text format, with its quotes.
void put_label_value(std::string& to, std::string_view text);

/// "00a1ff"
[[nodiscard]] std::string hex_of(std::string_view octets);

}  // namespace zlink::stats
