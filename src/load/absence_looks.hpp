// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When an I/O thread looks whether an application has been back that has left something for later, a parked read token or messages held
// back, and when it takes over (pipe/absence.hpp tells it what has happened). What is held back goes out as soon as its sender
// has been away from one look to the next; reading waits longer, as nothing is late yet. The looks become rarer while the
// application keeps coming. One who came regularly is looked for some times more before he counts as gone: until then he need not
// tell when he leaves something again, which would wake the I/O thread in the middle of his work.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::load {

/// What a look has found.
struct look_facts {
    bool holds_watched = false;  ///< messages may be held back
    bool holds = false;          ///< it has been back since the last look, and has held messages back
    bool parks = false;          ///< the same, and has parked a token
};

/// One connection's. The I/O thread; times are handed in.
class absence_looks {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// Watching begins.
    void begin(time_point now) noexcept
    {
        last_sign_ = now;
        next_ = limits::looks::first;
    }

    /// Until the next look. `allowed`: how long a thread that has parked a token may stay away.
    [[nodiscard]] std::chrono::microseconds next(bool holds_watched, std::chrono::microseconds allowed) const noexcept
    {
        return holds_watched ? next_ : allowed;
    }

    /// A look: what is held back is to be written by the I/O thread. Not of an application that holds nothing: it would find the
    /// token taken for a moment.
    [[nodiscard]] bool takes_held(const look_facts& f, time_point now) const noexcept
    {
        return f.holds_watched && !f.holds && now - last_sign_ >= limits::looks::first;
    }

    /// The same look, after that. `took`: messages have been taken over by it. True: the application counts as gone.
    [[nodiscard]] bool gone(const look_facts& f, bool took, std::chrono::microseconds allowed, time_point now) noexcept
    {
        if (took) count(rule::look_wrote, 1, now - last_sign_);
        if (f.parks || f.holds) last_sign_ = now;
        if (f.holds) next_ = std::min(2 * next_, limits::looks::longest);
        if (took) next_ = limits::looks::first;
        if (f.holds_watched) allowed = std::max(allowed, limits::looks::for_regulars * next_);
        const bool is_gone = now - last_sign_ >= allowed;
        count(is_gone ? rule::look_gone : rule::look);
        return is_gone;
    }

private:
    time_point last_sign_{};  ///< of the application
    std::chrono::microseconds next_{};
};

}  // namespace zlink::load
