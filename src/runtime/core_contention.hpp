// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether other programs want this process's cores (load/core_contention.hpp), and the processor time that this is
// computed from.
#pragma once

#include "load/core_contention.hpp"
#include "runtime/clock.hpp"

namespace zlink::runtime {

/// Any thread.
class core_contention : public load::core_contention {
public:
    /// Processor time of all threads of this process so far. A system call, which began at `now`.
    [[nodiscard]] clock::duration own_time(clock::time_point now) noexcept
    {
        const auto time = clock::process_time();
        const auto end = clock::now();
        asked(end, end - now);
        return time;
    }

    /// The whole process: a thread meets the other programs on any core.
    [[nodiscard]] static core_contention& of_process() noexcept
    {
        static core_contention the_one;
        return the_one;
    }
};

}  // namespace zlink::runtime
