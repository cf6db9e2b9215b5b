// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sole owner of a file descriptor.
#pragma once

#include "base/cancellation.hpp"

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace zlink {

/// Closes its descriptor when destroyed. Moves; a moved-from object owns nothing. Leaves errno as it was, so that it
/// may be destroyed between a failed system call and the look at its errno.
class unique_fd {
public:
    unique_fd() noexcept = default;
    explicit unique_fd(int fd) noexcept : fd_(fd) {}
    unique_fd(unique_fd&& other) noexcept : fd_(other.release()) {}
    unique_fd& operator=(unique_fd&& other) noexcept
    {
        if (this != &other) {
            reset(other.release());
        }
        return *this;
    }
    ~unique_fd() { reset(); }

    [[nodiscard]] int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }

    /// Gives the descriptor away without closing it; -1 if there was none.
    [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

    /// Closes the descriptor that it owned and takes `fd`. EINTR is not retried: the descriptor is closed, whatever
    /// close() returns.
    void reset(int fd = -1) noexcept
    {
        const int old = std::exchange(fd_, fd);
        if (old >= 0) {
            const cancellation_held_off hold;
            const int saved = errno;
            ::close(old);
            errno = saved;
        }
    }

private:
    int fd_ = -1;
};

}  // namespace zlink
