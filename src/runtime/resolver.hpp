// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Looks up a host's name in the DNS (and in the system's other sources) on none of the threads that have other work.
#pragma once

#include "runtime/lookup_service.hpp"

#include <memory>
#include <string>

namespace zlink::runtime {

class event_loop;

/// One look-up at a time. All calls on the loop's thread; while no answer is awaited it may be made and destroyed on
/// any thread.
class resolver {
public:
    using answer = lookup_answer;
    using handler = lookup_service::handler;

    explicit resolver(event_loop& loop) noexcept : loop_(loop) {}
    resolver(const resolver&) = delete;
    resolver& operator=(const resolver&) = delete;
    ~resolver() { cancel(); }

    /// Calls `tell` once, not before this returns; an earlier look-up is cancelled. `tell` may end the resolver, or
    /// start another look-up. False: memory is short, no answer comes. `kept` is let go on the loop's thread once the
    /// system has answered. That takes its time even after cancel(): the loop cannot end before.
    [[nodiscard]] bool start(const std::string& host, handler tell, std::shared_ptr<void> kept) noexcept;

    /// No answer comes from now on.
    void cancel() noexcept;

private:
    struct state;

    event_loop& loop_;
    std::shared_ptr<state> state_;  ///< of the look-up under way
};

}  // namespace zlink::runtime
