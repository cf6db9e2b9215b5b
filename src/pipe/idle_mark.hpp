// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether an I/O thread watches an end's lane, to free its memory once it is idle, and where it has noted that.
#pragma once

#include "base/invariant.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace zlink::pipe {

class idle_mark {
public:
    /// An I/O thread watches, or is about to be told to. Any thread.
    [[nodiscard]] bool is_watched() const noexcept { return watched_.load(std::memory_order_relaxed); }
    /// For the holder of the write token. The I/O thread is told next.
    void watch() noexcept
    {
        invariant([this] { return !is_watched(); });
        watched_.store(true, std::memory_order_relaxed);
    }
    /// The I/O thread.
    void stop_watching() noexcept { watched_.store(false, std::memory_order_relaxed); }

    // The I/O thread's: this end's place among those that it watches

    [[nodiscard]] bool has_place() const noexcept { return place_ != nowhere; }
    [[nodiscard]] std::size_t place() const noexcept
    {
        invariant([this] { return has_place(); });
        return place_;
    }
    void set_place(std::size_t place) noexcept { place_ = std::uint32_t(place); }
    void clear_place() noexcept { place_ = nowhere; }

private:
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

    /// Stored under the write token, except for the I/O thread's last store. The I/O thread may load it at any time:
    /// the event after a store makes it look again.
    std::atomic<bool> watched_{false};
    std::uint32_t place_ = nowhere;
};

}  // namespace zlink::pipe
