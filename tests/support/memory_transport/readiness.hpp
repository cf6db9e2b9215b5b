// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A descriptor whose readiness, for input and for output, is set by hand: what epoll tells of a stream in memory.
#pragma once

#include "base/unique_fd.hpp"

namespace zlink::transport::memory {

/// One end of a pair of sockets: there is an octet to read, or not. There is room to write, or it has been filled up.
class readiness {
public:
    /// For output, not for input.
    readiness();

    [[nodiscard]] int descriptor() const noexcept { return lent_.get(); }
    void set(bool input, bool output) noexcept;
    /// Tells of a peer that sends no more: input from now on.
    void end_input() noexcept;
    /// Tells of a peer that is gone.
    void hang_up() noexcept;
    void close() noexcept;

private:
    unique_fd lent_;
    unique_fd held_;
    bool input_ = false;
    bool output_ = true;
};

}  // namespace zlink::transport::memory
