// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread that waits for a socket's messages reads its connections itself, and whether it keeps their read
// tokens parked until its next wait. Taking a token and giving it back are a system call each. A thread that has come
// often, each time soon after the last, is expected back. At fewer messages a second an I/O thread that watches the
// parked tokens would cost more. With more connections, their messages keep the thread longer, and more is saved. The
// same is true for many threads with one connection each, if one I/O thread watches all of them at once.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"
#include "load/sparse_reads.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::load {

/// One for each socket. Used by its thread; the caller passes the times. A round is a wait.
class token_lease {
public:
    using time_point = std::chrono::steady_clock::time_point;
    using duration = std::chrono::steady_clock::duration;

    struct verdict {
        bool park = false;                 ///< the tokens are parked, else given back
        std::chrono::microseconds away{};  ///< the longest time that the thread may stay away, if it parks
    };

    /// A wait begins: whether to take the tokens of `all` connections that the thread would read. If the thread has
    /// been away for longer than a quick round, it begins to count again. `now()`: the time.
    template <class Now>
    [[nodiscard]] bool pays(unsigned all, Now now) noexcept
    {
        if (all <= limits::lease::most_at_each_wait) return true;
        if (!sparse_.leave_round() && quick_rounds_ >= std::max(all, limits::lease::rounds_to_park)) {
            if (now() - last_ < quick_among(all - 1)) return true;
            quick_rounds_ = 0;
        }
        count(rule::lease_denied);
        return false;
    }

    /// A wait has ended in which the thread has read connections. `neighbours()`: the number of connections of the same
    /// I/O thread.
    template <class Neighbours>
    [[nodiscard]] verdict waited(time_point now, connections_read read, Neighbours neighbours) noexcept
    {
        const unsigned others = read.all - 1;
        const duration gap = now - last_;
        verdict v{.park = false, .away = away_among(others)};
        bool quick = gap < quick_among(others);
        if (!quick && gap < limits::lease::longest_back_within) {
            const auto limit = std::min<std::chrono::microseconds>(
                neighbours() * limits::lease::back_within_each_neighbour, limits::lease::longest_back_within);
            quick = gap < limit;
            v.away = std::max<std::chrono::microseconds>(v.away, limit + limits::lease::late_by);
        }
        v.park = note_round(now, quick);
        if (v.park && sparse_.note(read)) {
            v.park = false;
            quick_rounds_ = 0;
        }
        count(v.park ? rule::lease_parked : rule::lease_returned);
        return v;
    }

    /// The same for a wait in which the I/O threads have read.
    void left_to_others(time_point now, unsigned others) noexcept
    {
        (void)note_round(now, now - last_ < quick_among(others));
    }

    /// Parked tokens went back: the next ones have to be paid for again.
    void ended() noexcept
    {
        quick_rounds_ = 0;
        count(rule::lease_ended);
    }

    /// For a program that asks without waiting: whether to look for news at `all` connections.
    [[nodiscard]] bool may_look(time_point now, unsigned all) const noexcept
    {
        return now - last_ > limits::lease::between_checks + all * limits::lease::between_checks_each;
    }
    /// The thread has not waited for longer than it may stay away.
    [[nodiscard]] bool is_over(time_point now, unsigned all) const noexcept
    {
        return now - last_ >= away_among(all - 1);
    }

private:
    [[nodiscard]] static duration quick_among(unsigned others) noexcept
    {
        return limits::lease::back_within + others * limits::lease::back_within_each_more;
    }
    [[nodiscard]] static std::chrono::microseconds away_among(unsigned others) noexcept
    {
        return limits::lease::away_for + others * limits::lease::away_for_each_more;
    }
    [[nodiscard]] bool note_round(time_point now, bool quick) noexcept
    {
        quick_rounds_ = quick ? quick_rounds_ + 1 : 0;
        last_ = now;
        return quick_rounds_ >= limits::lease::rounds_to_park;
    }

    time_point last_{};  ///< the end of the last round
    unsigned quick_rounds_ = 0;
    sparse_reads sparse_;
};

}  // namespace zlink::load
