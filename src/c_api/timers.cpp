// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_timers_*(): repeating timers. Their handlers run on the thread that calls zmq_timers_execute().
#include "c_api/failing.hpp"
#include "runtime/clock.hpp"
#include "zmq.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <utility>

namespace {

using std::chrono::milliseconds;
using timer_clock = zlink::runtime::clock;
using time_point = timer_clock::time_point;

/// `interval` milliseconds after `now`, or the end of time if that is nearer.
time_point after(time_point now, std::size_t interval) noexcept
{
    const auto longest = std::chrono::duration_cast<milliseconds>(time_point::max() - now).count();
    if (interval > static_cast<std::uint64_t>(longest)) {
        return time_point::max();
    }
    return now + milliseconds(static_cast<milliseconds::rep>(interval));
}

/// A set of timers, owned by one thread. Handlers may call every function of it, destruction included.
class timer_set {
public:
    [[nodiscard]] bool valid() const noexcept { return tag_ == live_tag; }

    /// Returns the new timer's id. Throws std::bad_alloc; nothing is added then.
    int add(std::size_t interval, zmq_timer_fn* handler, void* arg)
    {
        const int id = next_id();
        const auto due = after(timer_clock::now(), interval);
        const auto place = timers_.emplace(id, timer{interval, handler, arg, due, pass_}).first;
        try {
            schedule_.emplace(due, id);
        } catch (...) {
            timers_.erase(place);
            throw;
        }
        last_id_ = id;
        return id;
    }

    bool cancel(int id) noexcept
    {
        const auto found = timers_.find(id);
        if (found == timers_.end()) {
            return false;
        }
        schedule_.erase({found->second.due, id});
        timers_.erase(found);
        return true;
    }

    bool set_interval(int id, std::size_t interval) noexcept
    {
        const auto found = timers_.find(id);
        if (found == timers_.end()) {
            return false;
        }
        found->second.interval = interval;
        restart(found->first, found->second, timer_clock::now());
        return true;
    }

    bool reset(int id) noexcept
    {
        const auto found = timers_.find(id);
        if (found == timers_.end()) {
            return false;
        }
        restart(found->first, found->second, timer_clock::now());
        return true;
    }

    /// Milliseconds until the next timer is due, rounded up so that it is due after a wait of that length; -1: none.
    [[nodiscard]] long timeout() const noexcept
    {
        if (schedule_.empty()) {
            return -1;
        }
        const auto left = schedule_.begin()->first - timer_clock::now();
        const auto wait = std::max<std::int64_t>(std::chrono::ceil<milliseconds>(left).count(), 0);
        return static_cast<long>(std::min<std::int64_t>(wait, std::numeric_limits<long>::max()));
    }

    /// Runs the timers that are due now in order of time, each once. Timers that handlers add or restart wait for the
    /// next call.
    void execute()
    {
        const auto now = timer_clock::now();
        const auto pass = ++pass_;
        const deeper inside(depth_);
        for (auto next = schedule_.begin(); next != schedule_.end() && next->first <= now;) {
            const auto position = *next;
            auto& due = timers_.find(position.second)->second;
            if (due.pass < pass) {
                restart(position.second, due, now);
                due.handler(position.second, due.arg);
            }
            // The handler may have changed the schedule in any way.
            next = schedule_.upper_bound(position);
        }
    }

    /// Ends the set's validity. True if the caller shall delete it, false if execute() is still running in it.
    [[nodiscard]] bool retire() noexcept
    {
        tag_ = dead_tag;
        timers_.clear();
        schedule_.clear();
        return depth_ == 0;
    }

    [[nodiscard]] bool abandoned() const noexcept { return !valid() && depth_ == 0; }

private:
    static constexpr std::uint32_t live_tag = 0x7a74696d;
    static constexpr std::uint32_t dead_tag = 0xdeadbeef;

