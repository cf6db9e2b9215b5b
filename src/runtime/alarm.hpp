// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The kernel's timer that ends a loop's sleep in time for the next deadline. It stays set from sleep to sleep.
// A sleep with a limit of its own would set a timer of the kernel and take it back, each time. That costs 5 us on a
// virtual machine if the timer is the processor's next one (docs/decisions/0020-no-cliffs.md). If an alarm comes too
// early, it does no harm and is left.
//
// The loop's thread. Times are handed in.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "runtime/clock.hpp"

namespace zlink::runtime {

class alarm {
public:
    /// Makes the descriptor; too_many_files and the like.
    [[nodiscard]] result<void> open() noexcept;
    /// For a set that reports each expiry, as the descriptor is never read.
    [[nodiscard]] int descriptor() const noexcept { return fd_.get(); }

    /// The descriptor becomes readable at `deadline` or before. A system call if the alarm is not set, or set to a
    /// later time.
    void set(clock::time_point deadline, clock::time_point now) noexcept;

private:
    unique_fd fd_;
    clock::time_point at_{};  ///< the time that it is set to; in the past: none
};

}  // namespace zlink::runtime
