// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the fuzz targets share: reading choices from the input, and a check that stops the fuzzer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace zlink::fuzz {

/// Stops the fuzzer with a crash that keeps the input.
inline void require(bool holds)
{
    if (!holds) std::abort();
}

/// The fuzzer's octets: choices are taken from the front, what is left is the bytes of a peer.
class input {
public:
    input(const std::uint8_t* data, std::size_t size) : rest_(std::as_bytes(std::span(data, size))) {}

    /// The next octet, or 0 at the end.
    std::uint8_t choice()
    {
        if (rest_.empty()) return 0;
        const auto octet = std::uint8_t(rest_.front());
        rest_ = rest_.subspan(1);
        return octet;
    }

    /// A limit of bodies, from the next octet: none (-1), or 0 to 254 times `step`.
    std::int64_t size_limit(std::int64_t step = 1)
    {
        const std::int64_t chosen = choice();
        return chosen == 0 ? -1 : (chosen - 1) * step;
    }

    /// The next octets, up to `size`.
    std::span<const std::byte> take(std::size_t size)
    {
        const auto taken = rest_.first(std::min(size, rest_.size()));
        rest_ = rest_.subspan(taken.size());
        return taken;
    }

    [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

private:
    std::span<const std::byte> rest_;
};

/// Cuts a stream into parts whose sizes follow from `seed`: all at once for 0, else 1 to `seed` octets.
class parts {
public:
    parts(std::span<const std::byte> stream, std::uint8_t seed) : rest_(stream), seed_(seed), state_(seed) {}

    [[nodiscard]] bool empty() const { return rest_.empty(); }

    std::span<const std::byte> next()
    {
        state_ = state_ * 1103515245u + 12345u;
        const std::size_t wanted = seed_ == 0 ? rest_.size() : 1 + (state_ >> 16) % seed_;
        const auto part = rest_.first(std::min(wanted, rest_.size()));
        rest_ = rest_.subspan(part.size());
        return part;
    }

private:
    std::span<const std::byte> rest_;
    std::uint8_t seed_;
    std::uint32_t state_;
};

}  // namespace zlink::fuzz
