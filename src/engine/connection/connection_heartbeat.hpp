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

/// What the timer does to its connection. Worker's thread.
class heartbeat_owner {
public:
    /// A PING is due: the frame.
    virtual void send_ping(std::span<const std::byte> frame) noexcept = 0;
    /// Octets from the peer are there that nobody has read yet.
    [[nodiscard]] virtual bool has_unread_octets() noexcept = 0;
    /// The peer kept silent for too long.
    virtual void on_silence() noexcept = 0;

protected:
    ~heartbeat_owner() = default;
};

/// Worker's thread, but for note_activity().
class connection_heartbeat {
public:
    connection_heartbeat(runtime::event_loop& loop, heartbeat_owner& owner) : owner_(owner), timer_(loop) {}

    void start(const zmtp::heartbeat_config& config) noexcept;
    /// For good.
    void stop() noexcept;

    /// A PING came; the answer to send.
    [[nodiscard]] zmtp::pong_frame on_ping(const zmtp::ping& ping) noexcept;

    /// The kernel has taken octets while commands waited, the commands, too, if they have `gone`: a PING that is on its way
    /// still sets its limit later.
    void on_progress(bool gone) noexcept;

    /// How long commands may wait for a message to end before they go out inside it, between two frames: half of the time
    /// for an answer; nothing where we set none, as the peer's is not known.
    [[nodiscard]] std::chrono::milliseconds patience() const noexcept
    {
        return machine_ ? machine_->timeout() / 2 : std::chrono::milliseconds{0};
    }

    /// Whoever holds the read token: something was read. on_timer() looks.
    void note_activity() noexcept { active_.store(true, std::memory_order_relaxed); }
    /// After each read whose commands were handled. `came`: it brought octets. A PING among them sets a limit that they, and
    /// those before them, do not lift.
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
    runtime::deadline_timer::time_point at_{};  ///< what the timer is set to
    bool stopped_ = false;
    bool pinged_ = false;              ///< in this read
    std::atomic<bool> active_{false};  ///< since on_timer() looked
};

}  // namespace zlink::engine
