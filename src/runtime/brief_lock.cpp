// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/brief_lock.hpp"

#include "runtime/pause.hpp"

#include <chrono>

namespace zlink::runtime {

namespace {

/// About a microsecond of looks: longer than a section takes, and shorter than a sleep.
constexpr int most_looks = 40;

constexpr timespec an_hour{3600, 0};

void relax() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

void brief_lock::lock_word(const void* me) noexcept
{
    const bool at_once = take_word();
    if (!at_once) [[unlikely]]
        take_contended_word();
    if (const place* const owner = owner_.load(std::memory_order_relaxed)) [[unlikely]]
        end_ownership(*owner);
    holder_ = nullptr;
    if (last_ != me || !at_once) {
        last_ = me;
        times_ = 0;
    } else if (++times_ >= times_to_own) [[unlikely]] {
        times_ = 0;
        // From now on, and not for this hold.
        if (asymmetric_fence::light_costs_nothing()) owner_.store(place_of(me), std::memory_order_relaxed);
    }
}

// Null: others have all of them.
brief_lock::place* brief_lock::place_of(const void* thread) noexcept
{
    for (place& p : places_) {
        const void* const has_it = p.thread.load(std::memory_order_relaxed);
        if (has_it == thread) return &p;
        if (has_it) continue;
        p.thread.store(thread, std::memory_order_relaxed);
        return &p;
    }
    return nullptr;
}

void brief_lock::take_contended_word() noexcept
{
    for (int looks = 0; looks < most_looks; ++looks) {
        relax();
        if (word_.load(std::memory_order_relaxed) == free && take_word()) return;
    }
    while (word_.exchange(wanted, std::memory_order_acquire) != free) (void)futex_wait(word_, wanted, an_hour);
}

// The caller has the word. When this returns, it has the lock.
void brief_lock::end_ownership(const place& owner) noexcept
{
    owner_.store(nullptr, std::memory_order_relaxed);
    // If the kernel has begun to reject the barrier, here or for another thread, the owner's stores and loads are
    // visible soon.
    if (!asymmetric_fence::heavy_fence() || !asymmetric_fence::light_costs_nothing()) nap(std::chrono::milliseconds(1));
    for (int looks = 0; looks < most_looks; ++looks) {
        if (owner.inside.load(std::memory_order_acquire) == 0) return;
        relax();
    }
    while (owner.inside.load(std::memory_order_acquire) != 0) (void)futex_wait(owner.inside, 1, an_hour);
}

void brief_lock::wake_one(std::atomic<std::uint32_t>& word) noexcept
{
    futex_wake(word, 1);
}

}  // namespace zlink::runtime
