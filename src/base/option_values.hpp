// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The untyped values that cross zmq_setsockopt and zmq_getsockopt, with libzmq's rules on their sizes.
#pragma once

#include "base/errc.hpp"

#include <climits>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace zlink {

/// A value handed in by the application, which may be null.
class option_input {
public:
    option_input(const void* data, std::size_t size) noexcept : data_(data), size_(size) {}

    [[nodiscard]] bool is_null() const noexcept { return data_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// No value has more octets: what claims to have is not looked at.
    static constexpr std::size_t longest = INT_MAX;

    /// Null with a length, or a length that no value has: nothing can be read, whatever the option.
    [[nodiscard]] bool is_broken() const noexcept { return (is_null() && size_ != 0) || size_ > longest; }

    /// The value if its size is exactly that of the type.
    template <class Number>
    [[nodiscard]] std::optional<Number> as() const noexcept
    {
        static_assert(std::is_trivially_copyable_v<Number>);
        if (is_null() || size_ != sizeof(Number)) {
            return std::nullopt;
        }
        Number number;
        std::memcpy(&number, data_, sizeof number);
        return number;
    }

    [[nodiscard]] std::string_view bytes() const noexcept
    {
        return is_null() ? std::string_view{} : std::string_view{static_cast<const char*>(data_), size_};
    }

    /// As a character string: one terminating zero, if there, is not part of the text.
    [[nodiscard]] std::string_view text() const noexcept
    {
        std::string_view text = bytes();
        if (!text.empty() && text.back() == '\0') {
            text.remove_suffix(1);
        }
        return text;
    }

private:
    const void* data_;
    std::size_t size_;
};

/// Room the application offers for a value: `*size` bytes, replaced by the length written.
class option_output {
public:
    option_output(void* data, std::size_t* size) noexcept : data_(data), size_(size) {}

    [[nodiscard]] bool is_broken() const noexcept { return size_ == nullptr || (data_ == nullptr && *size_ != 0); }
    [[nodiscard]] std::size_t room() const noexcept { return *size_; }

    /// Numbers of stored options want their exact size.
    template <class Number>
    [[nodiscard]] errc put(Number number) const noexcept
    {
        return room() == sizeof number ? put_bytes(&number, sizeof number) : errc::invalid_argument;
    }

    /// The live options (ZMQ_EVENTS, ZMQ_FD, ZMQ_RCVMORE, ...) and ZMQ_THREAD_SAFE also take more room than needed.
    template <class Number>
    [[nodiscard]] errc put_in_room(Number number) const noexcept
    {
        return put_bytes(&number, sizeof number);
    }

    /// Any room that is large enough; the rest of it is zeroed.
    [[nodiscard]] errc put_bytes(const void* bytes, std::size_t length) const noexcept
    {
        if (room() < length) {
            return errc::invalid_argument;
        }
        if (length != 0) {
            std::memcpy(data_, bytes, length);
        }
        if (room() > length) {
            std::memset(static_cast<char*>(data_) + length, 0, room() - length);
        }
        *size_ = length;
        return errc::none;
    }

    /// Any room that is large enough; neither the length nor the rest of the room is touched.
    [[nodiscard]] errc put_unmeasured(std::string_view bytes) const noexcept
    {
        if (room() < bytes.size()) return errc::invalid_argument;
        if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
        return errc::none;
    }

    /// A character string with its terminating zero, which `text.data()` must have.
    [[nodiscard]] errc put_text(std::string_view text) const noexcept
    {
        return put_bytes(text.data(), text.size() + 1);
    }

private:
    void* data_;
    std::size_t* size_;
};

}  // namespace zlink
