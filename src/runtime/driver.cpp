// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/driver.hpp"

#include "base/cancellation.hpp"
#include "base/invariant.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace zlink::runtime {

namespace {

thread_local driver* of_mine = nullptr;

}  // namespace

driver::driver(event_loop& loop, work_source& what) noexcept : loop_(loop), what_(what)
{
    invariant([&] { return !of_mine && loop.on_loop_thread(); });
    loop.begin_here();
    of_mine = this;
}

driver::~driver()
{
    invariant([this] { return of_mine == this && !stepping_; });
    loop_.end_here();
    of_mine = nullptr;
}

driver* driver::of_this_thread() noexcept
{
    return of_mine && !of_mine->stepping_ ? of_mine : nullptr;
}

bool driver::this_thread_has_one() noexcept
{
    return of_mine != nullptr;
}

std::chrono::nanoseconds driver::step(std::chrono::nanoseconds budget, looks how) noexcept
{
    invariant([this] { return of_mine == this && !stepping_; });
    const cancellation_held_off hold;  // for all the work of the loop
    stepping_ = true;
    const auto pause = loop_.step(what_, budget, how);
    stepping_ = false;
    return pause;
}

bool driver::step_or_sleep(std::chrono::nanoseconds at_most) noexcept
{
    const auto pause = std::min(step({}), at_most);
    if (pause <= pause.zero()) return true;
    const cancellation_held_off hold;
    const timespec limit{time_t(pause.count() / 1'000'000'000), long(pause.count() % 1'000'000'000)};
    pollfd set{descriptor(), POLLIN, 0};
    return ::ppoll(&set, 1, &limit, nullptr) >= 0 || errno != EINTR;
}

}  // namespace zlink::runtime
