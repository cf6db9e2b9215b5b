// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/deadline_timer.hpp"

#include "base/invariant.hpp"
#include "runtime/event_loop.hpp"

namespace zlink::runtime {

bool deadline_timer::begin(time_point at) noexcept
{
    invariant([this] { return loop_.on_loop_thread(); });
    if (loop_.timers_.insert(*this, at)) return true;
    handler_ = nullptr;
    return false;
}

bool deadline_timer::keep_place() noexcept
{
    invariant([this] { return loop_.on_loop_thread(); });
    return loop_.timers_.keep_place(*this);
}

void deadline_timer::end() noexcept
{
    invariant([this] { return loop_.on_loop_thread(); });
    loop_.timers_.remove(*this);
    handler_ = nullptr;
}

void deadline_timer::expire() noexcept
{
    invariant([this] { return loop_.on_loop_thread() && !queued(); });
    // The handler may destroy the timer, or start it again.
    const auto handler = std::exchange(handler_, nullptr);
    handler();
}

}  // namespace zlink::runtime
