// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/alarm.hpp"

#include "base/invariant.hpp"

#include <sys/timerfd.h>

#include <cerrno>
#include <chrono>

namespace zlink::runtime {

result<void> alarm::open() noexcept
{
    fd_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!fd_) return from_errno(errno);
    return {};
}

void alarm::set(clock::time_point deadline, clock::time_point now) noexcept
{
    invariant([&] { return deadline > now; });
    if (at_ > now && at_ <= deadline) return;
    const auto at = std::chrono::nanoseconds(deadline.time_since_epoch()).count();
    const itimerspec when{{}, {time_t(at / 1'000'000'000), long(at % 1'000'000'000)}};
    [[maybe_unused]] const int set = ::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
    invariant([set] { return set == 0; });
    at_ = deadline;
}

}  // namespace zlink::runtime
