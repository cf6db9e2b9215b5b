// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The turns of a loop's kinds of work. In each round each class that has work gets one turn, limited in pieces and
// time. Work that is left over waits for the next round; a loop with work left over does not sleep. So a class waits
// for one turn of each of the others. These take 350 us at most, and the last piece of each, as a piece is not cut. If
// pieces take at most 160 us, that is 1 ms.
//
// A class begins a batch (the work that is there now) and does it in pieces. The stack is empty between pieces: no kind
// of work runs inside another one. Pure: times and work come from the caller.
//
// One thread.
#pragma once

#include "runtime/clock.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace zlink::runtime {

enum class work_class : std::uint8_t {
    tasks,          ///< that other threads have posted
    pipe_ends,      ///< lanes and pipes that need attention
    descriptors,    ///< that are ready
    waiting_calls,  ///< descriptors with input that other threads may wait for
    timers,         ///< that are due
};

class work_classes {
public:
    using time_point = clock::time_point;

    static constexpr std::array all{work_class::tasks, work_class::pipe_ends, work_class::descriptors,
                                    work_class::waiting_calls, work_class::timers};
    /// The limit of a turn, which has at least one piece. Figures: docs/performance/history.md, 0008 (pieces), 0012
    /// (time), 0020 (descriptors: data that has just been written is best read at once).
    static constexpr int most_pieces = 64;
    static constexpr std::chrono::microseconds longest_turn(work_class c) noexcept
    {
        return c == work_class::descriptors ? 4 * longest_piece : longest_piece;
    }
    /// A piece may consist of several parts (batches to write, reads, connections to accept). It goes on to the next
    /// part for this long, counted from the beginning of its turn.
    static constexpr std::chrono::microseconds longest_piece{50};

    /// One turn for each class. False: none had any work. `Work`:
    ///   bool begin(work_class)          a batch, of which nothing is left over; false: there is nothing
    ///   bool piece(work_class)          the next piece of it; true: there is another one
    ///   bool is_overtaken(work_class)   a thread waits for another class: one piece is all for now
    ///   time_point now()
    ///   time_point slice_began(work_class)   now, or earlier: then the class has only the rest of another class's time
    template <class Work>
    [[nodiscard]] bool round(Work&& work) noexcept
    {
        bool did = false;
        for (const work_class c : all) did |= turn(c, work);
        return did;
    }

    [[nodiscard]] bool left_over() const noexcept { return left_ != 0; }
    [[nodiscard]] bool left_over(work_class c) const noexcept { return (left_ & bit(c)) != 0; }
    /// The caller has done that work.
    void nothing_left_over(work_class c) noexcept { left_ &= ~bit(c); }

    /// A piece of several parts ends after the part that is under way. Pieces that were left over have one part each,
    /// so that each of them has its turn before one of them has a second.
    [[nodiscard]] bool slice_is_over(time_point now) const noexcept { return now >= parts_end_; }
    /// No other class has work at `now`: the turn begins once more.
    void renew_slice(time_point now) noexcept { parts_end_ = now + longest_piece; }

private:
    static constexpr unsigned bit(work_class c) noexcept { return 1u << unsigned(c); }

    template <class Work>
    bool turn(work_class c, Work& work) noexcept
    {
        const bool rest = left_over(c);
        if (!rest && !work.begin(c)) return false;
        const time_point start = work.slice_began(c);
        const time_point end = start + longest_turn(c);
        parts_end_ = rest ? start : start + longest_piece;
        left_ |= bit(c);
        int pieces = 0;
        do {
            if (!work.piece(c)) {
                nothing_left_over(c);
                break;
            }
        } while (++pieces < most_pieces && !work.is_overtaken(c) && work.now() < end);
        return true;
    }

    unsigned left_ = 0;  ///< a bit for each class
    time_point parts_end_{};
};

}  // namespace zlink::runtime
