// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file multipart.hpp
 * A message of several parts.
 */
#pragma once

#include <zlink/core.hpp>
#include <zlink/message.hpp>

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink {
inline namespace v1 {

/// A message of any number of parts, in their order. One thread at a time uses it.
class multipart {
public:
    multipart() = default;
    /// Copies of these texts.
    multipart(std::initializer_list<std::string_view> texts)
    {
        parts_.reserve(texts.size());
        for (const std::string_view text : texts) parts_.emplace_back(text);
    }

    void push_back(message part) { parts_.push_back(std::move(part)); }
    void push_back(std::string_view text) { parts_.emplace_back(text); }
    void push_front(message part) { parts_.insert(parts_.begin(), std::move(part)); }
    /// Takes the first part out. There is one.
    [[nodiscard]] message pop_front()
    {
        message first = std::move(parts_.front());
        parts_.erase(parts_.begin());
        return first;
    }
    void clear() noexcept { parts_.clear(); }

    [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }
    [[nodiscard]] bool empty() const noexcept { return parts_.empty(); }
    [[nodiscard]] message& operator[](std::size_t i) noexcept { return parts_[i]; }
    [[nodiscard]] const message& operator[](std::size_t i) const noexcept { return parts_[i]; }
    [[nodiscard]] message& front() noexcept { return parts_.front(); }
    [[nodiscard]] message& back() noexcept { return parts_.back(); }
    [[nodiscard]] auto begin() noexcept { return parts_.begin(); }
    [[nodiscard]] auto end() noexcept { return parts_.end(); }
    [[nodiscard]] auto begin() const noexcept { return parts_.begin(); }
    [[nodiscard]] auto end() const noexcept { return parts_.end(); }
    [[nodiscard]] std::span<message> parts() noexcept { return parts_; }

    /// Empty messages to receive into. For the headers of this folder.
    void resize(std::size_t count) { parts_.resize(count); }

private:
    std::vector<message> parts_;
};

namespace core {

/// As socket_receive_parts(), with as many parts as the message has. Without a message, `to` is empty afterwards.
[[nodiscard]] inline int receive_all_parts(void* handle, multipart& to, int flags)
{
    constexpr std::size_t usual = 4;
    std::size_t parts = 0;
    to.resize(to.size() < usual ? usual : to.size());
    int error = socket_receive_parts(handle, raw(to.parts()), flags, parts);
    // Of a shared socket, another thread may take that message, and a longer one be next.
    while (error == EMSGSIZE && parts > to.size()) {
        to.resize(parts);
        error = socket_receive_parts(handle, raw(to.parts()), flags, parts);
    }
    to.resize(error == 0 ? parts : 0);
    return error;
}

}  // namespace core
}  // namespace v1
}  // namespace zlink
