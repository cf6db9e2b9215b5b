// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The events that epoll is asked to report for one descriptor. Interest is one-shot: after each report rearm() asks
// again. If there is nothing to ask for, it does not: epoll would report a hang-up at once, and again and again.
//
// Changed by the worker's thread and, for reading, by the application that holds the read token. Only the worker adds
// and removes; it removes while no application is inside.
#pragma once

#include "runtime/event_loop.hpp"

#include <cstdint>
#include <mutex>
#include <utility>

namespace zlink::engine {

class descriptor_interest {
public:
    /// `kind`: awaited if other threads may call the loop's catch_up() because of this descriptor.
    descriptor_interest(runtime::event_loop& loop, runtime::descriptor_handler& handler, runtime::input kind) noexcept
        : loop_(loop),
          handler_(handler),
          kind_(kind)
    {}
    descriptor_interest(const descriptor_interest&) = delete;
    descriptor_interest& operator=(const descriptor_interest&) = delete;
    ~descriptor_interest() { remove(); }

    /// Without interest at first. The descriptor stays open until remove().
    [[nodiscard]] bool add(int fd) noexcept
    {
        if (!loop_.add(fd, handler_, kind_)) return false;
        fd_ = fd;
        return true;
    }

    void remove() noexcept
    {
        if (fd_ >= 0) loop_.remove(fd_, handler_);
        fd_ = -1;
    }

    /// Takes effect with the next rearm().
    void change(std::uint32_t set, std::uint32_t clear) noexcept
    {
        const std::lock_guard lock(mutex_);
        events_ = (events_ & ~clear) | set;
    }

    void rearm() noexcept
    {
        const std::lock_guard lock(mutex_);
        arm();
    }

    void change_and_rearm(std::uint32_t set, std::uint32_t clear) noexcept
    {
        const std::lock_guard lock(mutex_);
        events_ = (events_ & ~clear) | set;
        arm();
    }

    /// Worker's thread: input is reported though the descriptor may have none.
    void requeue() noexcept { loop_.requeue(handler_, kind_); }

private:
    void arm() noexcept
    {
        if (fd_ < 0) return;
        if (kind_ == runtime::input::unawaited) {
            if (has_to_ask(events_, armed_)) loop_.arm(fd_, handler_, events_);
            return;
        }
        const std::uint32_t output = events_ & runtime::events::writable;
        const std::uint32_t input = events_ & ~output;
        if (has_to_ask(output, armed_)) loop_.arm(fd_, handler_, output);
        if (has_to_ask(input, input_armed_)) loop_.arm_input(fd_, handler_, input);
    }

    // `armed`: the events that were asked for last; the report may have come since.
    static bool has_to_ask(std::uint32_t wanted, std::uint32_t& armed) noexcept
    {
        return std::exchange(armed, wanted) != 0 || wanted != 0;
    }

    runtime::event_loop& loop_;
    runtime::descriptor_handler& handler_;
    runtime::input kind_;
    int fd_ = -1;
    std::mutex mutex_;
    std::uint32_t events_ = 0;
    std::uint32_t armed_ = 0;
    std::uint32_t input_armed_ = 0;  ///< if input is asked for apart
};

}  // namespace zlink::engine
