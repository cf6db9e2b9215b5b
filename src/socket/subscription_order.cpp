// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/subscription_order.hpp"

#include "runtime/brief_wait.hpp"
#include "runtime/clock.hpp"
#include "socket/context.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::socket {

namespace {

// For an I/O thread that has to wait for a core, too.
constexpr std::chrono::milliseconds longest_wait{100};

}  // namespace

void subscription_order::expect() noexcept
{
    expected_ = true;
    pipe::count_arrivals();
}

// A subscription that came earlier counts first, though it comes by way of an I/O thread that may have read the other
// connection before. (Not asked for by the shortcut, whose only peer has subscribed to everything.)
void subscription_order::catch_up() noexcept
{
    seen_ = pipe::arrivals();
    if (!pipes_.empty()) context_.let_io_catch_up();
}

// Subscriptions are written by the thread that makes them, unless the I/O thread is at the connection just then, and
// writes them within microseconds. A publisher that does not take what it is sent is waited for once.
void subscription_order::await_written() noexcept
{
    const auto written = [this] {
        return std::none_of(pipes_.begin(), pipes_.end(), [](pipe::pipe_end* end) { return end->left_to_io_thread(); });
    };
    if (written()) {
        late_ = false;
    } else if (!late_) {
        late_ = !runtime::brief_wait(runtime::clock::now() + longest_wait, written);
    }
    // A publisher of this program that sends next, while its I/O thread has not come to reading yet, hears of it.
    pipe::note_arrival();
}

}  // namespace zlink::socket
