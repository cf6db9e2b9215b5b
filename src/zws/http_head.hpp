// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The head of an HTTP/1.1 message (RFC 9112): a start line and fields. Octets in, texts out; a peer's octets never
// cause an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zlink::zws {

class http_head {
public:
    /// A longer head is refused.
    static constexpr std::size_t longest = 8 * 1024;

    enum class state : std::uint8_t { in_progress, complete, too_long, malformed };

    /// Takes octets up to the end of the head; returns how many. Keeps the octets it takes. May throw std::bad_alloc.
    std::size_t advance(std::span<const std::byte> in);
    [[nodiscard]] state current() const noexcept { return state_; }

    // After complete
    [[nodiscard]] std::string_view start_line() const noexcept;
    /// The value of a field that is there once; without a value: it is not there. `name`: in lower case.
    [[nodiscard]] std::optional<std::string_view> field(std::string_view name) const noexcept;
    /// How often the field is there.
    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
    /// Whether a list has this word, in any of the fields of this name; upper and lower case are the same.
    [[nodiscard]] bool lists(std::string_view name, std::string_view word) const noexcept;
    /// The first word of the list, in any of the fields of this name, that `is_good` accepts; in its exact spelling.
    template <class Judge>
    [[nodiscard]] std::optional<std::string_view> first_listed(std::string_view name, Judge is_good) const
    {
        std::optional<std::string_view> found;
        each_listed(name, [&](std::string_view item) {
            if (!found && is_good(item)) found = item;
        });
        return found;
    }

    /// Drops all octets that were kept.
    void clear() noexcept { std::string().swap(text_); }

private:
    [[nodiscard]] bool check_lines() const noexcept;
    /// Reads the next line behind `at`, which moves; false: that was the last.
    [[nodiscard]] bool next_field(std::size_t& at, std::string_view& name, std::string_view& value) const noexcept;
    template <class What>
    void each_listed(std::string_view name, What what) const;

    std::string text_;  ///< with the empty line at its end
    state state_ = state::in_progress;
};

[[nodiscard]] bool same_word(std::string_view a, std::string_view b) noexcept;
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

template <class What>
void http_head::each_listed(std::string_view name, What what) const
{
    std::size_t at = text_.find("\r\n") + 2;
    std::string_view field_name, value;
    while (next_field(at, field_name, value)) {
        if (!same_word(field_name, name)) continue;
        while (true) {
            const std::size_t comma = value.find(',');
            what(trimmed(value.substr(0, comma)));
            if (comma == std::string_view::npos) break;
            value.remove_prefix(comma + 1);
        }
    }
}

}  // namespace zlink::zws
