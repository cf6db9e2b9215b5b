// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octets that are added at one end and consumed at the other.
#pragma once

#include "base/invariant.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace zlink::wire {

/// Not thread-safe.
class octet_queue {
public:
    /// The octets that are not consumed, until the next call that adds some.
    [[nodiscard]] std::span<std::byte> unread() noexcept { return std::span(octets_).subspan(at_); }
    [[nodiscard]] std::span<const std::byte> unread() const noexcept { return std::span(octets_).subspan(at_); }
    [[nodiscard]] bool empty() const noexcept { return at_ == octets_.size(); }

    void consume(std::size_t n) noexcept
    {
        invariant([&] { return n <= octets_.size() - at_; });
        at_ += n;
    }

    /// To append to. The octets that are consumed are gone.
    [[nodiscard]] std::vector<std::byte>& end() noexcept
    {
        octets_.erase(octets_.begin(), octets_.begin() + std::ptrdiff_t(at_));
        at_ = 0;
        return octets_;
    }
    /// May throw std::bad_alloc; then nothing was added.
    void append(std::span<const std::byte> some)
    {
        std::vector<std::byte>& to = end();
        to.insert(to.end(), some.begin(), some.end());
    }

    void clear() noexcept
    {
        octets_.clear();
        at_ = 0;
    }

private:
    std::vector<std::byte> octets_;
    std::size_t at_ = 0;
};

}  // namespace zlink::wire
