// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When messages that leave at a fixed rate are due, and how their sender waits for it.
#pragma once

#include "harness/clock.hpp"
#include "harness/fail.hpp"
#include "harness/settings.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace bench {

// When what is due, and what of it is measured.
class timetable {
public:
    timetable(const settings& of, std::uint64_t start)
        : start_(start),
          interval_(1e9 / static_cast<double>(of.rate)),
          from_(start + warm_up(of)),
          until_(from_ + static_cast<std::uint64_t>(1e9 * of.seconds)),
          stride_(of.rate / most_samples | 1)
    {}

    [[nodiscard]] std::uint64_t due(std::uint64_t sequence) const
    {
        return start_ + static_cast<std::uint64_t>(static_cast<double>(sequence) * interval_);
    }
    // How many are due by then.
    [[nodiscard]] double due_by(std::uint64_t time) const { return static_cast<double>(time - start_) / interval_; }

    [[nodiscard]] std::uint64_t from() const { return from_; }
    [[nodiscard]] std::uint64_t until() const { return until_; }

    // Whether it is one of those that are timed: some 100,000 a second, lest the look at the clock be what is measured.
    [[nodiscard]] bool timed(std::uint64_t sequence) const
    {
        if (sequence % stride_ != 0) return false;
        return measured(due(sequence));
    }
    [[nodiscard]] bool measured(std::uint64_t time) const { return from_ <= time && time < until_; }

private:
    static constexpr std::uint64_t most_samples = 100'000;

    static std::uint64_t warm_up(const settings& of)
    {
        return std::max<std::uint64_t>(static_cast<std::uint64_t>(1e8 * of.seconds), 100'000'000);
    }

    std::uint64_t start_;
    double interval_;
    std::uint64_t from_;
    std::uint64_t until_;
    std::uint64_t stride_;
};

// A sender sleeps until the next message is due, but no shorter than this. Above 10,000 messages a second it sends what
// has become due in the meantime. To sleep and wake takes 5 to 25 us of CPU time, so more turns would mostly measure
// the timer.
inline constexpr std::uint64_t shortest_turn_ns = 100'000;

// CPU time that one sleep of the calling thread takes.
inline double timer_cost_ns(std::uint64_t rate)
{
    const std::uint64_t turn = std::clamp<std::uint64_t>(1'000'000'000 / rate, shortest_turn_ns, 5'000'000);
    constexpr std::uint64_t span = 100'000'000;
    const std::uint64_t used = thread_cpu_ns();
    std::uint64_t next = now_ns();
    for (std::uint64_t turns = span / turn; turns > 0; --turns) sleep_until_ns(next += turn);
    return static_cast<double>(thread_cpu_ns() - used) / static_cast<double>(span / turn);
}

// A descriptor that zmq_poll waits for in addition to a socket: its own timeout is in milliseconds.
class timer {
public:
    timer() : descriptor_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))
    {
        if (descriptor_ < 0) fail(exit_status::failed, "timerfd_create: %s", std::strerror(errno));
    }
    ~timer() { ::close(descriptor_); }
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }
    // When it becomes readable, or became so.
    [[nodiscard]] std::uint64_t when() const { return when_; }
    void set(std::uint64_t when)
    {
        when_ = when;
        itimerspec at{};
        at.it_value = {static_cast<time_t>(when / 1'000'000'000), static_cast<long>(when % 1'000'000'000)};
        if (::timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &at, nullptr) != 0) {
            fail(exit_status::failed, "timerfd_settime: %s", std::strerror(errno));
        }
    }

private:
    int descriptor_;
    std::uint64_t when_ = 0;
};

}  // namespace bench
