// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A lock for sections of less than a microsecond that threads enter millions of times a second. If it is taken, a
// thread spins for about as long as a section lasts, and then sleeps. A thread that comes by may overtake a sleeper
// that was woken, so the lock is never handed from sleeper to sleeper.
//
// word: free -> held -> free, by one atomic operation each way. A thread that is about to sleep makes it `wanted`; the
// one that frees it then wakes a sleeper. As a woken thread takes it as `wanted`, other sleepers are woken in turn.
//
// If one thread has taken the lock many times in a row, it becomes the lock's owner (a biased lock). The owner takes
// the lock by plain stores. Another thread takes the word first, and then the ownership away:
//
//   owner: stores that it is inside (A), loads the owner (B); B is another one: stores that it is not, takes the word
//   other: stores that there is no owner (C), runs a heavy fence, loads whether the owner is inside (D), waits for that
//
// If D misses A, then B sees C. The same pair serves the end of the wait: the owner stores that it is not inside and
// loads the owner. If there is none any more, it wakes the other. (Proofs: tests/model/brief_lock_test.cpp.)
//
// Between its first look at the owner and A, a thread may be held up while others take the ownership away and become
// owners. So each owner says in a place of its own that it is inside, and keeps this place for good.
#pragma once

#include "base/asymmetric_fence.hpp"
#include "base/invariant.hpp"
#include "base/thread_state.hpp"
#include "runtime/futex.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink::runtime {

class brief_lock {
public:
    constexpr brief_lock() noexcept = default;
    brief_lock(const brief_lock&) = delete;
    brief_lock& operator=(const brief_lock&) = delete;

    void lock() noexcept
    {
        const void* const me = this_thread();
        place* const mine = owner_.load(std::memory_order_relaxed);
        if (mine && mine->thread.load(std::memory_order_relaxed) == me && enter_as_owner(*mine)) return;
        lock_word(me);
    }
    void unlock() noexcept
    {
        invariant([this] {
            return holder_ ? holder_->inside.load(std::memory_order_relaxed) != 0
                           : word_.load(std::memory_order_relaxed) != free;
        });
        if (holder_) {
            leave_as_owner(*holder_);
        } else if (word_.exchange(free, std::memory_order_release) == wanted) [[unlikely]] {
            wake_one(word_);
        }
    }

    /// By some thread.
    [[nodiscard]] bool is_held() const noexcept
    {
        const place* const owner = owner_.load(std::memory_order_relaxed);
        return word_.load(std::memory_order_relaxed) != free ||
               (owner && owner->inside.load(std::memory_order_relaxed) != 0);
    }
    [[nodiscard]] bool is_owned() const noexcept { return owner_.load(std::memory_order_relaxed) != nullptr; }

    /// How often a thread takes the lock, with no other thread in between, until it owns it. Machine: a heavy fence
    /// takes 0.1 us, or 0.7 us and as much of another thread's time; the atomic operations of one turn take 25 ns. So
    /// an ownership pays if it lasts for a hundred times. A thread that has taken the lock as often in a row is taken to
    /// go on for as long. If it does not, the loss is 6 ns for each of those times.
    static constexpr std::uint32_t times_to_own = 256;
    /// This many threads may become owners. Threads that have ended count, unless another one has the same address.
    static constexpr std::size_t most_owners = 8;

private:
    /// An owner's place.
    struct place {
        std::atomic<const void*> thread{nullptr};  ///< stored once, before owner_ is
        std::atomic<std::uint32_t> inside{0};      ///< partners: owner_, and as of word_
    };

    /// Something that each living thread has at an address of its own.
    [[nodiscard]] static const void* this_thread() noexcept { return &thread_state::failure(); }

    [[nodiscard]] [[gnu::always_inline]] bool enter_as_owner(place& mine) noexcept
    {
        // Acquired, as a thread that has ended may have had this one's address.
        if (mine.inside.load(std::memory_order_acquire) != 0) return false;
        mine.inside.store(1, std::memory_order_relaxed);
        asymmetric_fence::light_fence();
        if (owner_.load(std::memory_order_relaxed) == &mine) [[likely]] {
            holder_ = &mine;
            return true;
        }
        // The thread that has taken the ownership away may wait for this.
        mine.inside.store(0, std::memory_order_release);
        wake_one(mine.inside);
        return false;
    }
    [[gnu::always_inline]] void leave_as_owner(place& mine) noexcept
    {
        mine.inside.store(0, std::memory_order_release);
        asymmetric_fence::light_fence();
        if (owner_.load(std::memory_order_relaxed) != &mine) [[unlikely]]
            wake_one(mine.inside);
    }

    void lock_word(const void* me) noexcept;
    [[nodiscard]] bool take_word() noexcept
    {
        std::uint32_t expected = free;
        return word_.compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed);
    }
    void take_contended_word() noexcept;
    [[nodiscard]] place* place_of(const void* thread) noexcept;
    void end_ownership(const place& owner) noexcept;
    static void wake_one(std::atomic<std::uint32_t>& word) noexcept;

    static constexpr std::uint32_t free = 0;
    static constexpr std::uint32_t held = 1;
    static constexpr std::uint32_t wanted = 2;

    /// Partners: lock() acquires what unlock() released. No other word takes part, as every change reads it as well.
    std::atomic<std::uint32_t> word_{free};
    std::uint32_t times_ = 0;             ///< the holder's: how often last_ took the word, in a row
    std::atomic<place*> owner_{nullptr};  ///< changed by those that hold the word; partner: place::inside
    place* holder_ = nullptr;             ///< the holder's: its place, if it holds the lock as the owner
    const void* last_ = nullptr;          ///< the holder's: the thread that took the word last
    place places_[most_owners];
};

}  // namespace zlink::runtime
