// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Soft back-pressure: pauses of the senders of large messages; load/pause_policy.hpp says which senders pause. Never
// blocks.
//
// Threads: the socket's owner.
#pragma once

#include "load/limits.hpp"
#include "load/pause_policy.hpp"
#include "load/socket_counts.hpp"
#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "runtime/core_contention.hpp"
#include "runtime/yield_spin.hpp"

#include <chrono>
#include <cstddef>
#include <span>

namespace zlink::socket {

class send_pacing {
public:
    /// How long a pause yields at most before it sleeps. Also how long, before that, it yields to I/O threads at most.
    static constexpr std::chrono::microseconds yields_for = load::limits::pauses::longest / 3;

    /// Without `yields` it sleeps at once.
    explicit send_pacing(load::socket_counts& counts, bool yields = true,
                         runtime::core_contention& contention = runtime::core_contention::of_process()) noexcept;

    /// After each large message, of `size` octets, of a call that may wait.
    void operator()(std::span<pipe::pipe_end* const> pipes, std::size_t size) noexcept;

private:
    using clock = runtime::clock;
    using ends = std::span<pipe::pipe_end* const>;

    template <class Holds>
    [[nodiscard]] bool any_that_counts(ends pipes, Holds holds) const noexcept;
    [[nodiscard]] bool wants_pause(ends pipes, clock::time_point now) const noexcept;
    void sleep(ends pipes, clock::time_point begun) noexcept;

    load::socket_counts& counts_;
    runtime::core_contention& contention_;
    const bool one_core_;
    runtime::yield_spin spin_;
    runtime::yield_spin backlog_spin_;  ///< while an I/O thread writes the large messages that are queued
    load::pause_policy policy_;
};

}  // namespace zlink::socket
