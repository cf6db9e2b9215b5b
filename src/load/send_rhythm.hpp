// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How a thread's messages follow each other on one connection: one by one, or several at a time. Whoever is known to send
// several leaves the first one to the I/O thread, which writes all of them at once.
#pragma once

#include "load/limits.hpp"

#include <chrono>
#include <cstdint>

namespace zlink::load {

/// The sender's thread. Times are handed in.
class send_rhythm {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// A message was published, the last of `written`. True if it begins a burst, as the first one does that a thread
    /// sends after it has waited for input (`after_input`).
    [[nodiscard]] bool begins_burst(time_point now, std::uint64_t written, bool after_input) noexcept
    {
        const bool begins = after_input || now - last_ > limits::rhythm::between_bursts;
        last_ = now;
        if (!begins) return false;
        if (written - burst_from_ < 2) {
            bursts_ = 0;
        } else if (bursts_ < limits::rhythm::bursts_to_learn) {
            ++bursts_;
        }
        burst_from_ = written;
        return true;
    }

    /// The thread has been writing itself: the time that took is no pause.
    void wrote(time_point now) noexcept { last_ = now; }

    /// Several messages have come in each of the last bursts.
    [[nodiscard]] bool expects_burst() const noexcept { return bursts_ >= limits::rhythm::bursts_to_learn; }

private:
    std::uint32_t bursts_ = 0;
    std::uint64_t burst_from_ = 0;  ///< messages written when the last burst began
    time_point last_{};             ///< when one was published to a sleeping I/O side, or its write ended
};

}  // namespace zlink::load
