// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Stops an object that lives on a worker, from any thread: a task, and the linger time that goes with it. Needs no
// memory.
#pragma once

#include "runtime/event_loop.hpp"
#include "runtime/task.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace zlink::engine {

template <class Target>
class stop_request {
public:
    /// `stop` is called on the worker.
    explicit stop_request(typename runtime::call_on<Target>::function stop) noexcept : task_(stop) {}

    /// Any thread. While a request is queued, another one changes nothing. `linger` negative: no limit.
    void post(runtime::event_loop& loop, std::shared_ptr<Target> target, std::chrono::milliseconds linger) noexcept
    {
        if (!task_.take_up(std::move(target))) return;
        linger_.store(linger.count(), std::memory_order_relaxed);  // post() publishes it
        loop.post(task_);
    }

    /// Worker, in `stop`: the linger time of the request.
    [[nodiscard]] std::chrono::milliseconds linger() const noexcept
    {
        return std::chrono::milliseconds(linger_.load(std::memory_order_relaxed));
    }

private:
    runtime::call_on<Target> task_;
    std::atomic<std::int64_t> linger_{0};  ///< milliseconds
};

}  // namespace zlink::engine
