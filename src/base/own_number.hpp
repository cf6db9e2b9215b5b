// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Counts that one thread keeps and any thread reads.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink {

/// A number that its owner changes as a plain one, and that other threads may look at meanwhile. The owner's reads are
/// plain and its stores atomic, so that keeping it costs what a plain number costs.
///
/// Relaxed: the number orders nothing. It has no partner; a reader sees one of its values, and soon the latest.
class own_number {
public:
    constexpr own_number() noexcept = default;
    constexpr explicit own_number(std::uint64_t value) noexcept : value_(value) {}
    own_number(const own_number&) = delete;
    own_number& operator=(const own_number&) = delete;

    // Owner
    [[nodiscard]] std::uint64_t get() const noexcept { return value_; }
    void set(std::uint64_t value) noexcept { std::atomic_ref(value_).store(value, std::memory_order_relaxed); }
    void add(std::uint64_t n) noexcept { set(value_ + n); }

    /// Any thread.
    [[nodiscard]] std::uint64_t look() const noexcept
    {
        return std::atomic_ref(const_cast<std::uint64_t&>(value_)).load(std::memory_order_relaxed);
    }

private:
    std::uint64_t value_ = 0;
};

}  // namespace zlink
