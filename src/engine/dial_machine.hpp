// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One attempt to connect to an endpoint, as a machine: the next action, and the error that the attempt ends with. Pure:
// no clock, no errno, no I/O. Time is handed in, and so is whether there are addresses that have not been tried.
//
// - The addresses are tried in turn, and the last one's error is the attempt's.
// - A time limit (ZMQ_CONNECT_TIMEOUT) covers each try. If it is reached, the attempt ends: no further address is
//   tried.
// - A connected stream may still have to agree on something before it leads to the peer. That is part of the try, and
//   has ZMQ_HANDSHAKE_IVL besides. If it fails, no further address is tried: the answer would be the same.
//
//    idle --started--> resolving --resolved--> opening --opened--> connecting --ready--> agreeing --ready--> idle
//
// If a limit has to be armed, a limiting state comes before connecting and before agreeing.
#pragma once

#include "base/errc.hpp"

#include <chrono>
#include <cstdint>
#include <variant>

namespace zlink::engine {

class dial_machine {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// Zero: no limit.
    struct limits {
        std::chrono::milliseconds connecting{0};  ///< of a try, from the opening to the end
        std::chrono::milliseconds agreeing{0};    ///< of the agreement
    };

    // Events. `more`: there are addresses that have not been tried.

    /// An attempt begins.
    struct started {
        bool by_name = false;  ///< its addresses have to be looked up
        bool more = false;
    };
    /// The answer to resolve.
    struct resolved {
        errc error = errc::none;
        bool more = false;
    };
    /// The outcome of open.
    struct opened {
        enum class outcome : std::uint8_t { connected, in_progress, failed };

        outcome how;
        bool more = false;
        int descriptor = -1;  ///< its number, once there was one: after failed it is closed again
        errc error = errc::none;
    };
    /// The descriptor was ready, and this is the stream's answer to it.
    struct ready {
        enum class outcome : std::uint8_t { connected, wants_input, wants_output, failed };

        outcome how;
        bool more = false;
        errc error = errc::none;
    };
    /// The answer to arm_limit.
    struct limit_armed {};
    struct limit_reached {};
    /// An action could not be executed, or the attempt could not begin.
    struct unable {
        errc error;
        int descriptor = -1;  ///< of the stream that was opened
    };
    using event = std::variant<started, resolved, opened, ready, limit_armed, limit_reached, unable>;

    /// The source of an error, for the words that tell of it.
    enum class cause : std::uint8_t {
        system,             ///< a system call, memory, time
        look_up,            ///< the name's
        stream,             ///< the error of the stream when it was ready
        overdue_agreement,  ///< time was over, and the stream was connected
    };

    struct action {
        enum class kind : std::uint8_t {
            resolve,        ///< look the name up: resolved
            open,           ///< drop the stream and its limit, if there are any, and try the next address: opened
            wait_writable,  ///< ready, or limit_reached
            wait_readable,  ///< the same
            arm_limit,      ///< for `at`, in place of an earlier one: limit_armed
            connected,      ///< the attempt ends: the stream is connected
            failed,         ///< the attempt ends: `error`, `from`, `closed`
        };

        kind what;
        time_point at{};
        errc error = errc::none;
        cause from = cause::system;
        int closed = -1;  ///< the number of the descriptor that was tried last, or -1: there was none

        bool operator==(const action&) const = default;
    };

    explicit dial_machine(const limits& of_try) noexcept : limits_(of_try) {}

    /// The action that follows. Each action leads to one event, unless the attempt ends; `unable` may come in place of
    /// an answer.
    [[nodiscard]] action resume(const event& what, time_point now) noexcept;
    /// Ends the attempt, if there is one, without an outcome.
    void cancel() noexcept { state_ = state::idle; }

    /// Whether the event can come now. An event that cannot breaks an invariant.
    [[nodiscard]] bool expects(const event& what) const noexcept;

private:
    enum class state : std::uint8_t {
        idle,
        resolving,
        opening,
        limiting_connect,           ///< then connecting
        connecting,                 ///< until the descriptor is ready
        limiting_agreement_input,   ///< then agreeing, which waits for input
        limiting_agreement_output,  ///< the same, for output
        agreeing,                   ///< connected, but not to the peer yet
    };

    [[nodiscard]] action on(const started& e, time_point now) noexcept;
    [[nodiscard]] action on(const resolved& e, time_point now) noexcept;
    [[nodiscard]] action on(const opened& e, time_point now) noexcept;
    [[nodiscard]] action on(const ready& e, time_point now) noexcept;
    [[nodiscard]] action on(const limit_armed& e, time_point now) noexcept;
    [[nodiscard]] action on(const limit_reached& e, time_point now) noexcept;
    [[nodiscard]] action on(const unable& e, time_point now) noexcept;

    [[nodiscard]] action try_next(bool more, errc otherwise) noexcept;
    [[nodiscard]] action wait_for_connect() noexcept;
    [[nodiscard]] action agree(bool by_input) noexcept;
    [[nodiscard]] action limit_agreement(bool by_input, time_point now) noexcept;
    [[nodiscard]] action end_connected() noexcept;
    [[nodiscard]] action fail(errc error, cause from = cause::system) noexcept;

    limits limits_;
    state state_ = state::idle;
    time_point latest_{};  ///< of the try; max(): no limit is armed
    int tried_ = -1;       ///< the descriptor's number
};

}  // namespace zlink::engine
