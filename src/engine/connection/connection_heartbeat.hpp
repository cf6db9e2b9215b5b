// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The timer around zmtp::heartbeat: runs if the options ask for heartbeats, or once the peer's PING has set a limit.
#pragma once

#include "runtime/deadline_timer.hpp"
#include "zmtp/heartbeat.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace zlink::engine {

/// The actions of the timer on its connection. Worker's thread.
class heartbeat_owner {
public:
    /// A PING is due: the frame.
    virtual void send_ping(std::span<const std::byte> frame) noexcept = 0;
    /// The peer has sent octets that have not been read yet.
    [[nodiscard]] virtual bool has_unread_octets() noexcept = 0;
    /// The peer kept silent for too long.
    virtual void on_silence() noexcept = 0;

protected:
    ~heartbeat_owner() = default;
};

/// Worker's thread, except note_activity().
class connection_heartbeat {
public:
    connection_heartbeat(runtime::event_loop& loop, heartbeat_owner& owner) : owner_(owner), timer_(loop) {}

    void start(const zmtp::heartbeat_config& config) noexcept;
    /// Stops the timer for good.
    void stop() noexcept;

    /// A PING came; the answer to send.
    [[nodiscard]] zmtp::pong_frame on_ping(const zmtp::ping& ping) noexcept;

    /// A PONG came. The time since the PING was sent, unless there are several that it may answer.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> on_pong() noexcept;

    /// The kernel has taken octets while commands waited. `gone`: it has taken the commands too. A PING that is still
    /// on its way sets its limit later.
    void on_progress(bool gone) noexcept;

    /// How long commands may wait for the end of a message before they go out inside it, between two frames. It is half
    /// of the time for an answer. If no such time is set on this side, it is zero, as the peer's is not known.
    [[nodiscard]] std::chrono::milliseconds patience() const noexcept
    {
        return machine_ ? machine_->timeout() / 2 : std::chrono::milliseconds{0};
    }

    /// For the thread that holds the read token: something was read. on_timer() looks.
    void note_activity() noexcept { active_.store(true, std::memory_order_relaxed); }
    /// After each read whose commands were handled. `came`: it brought octets. If a PING is among them, it sets a limit
    /// that neither these octets nor earlier ones lift.
    void end_read(bool came) noexcept
    {
        const bool pinged = std::exchange(pinged_, false);
        if (came && !pinged) note_activity();
    }

private:
    void schedule() noexcept;
    void on_timer() noexcept;

    heartbeat_owner& owner_;
    std::optional<zmtp::heartbeat> machine_;
    runtime::deadline_timer timer_;
    runtime::deadline_timer::time_point at_{};  ///< the time that the timer is set to
    bool stopped_ = false;
    bool pinged_ = false;              ///< a PING came in this read
    std::atomic<bool> active_{false};  ///< octets came since on_timer() looked
};

}  // namespace zlink::engine
