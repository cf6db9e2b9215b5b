// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether messages for a connection are held back, or left to its I/O thread. A thread has to watch held messages: the
// I/O thread is told, once, and then looks for as long as their sender comes back (activity_checks.hpp). That pays for
// batches in quick succession. A batch that comes alone costs as much as telling the I/O thread to write it, which is
// sooner, and the looks in addition.
#pragma once

#include "load/expectation.hpp"
#include "load/limits.hpp"

#include <chrono>

namespace zlink::load {

/// One for each connection. Used by its sender; the caller passes the times.
class hold_watch {
public:
    /// The first message of a batch could be held. `watched`: the I/O thread still watches the connection.
    [[nodiscard]] bool pays(bool watched, std::chrono::steady_clock::time_point now) noexcept
    {
        if (watched) {
            if (batches_ < limits::holds::several) ++batches_;
            return true;
        }
        // If batches were held: the looks that have ended served several of them. If batches are left: the last batch
        // was not long ago.
        const bool often = often_ ? batches_ >= limits::holds::several : now - last_ < limits::holds::soon;
        batches_ = 1;
        last_ = now;
        often_.saw(often, limits::holds::several);
        return bool(often_);
    }

private:
    expectation often_{true};
    int batches_ = limits::holds::several;          ///< batches since the I/O thread was told to look, up to this limit
    std::chrono::steady_clock::time_point last_{};  ///< the last batch that was not watched
};

}  // namespace zlink::load
