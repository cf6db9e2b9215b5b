// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/late_io.hpp"

#include "runtime/clock.hpp"
#include "runtime/driver.hpp"
#include "runtime/pause.hpp"

namespace zlink::socket {

bool await_late_io(pipe::pipe_end& end) noexcept
{
    constexpr std::chrono::microseconds pause{20};
    runtime::driver* const own = runtime::driver::of_this_thread();
    const auto give_up_at = runtime::clock::now() + longest_wait_for_io;
    while (!end.writer.has_room()) {
        const bool goes_on = end.parent().taken_on.load(std::memory_order_relaxed);
        if (!goes_on || runtime::clock::now() > give_up_at) return end.writer.has_room();
        if (own) {
            (void)own->step_or_sleep(pause);
        } else {
            runtime::nap(pause);
        }
    }
    return true;
}

}  // namespace zlink::socket
