// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The two halves of a store-load barrier, with all of its cost on the rare side.
//
// Dekker's pattern: A stores x, then loads y; B stores y, then loads x; at least one has to see the other's store. A is
// the sender of a message, B is the reader that goes to sleep. Here x is the published end of a lane, and y is "the
// reader is dormant". A calls light_fence() for every message, B calls heavy_fence() for every sleep.
//
// asymmetric mode: light is a compiler barrier. heavy is membarrier(PRIVATE_EXPEDITED), which runs a full barrier on
//   every CPU that runs a thread of this process. So A's load cannot have passed its store unseen.
// fenced mode: both are seq_cst fences. Used where the kernel refuses membarrier, under ThreadSanitizer (which does not
//   model membarrier), on ZLINK_FENCES=1, and per lane where the reader sleeps often (ZMQ_FD).
//
// The mode is chosen once, before the first lane exists, and only ever goes from asymmetric to fenced. If the kernel
// starts refusing later (a seccomp filter installed by the host), heavy_fence() switches to fenced mode and returns
// false. Senders may still run with the light barrier that they chose before, so the caller sleeps in short slices.
#pragma once

#include <atomic>

#if defined(__SANITIZE_THREAD__)
#define ZLINK_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ZLINK_TSAN 1
#endif
#endif

namespace zlink::asymmetric_fence {

namespace detail {
/// Read by every light_fence(); written at start and, at most once more, when membarrier fails. Relaxed: a
/// light_fence() may miss the second change; heavy_fence() warns of that by returning false.
inline std::atomic<bool> fenced{true};
}  // namespace detail

/// Registers the process with the kernel and picks the mode. Thread-safe, idempotent.
void initialise(bool force_fences) noexcept;

/// A fence that ThreadSanitizer understands too (it ignores std::atomic_thread_fence).
inline void full_fence() noexcept
{
#ifdef ZLINK_TSAN
    static std::atomic<int> order{0};
    order.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

inline void light_fence() noexcept
{
    if (detail::fenced.load(std::memory_order_relaxed)) [[unlikely]] {
        full_fence();
    } else {
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
}

/// Whether a way pays that has a light_fence() in place of an atomic operation, and a heavy one on the rare side. Under
/// ThreadSanitizer the answer is yes, so that such ways are checked.
[[nodiscard]] inline bool light_costs_nothing() noexcept
{
#ifdef ZLINK_TSAN
    return true;
#else
    return !detail::fenced.load(std::memory_order_relaxed);
#endif
}

/// False when the barrier could not be given: treat the sleep that follows as one that may miss a wake-up.
[[nodiscard]] bool heavy_fence() noexcept;

/// As heavy_fence(), for callers with partners that call behind_claim(), which costs nothing at all. False: the barrier
/// could not be given.
[[nodiscard]] bool barrier() noexcept;

/// The light half of barrier(). If membarrier is refused, the heavy half does not exist.
inline void behind_claim() noexcept
{
#ifdef ZLINK_TSAN
    full_fence();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

/// Called after lanes went dormant: heavy_fence(), unless all their writers use full fences, too.
[[nodiscard]] inline bool sleeper_fence(bool full_fence_does) noexcept
{
    if (!full_fence_does) return heavy_fence();
    full_fence();
    return true;
}

}  // namespace zlink::asymmetric_fence
