// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A message of WebSocket that comes in fragments (RFC 6455, 5.4): what has come of it.
#pragma once

#include "base/invariant.hpp"
#include "zws/frame.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace zlink::zws {

/// Not thread-safe.
class fragments {
public:
    /// The message has begun, and its last fragment has not come.
    [[nodiscard]] bool begun() const noexcept { return begun_; }
    /// A data frame of this kind may come next.
    [[nodiscard]] bool may_follow(opcode what) const noexcept { return (what == opcode::continuation) == begun_; }

    /// May throw std::bad_alloc; then nothing happened.
    void add(std::span<const std::byte> payload, bool final)
    {
        octets_.insert(octets_.end(), payload.begin(), payload.end());
        begun_ = !final;
    }

    [[nodiscard]] std::span<std::byte> octets() noexcept { return octets_; }
    [[nodiscard]] std::span<const std::byte> octets() const noexcept { return octets_; }

    /// The message was whole, and is done with.
    void clear() noexcept
    {
        invariant([this] { return !begun_; });
        octets_.clear();
        if (octets_.capacity() > most_kept) std::vector<std::byte>().swap(octets_);
    }

private:
    // Memory is kept for the next message, up to this size.
    static constexpr std::size_t most_kept = 4 * 1024;

    std::vector<std::byte> octets_;
    bool begun_ = false;
};

}  // namespace zlink::zws
