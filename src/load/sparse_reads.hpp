// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread that waits for many connections finds input at enough of them. A sleep that waits for many costs
// more than a wake-up by an I/O thread, unless several have input at its end.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <algorithm>

namespace zlink::load {

/// Connections that a thread reads in a wait, and those of them that had messages.
struct connections_read {
    unsigned all = 0;
    unsigned found = 0;

    friend connections_read operator-(connections_read a, connections_read b) noexcept
    {
        return {a.all - b.all, a.found - b.found};
    }
};

/// One for each socket. Used by its thread. A round is a wait.
class sparse_reads {
public:
    /// A round begins. True: the I/O threads read in it, as too few connections had input before.
    [[nodiscard]] bool leave_round() noexcept
    {
        if (rounds_left_ == 0) return false;
        --rounds_left_;
        return true;
    }

    /// A round has ended in which the thread has read. True: too few of the connections had input, on average.
    [[nodiscard]] bool note(connections_read read) noexcept
    {
        if (read.all <= limits::lease::polled_for_one_found) return false;
        found_ += (double(read.found) - found_) / limits::lease::weight;
        if (found_ * limits::lease::polled_for_one_found >= read.all) {
            if (++dense_rounds_ == limits::lease::first_sparse_rounds) next_ = limits::lease::first_sparse_rounds;
            return false;
        }
        count(rule::lease_sparse);
        rounds_left_ = next_;
        next_ = std::min(2 * next_, limits::lease::longest_sparse_rounds);
        dense_rounds_ = 0;
        found_ = limits::lease::found_at_first;
        return true;
    }

private:
    double found_ = limits::lease::found_at_first;        ///< connections with messages after a wait, on average
    unsigned dense_rounds_ = 0;                           ///< since too few connections had input
    unsigned rounds_left_ = 0;                            ///< in which the I/O threads read
    unsigned next_ = limits::lease::first_sparse_rounds;  ///< rounds for the next time
};

}  // namespace zlink::load
