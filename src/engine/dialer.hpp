// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connects to one endpoint: resolves its name, tries its addresses in turn, each try within a time limit
// (ZMQ_CONNECT_TIMEOUT; what a stream has to agree on with a proxy also within ZMQ_HANDSHAKE_IVL). May be asked again and again; each time there is one outcome, unless it is cancelled.
//
// Threads: its worker's.
#pragma once

#include "base/errc.hpp"
#include "engine/io_worker.hpp"
#include "engine/session_options.hpp"
#include "runtime/deadline_timer.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/resolver.hpp"
#include "transport/endpoint.hpp"
#include "transport/stream.hpp"
#include "transport/transport.hpp"

#include <memory>

namespace zlink::engine {

/// The session, as its dialer sees it.
class dialer_owner {
public:
    virtual void on_connected(std::unique_ptr<transport::stream> made) noexcept = 0;
    /// `closed`: the number of the descriptor that was tried last and is closed now, or -1.
    virtual void on_connect_failed(errc why, int closed) noexcept = 0;
    /// It takes longer than the call: an outcome follows.
    virtual void on_connect_delayed() noexcept = 0;
    /// Keeps owner and dialer alive while the system owes an answer.
    [[nodiscard]] virtual std::shared_ptr<void> keep_alive() noexcept = 0;

protected:
    ~dialer_owner() = default;
};

class dialer final : private runtime::descriptor_handler {
public:
    /// `options` and `target` (of a transport with streams) outlive it.
    dialer(io_worker& worker, dialer_owner& owner, const session_options& options, const transport::endpoint& target);

    /// Not while an attempt is under way. The outcome may come before this returns.
    void start() noexcept;
    /// No outcome comes from now on.
    void cancel() noexcept;

private:
    // descriptor_handler: a connect under way
    void on_ready(std::uint32_t events) noexcept override;

    void look_up(const std::string& name) noexcept;
    void on_answer(const runtime::resolver::answer& found) noexcept;
    void try_next() noexcept;
    [[nodiscard]] result<transport::connecting> open(int& closed) noexcept;
    [[nodiscard]] errc wait_for(std::unique_ptr<transport::stream> opened) noexcept;
    [[nodiscard]] bool limit_try() noexcept;
    void go_on() noexcept;
    void out_of_time() noexcept;
    void drop_connecting() noexcept;
    /// `words` come in place of what the errno says; null: the cause has been told of already.
    void fail(errc why, int closed = -1, const char* words = "") noexcept;
    void tell(errc why, const char* words) const noexcept;

    io_worker& worker_;
    dialer_owner& owner_;
    const session_options& options_;
    const transport::endpoint& target_;
    std::unique_ptr<transport::attempt> attempt_;
    std::unique_ptr<transport::stream> connecting_;
    bool added_ = false;     ///< the worker knows connecting_
    bool agreeing_ = false;  ///< it is connected, but not to its peer yet
    runtime::resolver resolver_;
    runtime::deadline_timer limit_;
    runtime::deadline_timer::time_point latest_;  ///< of limit_
};

}  // namespace zlink::engine
