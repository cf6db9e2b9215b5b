// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The octets that a lane's writer may take without looking at anything else. A claim is one store and one load.
//
// The reader's side closes the window when it is about to free the memory behind it (reclaim.cpp). It does so without
// waiting for the writer:
//
//   writer: moves the position (A), loads the top (B); B found it closed: moves the position back
//   reader: closes the window (C), runs a barrier on all processors, loads the position (D)
//
// If D misses A, then B sees C. All accesses are relaxed: the order comes from asymmetric_fence::behind_claim() in the
// writer, and from the barrier.
#pragma once

#include "base/asymmetric_fence.hpp"
#include "base/invariant.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink::pipe {

class write_window {
public:
    /// Writer: the next octet to write; null: there is no memory.
    [[nodiscard]] std::byte* at() const noexcept { return at_.load(std::memory_order_relaxed); }

    /// Writer: takes `octets` from `at` on, which is at(). False: not enough room, or the window is closed; nothing was
    /// taken.
    [[nodiscard]] [[gnu::always_inline]] bool claim(std::byte* at, std::size_t octets) noexcept
    {
        invariant([&] { return at == this->at(); });
        const auto end = reinterpret_cast<std::uintptr_t>(at) + octets;
        move_to(reinterpret_cast<std::byte*>(end));
        asymmetric_fence::behind_claim();
        if (end <= reinterpret_cast<std::uintptr_t>(top_.load(std::memory_order_relaxed))) [[likely]]
            return true;
        move_to(at);
        return false;
    }

    // Writer, while it holds the lane's tail, or has octets there that the reader has not seen

    /// The next octet to write is here, whether the window reaches so far or not.
    void move_to(std::byte* at) noexcept { at_.store(at, std::memory_order_relaxed); }
    /// Claims succeed up to `top`. If it is at(), none does.
    void open(std::byte* top) noexcept { top_.store(top, std::memory_order_relaxed); }
    /// There is no memory.
    void forget() noexcept
    {
        move_to(nullptr);
        close();
    }

    // The reader's side, while the lane's tail is marked

    /// No claim succeeds until the writer opens the window again.
    void close() noexcept { top_.store(nullptr, std::memory_order_relaxed); }
    /// After close() and the barrier: nothing was taken behind `read`, and nothing will be.
    [[nodiscard]] bool unused_behind(const std::byte* read) const noexcept { return at() == read; }

private:
    std::atomic<std::byte*> at_{nullptr};   ///< partner: top_
    std::atomic<std::byte*> top_{nullptr};  ///< how far small frames may go; partner: at_
};

}  // namespace zlink::pipe
