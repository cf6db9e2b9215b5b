// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Things that applications have left for later at a connection: a parked read token, or messages held back. Includes
// the looks whether the applications are back (pipe/activity_watch.hpp, load/activity_checks.hpp). If an application
// does not come back, the worker takes over.
//
// Threads: the worker's.
#pragma once

#include "engine/connection/send_path.hpp"
#include "engine/connection/traffic_context.hpp"
#include "load/activity_checks.hpp"
#include "runtime/deadline_timer.hpp"

namespace zlink::engine {

class lease {
public:
    /// `sends`: tells how many messages the worker has taken.
    lease(traffic_context& at, path_owner& owner, const send_path& sends)
        : at_(at),
          owner_(owner),
          sends_(sends),
          timer_(at.worker.loop())
    {}

    /// A new connection of the pipe begins. Applications have left nothing that the last connection was not told of.
    void begin() noexcept;
    /// An application has left something: looks begin.
    void watch() noexcept;
    /// The same, if applications have left something while looks ended, and have not told so.
    void watch_if_resumed() noexcept;
    /// It is time to look.
    void look() noexcept;
    void stop() noexcept { timer_.cancel(); }

private:
    void check_later() noexcept;
    void end_holding() noexcept;
    void take_over(bool held) noexcept;

    traffic_context& at_;
    path_owner& owner_;
    const send_path& sends_;
    load::activity_checks checks_;
    runtime::deadline_timer timer_;
};

}  // namespace zlink::engine
