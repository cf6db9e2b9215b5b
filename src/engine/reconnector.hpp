// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connects to one endpoint, again and again: the attempts (dialer), and the waits between them (retry_policy).
//
// Threads: made on any thread; everything else on its worker.
#pragma once

#include "base/jitter_seed.hpp"
#include "engine/dialer.hpp"
#include "engine/io_worker.hpp"
#include "engine/retry_policy.hpp"
#include "engine/session_options.hpp"
#include "runtime/deadline_timer.hpp"
#include "transport/endpoint.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace zlink::engine {

class reconnector {
public:
    /// `options` and `owner` outlive it.
    reconnector(io_worker& worker, dialer_owner& owner, const session_options& options, transport::endpoint target)
        : target_(std::move(target)),
          dialer_(worker.loop(), owner, options, target_),
          policy_(options.connection, jitter_seed()),
          timer_(worker.loop())
    {}
    reconnector(const reconnector&) = delete;
    reconnector& operator=(const reconnector&) = delete;

    [[nodiscard]] retry_policy& policy() noexcept { return policy_; }

    /// Begins an attempt; its owner is told the outcome, perhaps before this returns.
    void connect() noexcept { dialer_.start(); }
    /// Calls `then` after `wait`. False: memory is short.
    template <class Then>
    [[nodiscard]] bool wait(std::chrono::milliseconds wait, Then then) noexcept
    {
        waits_ = timer_.start_after(wait, std::move(then));
        return waits_;
    }
    /// The last call of wait() has set a time.
    [[nodiscard]] bool waits() const noexcept { return waits_; }
    /// Neither an attempt nor a wait has an outcome from now on.
    void cancel() noexcept
    {
        timer_.cancel();
        dialer_.cancel();
    }

private:
    transport::endpoint target_;
    dialer dialer_;
    retry_policy policy_;
    runtime::deadline_timer timer_;
    bool waits_ = false;
};

}  // namespace zlink::engine
