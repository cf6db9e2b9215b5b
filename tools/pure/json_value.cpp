// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace zlink::tool {

// Reads one text from its beginning to its end.
class json_reader {
public:
    explicit json_reader(std::string_view octets) : rest_(octets) {}

    bool whole(json_value& to)
    {
        if (!value(to, 0)) {
            return false;
        }
        skip_blanks();
        return rest_.empty();
    }

private:
    static constexpr int deepest = 32;

    void skip_blanks()
    {
        const auto first = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
    }

    bool take(std::string_view word)
    {
        if (!rest_.starts_with(word)) {
            return false;
        }
        rest_.remove_prefix(word.size());
        return true;
    }

    bool value(json_value& to, int depth)
    {
        skip_blanks();
        if (rest_.empty() || depth > deepest) {
            return false;
        }
        switch (rest_.front()) {
        case '{': return list(to, json_value::kind::object, '}', depth);
        case '[': return list(to, json_value::kind::array, ']', depth);
        case '"': to.type_ = json_value::kind::text; return string(to.text_);
        case 't': to.number_ = 1; [[fallthrough]];
        case 'f': to.type_ = json_value::kind::boolean; return take("true") || take("false");
        case 'n': return take("null");
        default: return number(to);
        }
    }

    bool list(json_value& to, json_value::kind type, char end, int depth)
    {
        to.type_ = type;
        rest_.remove_prefix(1);
        skip_blanks();
        if (take({&end, 1})) {
            return true;
        }
        while (true) {
            if (type == json_value::kind::object) {
                skip_blanks();
                if (!string(to.names_.emplace_back())) {
                    return false;
                }
                skip_blanks();
                if (!take(":")) {
                    return false;
                }
            }
            if (!value(to.items_.emplace_back(), depth + 1)) {
                return false;
            }
            skip_blanks();
            if (take({&end, 1})) {
                return true;
            }
            if (!take(",")) {
                return false;
            }
        }
    }

    // Whole numbers are kept; the others are read over.
    bool number(json_value& to)
    {
        to.type_ = json_value::kind::number;
        const auto size = std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
        const auto digits = rest_.substr(0, size);
        double any = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + size, any);
        if (size == 0 || error != std::errc{} || end != digits.data() + size) {
            return false;
        }
        const auto [last, whole] = std::from_chars(digits.data(), digits.data() + size, to.number_);
        if (whole != std::errc{} || last != digits.data() + size) {
            to.number_ = 0;
        }
        rest_.remove_prefix(size);
        return true;
    }

    bool string(std::string& to)
    {
        if (!take("\"")) {
            return false;
        }
        while (!rest_.empty()) {
            const char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '"') {
                return true;
            }
            if (static_cast<unsigned char>(c) < 0x20 || (c == '\\' && !escape(to))) {
                return false;
            }
            if (c != '\\') {
                to += c;
            }
        }
        return false;
    }

    bool escape(std::string& to)
    {
        if (rest_.empty()) {
            return false;
        }
        const char c = rest_.front();
        rest_.remove_prefix(1);
        constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        if (const auto at = letters.find(c); at != std::string_view::npos) {
            to += meant[at];
            return true;
        }
        std::uint32_t code = 0;
        if (c != 'u' || !unit(code)) {
            return false;
        }
        if (code >= 0xd800 && code < 0xe000) {
            std::uint32_t second = 0;
            if (code >= 0xdc00 || !take("\\u") || !unit(second) || second < 0xdc00 || second >= 0xe000) {
                return false;
            }
            code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
        }
        put(to, code);
        return true;
    }

    bool unit(std::uint32_t& code)
    {
        const auto digits = rest_.substr(0, 4);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() != 4 || error != std::errc{} || end != digits.data() + 4) {
            return false;
        }
        rest_.remove_prefix(4);
        return true;
    }

    // As UTF-8.
    static void put(std::string& to, std::uint32_t code)
    {
        if (code < 0x80) {
            to += static_cast<char>(code);
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        constexpr unsigned char heads[] = {0, 0xc0, 0xe0, 0xf0};
        to += static_cast<char>(heads[more] | code >> (6 * more));
        for (int i = more - 1; i >= 0; --i) {
            to += static_cast<char>(0x80 | (code >> (6 * i) & 0x3f));
        }
    }

    std::string_view rest_;
};

std::optional<json_value> json_value::parse(std::string_view octets)
{
    json_value read;
    return json_reader(octets).whole(read) ? std::optional(std::move(read)) : std::nullopt;
}

const json_value* json_value::member(std::string_view name) const noexcept
{
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == name) {
            return &items_[i];
        }
    }
    return nullptr;
}

}  // namespace zlink::tool
