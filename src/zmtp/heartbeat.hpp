// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Heartbeats of one connection (RFC 37, "Connection Heartbeating"): when to send PING, how to answer one, when the
// connection counts as dead. For peers of 3.x, from the end of the handshake on. Time is passed in, never read.
#pragma once

#include "zmtp/command.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace zlink::zmtp {

/// In milliseconds, as the options ZMQ_HEARTBEAT_IVL, _TTL and _TIMEOUT give them.
struct heartbeat_config {
    std::chrono::milliseconds ivl{0};       ///< between PINGs; 0: none are sent
    std::chrono::milliseconds ttl{0};       ///< told to the peer, in tenths of a second; 0: none
    std::chrono::milliseconds timeout{-1};  ///< of silence after a PING; negative: as ivl; 0: none
};

/// A PONG frame, header included.
struct pong_frame {
    std::array<std::byte, 2 + pong_prefix_size + max_ping_context> octets;
    std::uint8_t size;

    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {octets.data(), size}; }
};

/// Not thread-safe. Report each read by on_activity() before on_ping() of a PING inside it.
class heartbeat {
public:
    using time_point = std::chrono::steady_clock::time_point;
    enum class action : std::uint8_t { nothing, send_ping, timed_out };

    heartbeat(const heartbeat_config& config, time_point now) noexcept;

    /// Octets came from the peer at `at`: lifts the time limits that were set until then. `at` may be earlier than that
    /// of the last call; a limit set after it stays.
    void on_activity(time_point at) noexcept
    {
        if (timeout_.armed && at >= timeout_.since) timeout_.armed = false;
        if (ttl_.armed && at >= ttl_.since) ttl_.armed = false;
    }

    /// A PING came; it counts as activity itself. A ttl (tenths of a second) sets a limit to the silence after it.
    [[nodiscard]] pong_frame on_ping(std::uint16_t ttl, std::span<const std::byte> context, time_point now) noexcept;

    /// A PONG came at `now`. The time since the PING was sent; without a value: it may be the answer to an earlier one.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> on_pong(time_point now) noexcept;

    /// The action that is due. send_ping sets the time limit for an answer: send ping_frame(). After timed_out the
    /// connection is over.
    [[nodiscard]] action on_timer(time_point now) noexcept;

    /// The PING that set the limit was still on its way until `now`. It still is, unless it has `gone`: the limit
    /// counts from now.
    void on_ping_progress(time_point now, bool gone) noexcept
    {
        if (!timeout_.armed || !ping_on_its_way_) return;
        timeout_ = {true, now, now + timeout_after_};
        ping_on_its_way_ = !gone;
        ping_sent_ = now;
    }

    /// Of silence after a PING; 0: none.
    [[nodiscard]] std::chrono::milliseconds timeout() const noexcept { return timeout_after_; }

    /// When to call on_timer() next, unless activity moves it later; without a value: never.
    [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

    /// The PING to send, header included.
    [[nodiscard]] std::span<const std::byte> ping_frame() const noexcept { return ping_; }

private:
    struct limit {
        bool armed = false;
        time_point since{};
        time_point until{};
    };

    std::chrono::milliseconds ivl_;
    std::chrono::milliseconds timeout_after_;
    time_point next_ping_{};
    limit timeout_;
    bool ping_on_its_way_ = false;  ///< the PING that set timeout_
    limit ttl_;
    time_point ping_sent_{};  ///< the last one
    enum class answer : std::uint8_t { none, due, unclear };
    answer answer_ = answer::none;  ///< to PINGs; unclear: more than one PONG may come
    std::array<std::byte, 2 + ping_prefix_size> ping_{};
};

}  // namespace zlink::zmtp
