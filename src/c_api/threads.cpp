// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_threadstart(), zmq_threadclose(), zmq_sleep() and the stopwatch: small portable helpers for programs.
#include "c_api/failing.hpp"
#include "runtime/clock.hpp"
#include "runtime/pause.hpp"
#include "runtime/thread.hpp"
#include "zmq.h"

#include <cerrno>
#include <chrono>
#include <memory>
#include <new>

namespace {

using stopwatch_clock = zlink::runtime::clock;
using zlink::runtime::thread;

}  // namespace

void* zmq_threadstart(zmq_thread_fn* function, void* arg)
{
    if (function == nullptr) {
        zlink::c_api::set_errno(EFAULT);
        return nullptr;
    }
    auto started = std::unique_ptr<thread>(new (std::nothrow) thread);
    if (started == nullptr) {
        zlink::c_api::set_errno(ENOMEM);
        return nullptr;
    }
    if (const auto result = started->start([function, arg] { function(arg); }); !result) {
        zlink::c_api::set_errno(zlink::to_errno(result.error()));
        return nullptr;
    }
    return started.release();
}

void zmq_threadclose(void* handle)
{
    auto* const closed = static_cast<thread*>(handle);
    if (closed != nullptr) {
        closed->join();  // if this thread is cancelled meanwhile, the handle stays good for another call
        delete closed;
    }
}

void zmq_sleep(int seconds)
{
    if (seconds > 0) {
        // Like sleep(3), this ends early if a signal handler has run.
        zlink::runtime::cancellable_nap(std::chrono::seconds(seconds));
    }
}

void* zmq_stopwatch_start(void)
{
    auto* start = new (std::nothrow) stopwatch_clock::time_point(stopwatch_clock::now());
    if (start == nullptr) {
        zlink::c_api::set_errno(ENOMEM);
    }
    return start;
}

unsigned long zmq_stopwatch_intermediate(void* stopwatch)
{
    if (stopwatch == nullptr) {
        zlink::c_api::set_errno(EFAULT);
        return 0;
    }
    const auto elapsed = stopwatch_clock::now() - *static_cast<const stopwatch_clock::time_point*>(stopwatch);
    return static_cast<unsigned long>(std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count());
}

unsigned long zmq_stopwatch_stop(void* stopwatch)
{
    const unsigned long elapsed = zmq_stopwatch_intermediate(stopwatch);
    delete static_cast<stopwatch_clock::time_point*>(stopwatch);
    return elapsed;
}
