// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A lock for sections of less than a microsecond that threads enter millions of times a second. Free, it costs one
// atomic operation each way. If it is taken, a thread spins for about as long as a section lasts, and then sleeps. A
// thread that comes by may overtake a sleeper that was woken, so the lock is never handed from sleeper to sleeper.
//
// word: free -> held -> free. A thread that is about to sleep makes it `wanted`; the one that frees it then wakes a
// sleeper. As a woken thread takes it as `wanted`, other sleepers are woken in turn.
#pragma once

#include "base/invariant.hpp"
#include "runtime/futex.hpp"

#include <atomic>
#include <cstdint>

namespace zlink::runtime {

class brief_lock {
public:
    constexpr brief_lock() noexcept = default;
    brief_lock(const brief_lock&) = delete;
    brief_lock& operator=(const brief_lock&) = delete;

    void lock() noexcept
    {
        if (!try_lock()) [[unlikely]]
            lock_contended();
    }
    [[nodiscard]] bool try_lock() noexcept
    {
        std::uint32_t expected = free;
        return word_.compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed);
    }
    void unlock() noexcept
    {
        invariant([this] { return is_held(); });
        if (word_.exchange(free, std::memory_order_release) == wanted) [[unlikely]]
            futex_wake(word_, 1);
    }

    /// By some thread.
    [[nodiscard]] bool is_held() const noexcept { return word_.load(std::memory_order_relaxed) != free; }

private:
    void lock_contended() noexcept;

    static constexpr std::uint32_t free = 0;
    static constexpr std::uint32_t held = 1;
    static constexpr std::uint32_t wanted = 2;

    /// Partners: lock() acquires what unlock() released. No other word takes part, as every change reads it as well.
    std::atomic<std::uint32_t> word_{free};
};

}  // namespace zlink::runtime
