// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connects to one endpoint. A dial_machine decides the actions and their order, and the dialer executes them. It asks
// the resolver, opens the streams of an attempt, and waits for their descriptors and for the time limit. May be started
// again and again; each time there is one outcome, unless it is cancelled.
//
// Threads: the loop's.
#pragma once

#include "base/errc.hpp"
#include "engine/connection/descriptor_interest.hpp"
#include "engine/dial_machine.hpp"
#include "engine/session_options.hpp"
#include "runtime/deadline_timer.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/resolver.hpp"
#include "transport/endpoint.hpp"
#include "transport/stream.hpp"
#include "transport/transport.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::engine {

/// The session, as its dialer sees it.
class dialer_owner {
public:
    virtual void on_connected(std::unique_ptr<transport::stream> made) noexcept = 0;
    /// `closed`: the number of the descriptor that was tried last and is closed now, or -1. `words`: why; never empty,
    /// unless memory is short.
    virtual void on_connect_failed(errc why, int closed, std::string_view words) noexcept = 0;
    /// The attempt takes longer than the call: an outcome follows.
    virtual void on_connect_delayed() noexcept = 0;
    /// Keeps owner and dialer alive while the system owes an answer.
    [[nodiscard]] virtual std::shared_ptr<void> keep_alive() noexcept = 0;

protected:
    ~dialer_owner() = default;
};

class dialer final : private runtime::descriptor_handler {
public:
    /// `options` and `target` (of a transport with streams) outlive it.
    dialer(runtime::event_loop& loop, dialer_owner& owner, const session_options& options,
           const transport::endpoint& target);

    /// Not while an attempt is under way. The outcome may come before this returns.
    void start() noexcept;
    /// No outcome comes from now on.
    void cancel() noexcept;

private:
    // descriptor_handler: connecting_'s
    void on_ready(std::uint32_t events) noexcept override;

    void go_on(const dial_machine::event& what) noexcept;
    // The outcome of the action, if it is known at once.
    [[nodiscard]] std::optional<dial_machine::event> execute(const dial_machine::action& next) noexcept;
    [[nodiscard]] std::optional<dial_machine::event> look_up() noexcept;
    [[nodiscard]] dial_machine::event begin() noexcept;
    [[nodiscard]] dial_machine::event take(const runtime::resolver::answer& found) noexcept;
    [[nodiscard]] dial_machine::event open() noexcept;
    [[nodiscard]] dial_machine::event watch(int descriptor) noexcept;
    [[nodiscard]] dial_machine::event arm_limit(dial_machine::time_point at) noexcept;
    [[nodiscard]] dial_machine::event finish_connect() noexcept;
    void wait_for(std::uint32_t events) noexcept;
    void succeed() noexcept;
    void fail(const dial_machine::action& outcome) noexcept;
    [[nodiscard]] std::string tell(const dial_machine::action& outcome) const noexcept;
    void drop_stream() noexcept;

    dialer_owner& owner_;
    const session_options& options_;
    const transport::endpoint& target_;
    dial_machine machine_;
    std::unique_ptr<transport::attempt> attempt_;
    std::unique_ptr<transport::stream> connecting_;
    descriptor_interest interest_;  ///< in connecting_
    runtime::resolver resolver_;
    runtime::deadline_timer limit_;
};

}  // namespace zlink::engine
