// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// JSON (RFC 8259) that another program has written: any octets are read or refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::tool {

class json_value {
public:
    enum class kind : std::uint8_t { null, boolean, number, text, array, object };

    /// Nothing when it isn't JSON, or is nested more than 32 deep.
    static std::optional<json_value> parse(std::string_view octets);

    kind type() const noexcept { return type_; }
    bool is_true() const noexcept { return type_ == kind::boolean && number_ != 0; }
    // A whole number from 0 on; otherwise 0.
    std::uint64_t number() const noexcept { return type_ == kind::number ? number_ : 0; }
    // Empty when it isn't a text.
    const std::string& text() const noexcept { return text_; }
    // Empty when it isn't an array.
    const std::vector<json_value>& items() const noexcept { return items_; }
    // The member of an object, the first of that name; null when there is none.
    const json_value* member(std::string_view name) const noexcept;

private:
    friend class json_reader;

    kind type_ = kind::null;
    std::uint64_t number_ = 0;
    std::string text_;
    std::vector<json_value> items_;   // of an object: the values
    std::vector<std::string> names_;  // of an object
};

}  // namespace zlink::tool
