// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/hosting.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace zlink::socket {

result<std::unique_ptr<engine::io_worker>> hosting::make_worker()
{
    auto made = std::make_unique<engine::io_worker>(false);
    if (const auto opened = made->open(); !opened) return opened.error();
    worker_ = made.get();
    return made;
}

std::chrono::nanoseconds hosting::step(std::chrono::nanoseconds budget, runtime::looks how) noexcept
{
    if (runtime::driver::this_thread_has_one()) return {};
    std::optional<runtime::driver> own;
    worker_->drive(own);
    return own->step(budget, how);
}

std::uint64_t hosting::drop_unwritten() noexcept
{
    std::uint64_t messages = 0;
    try {
        std::vector<engine::unwritten> left;
        worker_->residents().for_each([&](engine::resident& r) { r.describe(left); });
        for (const engine::unwritten& each : left) messages += each.messages;
    } catch (const std::exception&) {  // memory is short: they are not counted
    }
    worker_->residents().for_each([](engine::resident& r) { r.drop(); });
    return messages;
}

void waits_by_steps::begin(hosting& of) noexcept
{
    if (runtime::driver::this_thread_has_one()) return;
    of_ = &of;
    of.worker().drive(driver_);
}

void waits_by_steps::end() noexcept
{
    driver_.reset();
    of_->worker().loop().leave(!of_->any_alive());
}

void stepped_groups::add(hosting& of)
{
    if (runtime::driver::this_thread_has_one()) return;
    if (std::find(all_.begin(), all_.end(), &of) == all_.end()) all_.push_back(&of);
}

std::chrono::nanoseconds stepped_groups::step() noexcept
{
    constexpr std::chrono::microseconds budget{100};
    stepped_ = true;
    auto pause = runtime::event_loop::unlimited;
    for (hosting* each : all_) {
        if (!each->worker().loop().on_loop_thread()) continue;
        pause = std::min(pause, each->step(budget, runtime::looks::once));
    }
    return pause;
}

stepped_groups::~stepped_groups()
{
    if (!stepped_) return;
    for (hosting* each : all_) {
        if (each->worker().loop().on_loop_thread()) each->worker().loop().leave(!each->any_alive());
    }
}

}  // namespace zlink::socket
