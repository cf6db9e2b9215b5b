// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The events that epoll is asked to report for one descriptor. Interest is one-shot: after each report rearm() asks
// again. If there is nothing to ask for, it does not: epoll would report a hang-up at once, and again and again.
//
// Interest in input alone is kept, if all input was read: epoll tells by itself of what comes then, and no call is
// made. Of some streams, a read that ends early tells that there is no more (epoll(7), short_read_takes_all()). It does
// not if more than octets has come: the end of the stream, or urgent octets. Once a report has told of that, interest
// is one-shot for good. Awaited input is never kept.
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
        want(set, clear);
    }

    void rearm() noexcept
    {
        const std::lock_guard lock(mutex_);
        arm();
    }

    void change_and_rearm(std::uint32_t set, std::uint32_t clear) noexcept
    {
        const std::lock_guard lock(mutex_);
        want(set, clear);
        arm();
    }

    /// Asks for input, after a read or outside of one. `drained`: a read has just found that there is no more.
    void ask_for_input(bool drained) noexcept
    {
        const std::lock_guard lock(mutex_);
        want(runtime::events::readable, 0);
        if (!may_be_kept()) return arm();
        if (input_is_ == interest::kept && drained) return;
        input_is_ = interest::kept;
        armed_ = events_;
        using namespace runtime;
        loop_.keep(fd_, handler_, events::readable | events::ended | events::urgent);
    }

    /// Worker's thread: what a report has told, before anything else is called.
    void note_report(std::uint32_t events) noexcept
    {
        constexpr std::uint32_t harmless = runtime::events::readable | runtime::events::writable;
        if ((events & ~harmless) == 0) [[likely]]
            return;
        const std::lock_guard lock(mutex_);
        input_is_ = interest::one_shot_for_good;
    }

    /// Worker's thread: input is reported though the descriptor may have none.
    void requeue() noexcept { loop_.requeue(handler_, kind_); }

private:
    /// See above.
    enum class interest : std::uint8_t { one_shot, kept, one_shot_for_good };

    [[nodiscard]] bool may_be_kept() const noexcept
    {
        return fd_ >= 0 && kind_ == runtime::input::unawaited && input_is_ != interest::one_shot_for_good &&
               events_ == runtime::events::readable;
    }

    void want(std::uint32_t set, std::uint32_t clear) noexcept { events_ = (events_ & ~clear) | set; }

    void arm() noexcept
    {
        if (fd_ < 0) return;
        if (input_is_ == interest::kept) input_is_ = interest::one_shot;
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
    interest input_is_ = interest::one_shot;
};

}  // namespace zlink::engine
