// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A text that nobody else should read: it is wiped at the end of its life, and moves rather than copies.
#pragma once

#include <cstring>
#include <string>
#include <utility>

namespace zlink::tool {

// Overwrites the text, whatever the compiler thinks of it.
inline void wipe(std::string& text) noexcept
{
    explicit_bzero(text.data(), text.size());
    text.clear();
}

class secret {
public:
    secret() = default;
    explicit secret(std::string text) : text_(std::move(text)) {}
    ~secret() { wipe(text_); }
    secret(secret&& other) noexcept { text_.swap(other.text_); }
    secret& operator=(secret&& other) noexcept
    {
        if (this != &other) {
            wipe(text_);
            text_.swap(other.text_);
        }
        return *this;
    }

    const std::string& text() const noexcept { return text_; }
    bool empty() const noexcept { return text_.empty(); }

private:
    std::string text_;
};

}  // namespace zlink::tool
