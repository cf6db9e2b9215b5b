// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a loop polls its descriptors in this round; a poll is a system call. If a loop has just been idle and now
// works, nothing is likely to be ready. It polls again only if it has worked for some time, or for many rounds, or if
// tasks came.
//
// One thread. Pure: times are handed in.
#pragma once

#include "runtime/clock.hpp"
#include "runtime/work_classes.hpp"

namespace zlink::runtime {

class poll_pacing {
public:
    /// Rounds of work from one poll that is due to the next.
    static constexpr unsigned rounds_between_polls = 32;
    /// A poll that is as old as this is repeated.
    static constexpr auto longest_without = work_classes::longest_piece;

    /// `tasks_left`: a batch of tasks is under way.
    void begin_round(bool tasks_left) noexcept { due_ = ++rounds_ % rounds_between_polls == 0 || tasks_left; }
    /// Tasks came: the round polls, whatever the last poll has found.
    void make_due() noexcept { due_ = true; }
    [[nodiscard]] bool due() const noexcept { return due_; }

    /// The poll may be left out.
    [[nodiscard]] bool may_skip(clock::time_point now) const noexcept
    {
        return quiet_ && !due_ && now - polled_at_ < longest_without;
    }

    /// The round polls, or takes the reports that a sleep has found.
    void note_poll(clock::time_point now) noexcept { polled_at_ = now; }
    [[nodiscard]] clock::time_point polled_at() const noexcept { return polled_at_; }

    /// A poll or a sleep has found a report, or may have left one unseen.
    void note_reports() noexcept { quiet_ = false; }
    /// A whole round has found nothing to do.
    void note_idle() noexcept { quiet_ = true; }

private:
    unsigned rounds_ = 0;
    bool quiet_ = false;  ///< a round found nothing to do, and no report has come since
    bool due_ = false;    ///< this round polls in any case
    clock::time_point polled_at_{};
};

}  // namespace zlink::runtime
