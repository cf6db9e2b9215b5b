// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "zws/http_head.hpp"

#include <algorithm>

namespace zlink::zws {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view head_end = "\r\n\r\n";

char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

bool is_token(std::string_view text) noexcept
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

// The octets of a field or start line: visible ones, blanks, and those above ASCII.
bool is_text(std::string_view text) noexcept
{
    return std::ranges::all_of(text, [](char c) { return c == '\t' || (std::uint8_t(c) >= 0x20 && c != 0x7f); });
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) noexcept
{
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) noexcept
{
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::size_t http_head::advance(std::span<const std::byte> in)
{
    if (state_ != state::in_progress) return 0;
    const std::size_t before = text_.size();
    const auto is_visible = [](std::byte first) { return first > std::byte{0x20} && first < std::byte{0x7f}; };
    if (before == 0 && !in.empty() && !is_visible(in.front())) {
        // A peer that speaks ZMTP or TLS would wait for an answer.
        state_ = state::malformed;
        return 1;
    }
    const std::size_t taken = std::min(in.size(), longest - before);
    text_.append(reinterpret_cast<const char*>(in.data()), taken);
    const std::size_t from = before < head_end.size() ? 0 : before - head_end.size();
    const std::size_t end = text_.find(head_end, from);
    if (end == std::string::npos) {
        if (text_.size() == longest) state_ = state::too_long;
        return taken;
    }
    text_.resize(end + head_end.size());
    state_ = check_lines() ? state::complete : state::malformed;
    return text_.size() - before;
}

bool http_head::check_lines() const noexcept
{
    const std::size_t first = text_.find(line_end);
    if (first == 0 || !is_text(std::string_view(text_).substr(0, first))) return false;
    for (std::size_t at = first + 2; at + 2 < text_.size();) {
        const std::size_t end = text_.find(line_end, at);
        const auto line = std::string_view(text_).substr(at, end - at);
        const std::size_t colon = line.find(':');
        // Lines that begin with a blank once continued the line before. They are refused, as are those without a name.
        if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) || !is_text(line)) return false;
        at = end + 2;
    }
    return true;
}

bool http_head::next_field(std::size_t& at, std::string_view& name, std::string_view& value) const noexcept
{
    if (at + 2 >= text_.size()) return false;
    const std::size_t end = text_.find(line_end, at);
    const auto line = std::string_view(text_).substr(at, end - at);
    const std::size_t colon = line.find(':');
    name = line.substr(0, colon);
    value = trimmed(line.substr(colon + 1));
    at = end + 2;
    return true;
}

std::string_view http_head::start_line() const noexcept
{
    return std::string_view(text_).substr(0, text_.find(line_end));
}

std::optional<std::string_view> http_head::field(std::string_view name) const noexcept
{
    std::size_t at = text_.find(line_end) + 2;
    std::string_view field_name, value;
    while (next_field(at, field_name, value)) {
        if (same_word(field_name, name)) return value;
    }
    return {};
}

std::size_t http_head::count(std::string_view name) const noexcept
{
    std::size_t at = text_.find(line_end) + 2, found = 0;
    std::string_view field_name, value;
    while (next_field(at, field_name, value)) found += same_word(field_name, name);
    return found;
}

bool http_head::lists(std::string_view name, std::string_view word) const noexcept
{
    bool found = false;
    each_listed(name, [&](std::string_view item) { found |= same_word(item, word); });
    return found;
}

}  // namespace zlink::zws
