// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which side pays for the order of "published" and "asleep" on a lane. The writer pays with a fence for each message.
// The reader pays with a membarrier for each sleep, which interrupts every core that runs the process. Learned from the
// number of messages between sleeps.
#pragma once

#include "load/counters.hpp"
#include "load/limits.hpp"

#include <cstdint>

namespace zlink::load {

/// The reader's. The lane decides what it tells the writer, and when.
class fence_learning {
public:
    enum class change : std::uint8_t {
        none,
        use,    ///< the writer has to use fences from now on
        spare,  ///< the writer does not need fences any more
    };

    /// The reader is about to sleep, and has read `read` messages so far.
    [[nodiscard]] change sleeps(std::uint64_t read) noexcept
    {
        const bool few = read - read_at_sleep_ < limits::fences::few_between_sleeps;
        read_at_sleep_ = read;
        if (!few) return spare();
        if (writer_ != fences::none || ++short_runs_ < limits::fences::short_runs_to_learn) return change::none;
        writer_ = fences::learned;
        count(rule::fences_learned);
        return change::use;
    }

    /// The reader reads on: a stream that does not let it sleep needs no fences.
    [[nodiscard]] change reads_on(std::uint64_t read) noexcept
    {
        return read - read_at_sleep_ >= limits::fences::few_between_sleeps ? spare() : change::none;
    }

    /// The writer uses fences for good.
    void always() noexcept { writer_ = fences::always; }

    /// For each sleep, after sleeps(). True: a full fence is enough, as the writer uses fences and a heavy fence has
    /// shown it the request.
    [[nodiscard]] bool full_fence_does() noexcept
    {
        const bool now = writer_ != fences::none;
        const bool does = now && shown_;
        shown_ = now;
        return does;
    }

private:
    [[nodiscard]] change spare() noexcept
    {
        short_runs_ = 0;
        if (writer_ != fences::learned) return change::none;
        writer_ = fences::none;
        shown_ = false;
        count(rule::fences_spared);
        return change::spare;
    }

    enum class fences : std::uint8_t { none, learned, always };
    fences writer_ = fences::none;
    bool shown_ = false;               ///< a heavy fence has come since the writer was told to use them
    std::uint8_t short_runs_ = 0;      ///< sleeps in a row after few messages
    std::uint64_t read_at_sleep_ = 0;  ///< messages read at the last sleep
};

}  // namespace zlink::load
