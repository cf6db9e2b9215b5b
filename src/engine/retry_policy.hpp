// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether, and how soon, an endpoint to connect to is tried again (ZMQ_RECONNECT_IVL, ZMQ_RECONNECT_IVL_MAX,
// ZMQ_RECONNECT_STOP). Pure: asks no clock and no network.
//
// Each wait is drawn between half of a step and the whole step. So the clients of a lost server do not come back in
// step. The first step is twice ZMQ_RECONNECT_IVL. Without ZMQ_RECONNECT_IVL_MAX the step stays so. With it, each
// failure doubles the step up to that maximum, and no wait is above it. The first wait is never below
// ZMQ_RECONNECT_IVL.
#pragma once

#include "base/errc.hpp"
#include "engine/connection_options.hpp"
#include "engine/ending.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

namespace zlink::engine {

class retry_policy {
public:
    /// `seed`: of the jitter.
    retry_policy(const connection_options& options, std::uint32_t seed) noexcept;

    /// A connection got through its handshake: waits begin with the shortest again.
    void established() noexcept { step_ = {}; }

    /// Whether to go on after an attempt to connect that failed.
    [[nodiscard]] bool goes_on_after(errc why) const noexcept;
    /// Whether to go on after a connection that ended. `established`: it had got through its handshake; `closing`: the
    /// socket is closed and lingers.
    [[nodiscard]] bool goes_on_after(ending why, bool established, bool closing) const noexcept;

    /// How long to wait before the next attempt; each failure may lengthen the wait. None: no further attempt.
    [[nodiscard]] std::optional<std::chrono::milliseconds> next_wait() noexcept;

private:
    std::chrono::milliseconds shortest_;
    std::chrono::milliseconds longest_;  ///< step
    int stop_;
    std::chrono::milliseconds step_{};  ///< of the last wait; zero: no wait since established()
    std::minstd_rand random_;
};

}  // namespace zlink::engine
