// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A thread's sleep in ppoll(2), and the signals that have their handlers run in it. The kernel returns EINTR only if no
// descriptor is ready by the time that the thread runs. If a signal ends a peer as well (Ctrl-C goes to both programs),
// a descriptor is ready. A sleep that heeds signals reports them also then, for two to four system calls more.
#pragma once

#include "runtime/deadline.hpp"
#include "runtime/sleep_pace.hpp"

#include <poll.h>
#include <signal.h>

namespace zlink::runtime {

/// The descriptors that a sleep waits for. The first is the sleeper's own, by which it is woken. Negative: it has none,
/// and sleeps for a short time only.
struct poll_set {
    pollfd* fds;
    unsigned count;
    const sigset_t* signal_mask = nullptr;  ///< in force meanwhile, as in ppoll(2); null: the thread's

    /// None of the caller's descriptors is ready.
    void report_nothing() const noexcept
    {
        for (unsigned i = 1; i < count; ++i) fds[i].revents = 0;
    }
};

enum class poll_end {
    ready,        ///< descriptors are, or the kernel returned an error
    nothing,      ///< the time is over
    interrupted,  ///< a signal's handler ran; descriptors may be ready, too
};

/// Sleeps until a descriptor is ready, `until`, or a signal that it heeds: see `how`. A cancellation point.
[[nodiscard]] poll_end sleep_in_poll(const poll_set& what, const deadline& until, pace how);

}  // namespace zlink::runtime
