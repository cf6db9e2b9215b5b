// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The life of a session: its stage, and the next step if it is to end. Pure: asks no clock and no network.
//
//     created --> connecting --> handshaking --> established
//                  ^      |           |               |
//                  |      v           |               |
//                  +-- waiting <------+---------------+
//
// Each stage may be followed by `ended`. The session of an accepted connection begins with handshaking, and ends with
// its connection.
//
// Threads: the session's worker.
#pragma once

#include "base/invariant.hpp"

#include <chrono>
#include <cstdint>

namespace zlink::engine {

class session_life {
public:
    enum class stage : std::uint8_t {
        created,      ///< not begun
        connecting,   ///< an attempt to connect is under way
        waiting,      ///< between two attempts
        handshaking,  ///< there is a connection, without traffic yet
        established,  ///< there is a connection with traffic
        ended,
    };

    /// The next step of the session.
    enum class step : std::uint8_t {
        go_on,  ///< nothing at once
        drain,  ///< end the connection once all queued messages are written
        abort,  ///< end the connection now
        end,    ///< end the session
    };

    [[nodiscard]] stage at() const noexcept { return at_; }
    [[nodiscard]] bool ended() const noexcept { return at_ == stage::ended; }
    [[nodiscard]] bool has_connection() const noexcept
    {
        return at_ == stage::handshaking || at_ == stage::established;
    }
    /// The session was told to end, and writes the queued messages.
    [[nodiscard]] bool lingers() const noexcept { return lingers_; }

    /// All transitions between stages.
    [[nodiscard]] static constexpr bool may_follow(stage from, stage to) noexcept
    {
        switch (from) {
        case stage::created: return to == stage::connecting || to == stage::handshaking || to == stage::ended;
        case stage::connecting: return to == stage::waiting || to == stage::handshaking || to == stage::ended;
        case stage::waiting: return to == stage::connecting || to == stage::ended;
        case stage::handshaking: return to == stage::established || to == stage::waiting || to == stage::ended;
        case stage::established: return to == stage::waiting || to == stage::ended;
        case stage::ended: return false;
        }
        return false;
    }
    void go(stage to) noexcept
    {
        invariant([&] { return may_follow(at_, to); });
        at_ = to;
    }

    // `unwritten()` tells whether messages wait in the pipe. It is called only if no established connection reads the
    // pipe.

    /// The session is told to end, once. `linger`: the time for queued messages; negative: no limit.
    template <class Unwritten>
    [[nodiscard]] step begin_linger(std::chrono::milliseconds linger, Unwritten unwritten) noexcept
    {
        invariant([this] { return !lingers_ && !ended(); });
        lingers_ = true;
        const bool idle = !has_connection() && !unwritten();
        return linger.count() == 0 || idle ? end_linger() : step::go_on;
    }
    /// The time for queued messages is over.
    [[nodiscard]] step end_linger() const noexcept { return has_connection() ? step::abort : step::end; }

    /// The session is told to stop, and lingers already. Its connection ends once all is written. If there is nothing
    /// to write, and no peer yet to write it to, the connection ends now.
    template <class Unwritten>
    [[nodiscard]] step stop_connection(Unwritten unwritten) const noexcept
    {
        invariant([this] { return lingers_; });
        if (!has_connection()) return step::go_on;
        return at_ == stage::established || unwritten() ? step::drain : step::abort;
    }

    /// Whether another attempt to connect makes sense: when the session lingers, only for queued messages.
    template <class Unwritten>
    [[nodiscard]] bool may_retry(Unwritten unwritten) const noexcept
    {
        return !lingers_ || unwritten();
    }

private:
    stage at_ = stage::created;
    bool lingers_ = false;
};

}  // namespace zlink::engine
