// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An application has left something for later: a parked read token, or messages held back. This class decides when an
// I/O thread looks whether the application has been back, and when it takes over. (pipe/activity_watch.hpp tells it
// what happened.) Held messages go out as soon as their sender has been away from one look to the next. Reading waits
// longer, as nothing is late yet. The looks become rarer while the application keeps coming. If an application came
// regularly, the I/O thread looks some times more before the application counts as gone. Until then the application
// need not tell when it leaves something again; telling would wake the I/O thread in the middle of the application's
// work. If an application keeps coming, but holds nothing back any more, the looks are those for a parked token.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>

namespace zlink::load {

/// The findings of a look. One idea: independent observations of one moment, the arguments of one decision.
struct check_facts {
    bool holds_watched = false;  ///< messages may be held back
    bool holds = false;          ///< the application has been back since the last look, and has held messages back
    bool parks = false;          ///< the same, and has parked a token
    bool parks_watched = false;  ///< a token may be parked
};

enum class check_verdict : std::uint8_t {
    goes_on,
    holds_no_more,  ///< only the token is watched from now on
    gone,           ///< the application counts as gone
};

/// One for each connection. Used by the I/O thread; the caller passes the times.
class activity_checks {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// The time of a look in `wait`, or somewhat later. It is on a grid that looks of other connections use as well,
    /// whatever their times, so that one wake-up serves several. `points`, a power of two: the number of grid points in
    /// `wait`, up to twice that.
    [[nodiscard]] static time_point in_step(time_point now, std::chrono::nanoseconds wait, unsigned points) noexcept
    {
        const auto grain = std::chrono::nanoseconds(std::bit_floor(std::uint64_t(wait.count())) / points);
        const auto at = (now + wait).time_since_epoch() + grain - std::chrono::nanoseconds(1);
        return time_point(at - at % grain);
    }

    /// Watching begins.
    void begin(time_point now) noexcept
    {
        last_sign_ = last_hold_ = now;
        next_ = limits::looks::first;
        came_back_ = false;
    }

    /// The next look. `allowed`: how long a thread that has parked a token may stay away.
    [[nodiscard]] time_point next(time_point now, bool holds_watched, std::chrono::microseconds allowed) const noexcept
    {
        return holds_watched ? in_step(now, next_, limits::looks::points_for_held)
                             : in_step(now, std::max(allowed, limits::looks::first), 1);
    }

    /// A look: whether the I/O thread is to write the held messages. False if the application holds nothing: it would
    /// find the token taken for a moment.
    [[nodiscard]] bool takes_held(const check_facts& f, time_point now) const noexcept
    {
        return f.holds_watched && !f.holds && now - last_sign_ >= limits::looks::first;
    }

    /// The same look, after that. `took`: the I/O thread has taken over messages.
    [[nodiscard]] check_verdict looked(const check_facts& f, bool took, std::chrono::microseconds allowed,
                                       time_point now) noexcept
    {
        if (took) count(rule::look_wrote, 1, now - last_sign_);
        if (f.parks || f.holds) {
            last_sign_ = now;
            came_back_ = true;
        }
        if (f.holds) {
            last_hold_ = now;
            next_ = std::min(2 * next_, limits::looks::longest);
        }
        if (took) next_ = limits::looks::first;
        const auto regular = came_back_ ? limits::looks::for_regulars * next_ : next_;
        if (!f.parks_watched) allowed = {};
        if (f.holds_watched) allowed = std::max(allowed, regular);
        if (now - last_sign_ >= allowed) {
            count(rule::look_gone);
            return check_verdict::gone;
        }
        count(rule::look);
        return f.holds_watched && now - last_hold_ >= regular ? check_verdict::holds_no_more : check_verdict::goes_on;
    }

private:
    time_point last_sign_{};  ///< the application's last sign of life
    time_point last_hold_{};  ///< the last sign at which it held something back
    std::chrono::microseconds next_{};
    bool came_back_ = false;  ///< the application came back, since watching began
};

}  // namespace zlink::load