    /// Counts a run of execute(), however it ends: a thread may be cancelled in a handler.
    class deeper {
    public:
        explicit deeper(int& depth) noexcept : depth_(depth) { ++depth_; }
        ~deeper() { --depth_; }
        deeper(const deeper&) = delete;
        deeper& operator=(const deeper&) = delete;

    private:
        int& depth_;
    };

    struct timer {
        std::size_t interval;
        zmq_timer_fn* handler;
        void* arg;
        time_point due;
        std::uint64_t pass;  ///< Run of execute() in which it was last started; it is not due again in that run.
    };

    // Ids grow from 1 and start over after the largest int, past those still in use.
    [[nodiscard]] int next_id() const noexcept
    {
        int id = last_id_;
        do {
            id = id == std::numeric_limits<int>::max() ? 1 : id + 1;
        } while (timers_.contains(id));
        return id;
    }

    void restart(int id, timer& changed, time_point now) noexcept
    {
        // Moving the node allocates nothing, so this cannot fail.
        auto node = schedule_.extract({changed.due, id});
        changed.due = after(now, changed.interval);
        changed.pass = pass_;
        node.value().first = changed.due;
        schedule_.insert(std::move(node));
    }

    std::uint32_t tag_ = live_tag;
    int last_id_ = 0;
    int depth_ = 0;
    std::uint64_t pass_ = 0;
    std::map<int, timer> timers_;
    std::set<std::pair<time_point, int>> schedule_;
};

/// Returns null with EFAULT if `handle` is not a set of timers.
timer_set* as_timers(void* handle) noexcept
{
    auto* timers = static_cast<timer_set*>(handle);
    if (timers == nullptr || !timers->valid()) {
        (void)zlink::c_api::fail(EFAULT,
                                 "that is not a set of timers, or it was destroyed: zmq_timers_new() makes one");
        return nullptr;
    }
    return timers;
}

int found_or_invalid(bool found) noexcept
{
    if (!found) {
        return zlink::c_api::fail(EINVAL, "there is no such timer, or it was cancelled");
    }
    return 0;
}

}  // namespace

void* zmq_timers_new(void)
{
    auto* timers = new (std::nothrow) timer_set;
    if (timers == nullptr) {
        zlink::c_api::set_errno(ENOMEM);
    }
    return timers;
}

int zmq_timers_destroy(void** handle)
{
    auto* timers = as_timers(handle != nullptr ? *handle : nullptr);
    if (timers == nullptr) {
        return -1;
    }
    *handle = nullptr;
    if (timers->retire()) {
        delete timers;
    }
    return 0;
}

int zmq_timers_add(void* handle, size_t interval, zmq_timer_fn* handler, void* arg)
{
    auto* timers = as_timers(handle);
    if (timers == nullptr) {
        return -1;
    }
    if (handler == nullptr) {
        return zlink::c_api::fail(EFAULT, "handler is NULL");
    }
    try {
        return timers->add(interval, handler, arg);
    } catch (const std::bad_alloc&) {
        zlink::c_api::set_errno(ENOMEM);
        return -1;
    }
}

int zmq_timers_cancel(void* handle, int timer_id)
{
    auto* timers = as_timers(handle);
    return timers != nullptr ? found_or_invalid(timers->cancel(timer_id)) : -1;
}

int zmq_timers_set_interval(void* handle, int timer_id, size_t interval)
{
    auto* timers = as_timers(handle);
    return timers != nullptr ? found_or_invalid(timers->set_interval(timer_id, interval)) : -1;
}

int zmq_timers_reset(void* handle, int timer_id)
{
    auto* timers = as_timers(handle);
    return timers != nullptr ? found_or_invalid(timers->reset(timer_id)) : -1;
}

long zmq_timers_timeout(void* handle)
{
    auto* timers = as_timers(handle);
    return timers != nullptr ? timers->timeout() : -1;
}

int zmq_timers_execute(void* handle)
{
    auto* timers = as_timers(handle);
    if (timers == nullptr) {
        return -1;
    }
    timers->execute();
    if (timers->abandoned()) {
        delete timers;
    }
    return 0;
}
