// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether messages for a connection are held back, or left to its I/O thread. Somebody has to look after what is held: the I/O thread is told,
// once, and looks then as long as its sender comes back (absence_looks.hpp). That pays for batches in quick succession. One that comes
// alone costs as much as if that thread was told to write it, which is sooner, and the looks on top.
#pragma once

#include "load/expectation.hpp"
#include "load/limits.hpp"

#include <chrono>

namespace zlink::load {

/// One connection's. Its sender; times are handed in.
class hold_watch {
public:
    /// The first message of a batch could be held. `watched`: somebody looks after the connection still.
    [[nodiscard]] bool pays(bool watched, std::chrono::steady_clock::time_point now) noexcept
    {
        if (watched) {
            if (batches_ < limits::holds::several) ++batches_;
            return true;
        }
        // The looks that have ended were for several of them; or, while they are left, the last one is not long ago.
        const bool often = often_ ? batches_ >= limits::holds::several : now - last_ < limits::holds::soon;
        batches_ = 1;
        last_ = now;
        often_.saw(often, limits::holds::several);
        return bool(often_);
    }

private:
    expectation often_{true};
    int batches_ = limits::holds::several;          ///< since somebody was told to look, up to that
    std::chrono::steady_clock::time_point last_{};  ///< batch that nobody looked after
};

}  // namespace zlink::load
