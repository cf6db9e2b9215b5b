// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which descriptors are ready now: looks that do not wait.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

#include <poll.h>
#include <signal.h>

namespace zlink::runtime {

/// Returns how many of them are ready, and stores the events (`revents`). `signal_mask` (may be null) is in force
/// meanwhile. Errors and mask as in ppoll(2).
[[nodiscard]] result<int> poll_now(pollfd* fds, unsigned count, const sigset_t* signal_mask = nullptr) noexcept;

/// Descriptors that are looked at together, with one system call.
class readiness_set {
public:
    /// False, also from add(): no descriptors or memory can be had.
    [[nodiscard]] bool open() noexcept;
    /// Looked at for input, until it is closed.
    [[nodiscard]] bool add(int fd) noexcept;
    [[nodiscard]] explicit operator bool() const noexcept { return bool(set_); }
    /// Any thread: none of them has input.
    [[nodiscard]] bool nothing_ready() const noexcept;

private:
    unique_fd set_;
};

}  // namespace zlink::runtime
