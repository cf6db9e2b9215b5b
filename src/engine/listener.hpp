// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A bound endpoint: accepts connections and starts a session for each. Lives on one worker; sessions go to the least
// loaded ones.
#pragma once

#include "engine/accepted_sessions.hpp"
#include "engine/io_worker.hpp"
#include "engine/session.hpp"
#include "engine/session_host.hpp"
#include "engine/session_options.hpp"
#include "engine/stop_request.hpp"
#include "runtime/deadline_timer.hpp"
#include "runtime/latch.hpp"
#include "runtime/task.hpp"
#include "transport/transport.hpp"

#include <functional>
#include <memory>
#include <string>

namespace zlink::engine {

/// Picks the worker of a new session.
using worker_choice = std::function<io_worker&()>;

class listener final : public std::enable_shared_from_this<listener>, private runtime::descriptor_handler {
public:
    listener(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options, runtime::latch& alive,
             worker_choice choose, std::unique_ptr<transport::acceptor> what, std::string endpoint);
    ~listener();

    /// Any thread.
    void start() noexcept;

    /// Any thread: stops listening. Connections accepted here end when their queued messages are written, within
    /// `linger`.
    void stop(std::chrono::milliseconds linger) noexcept;

private:
    void on_ready(std::uint32_t events) noexcept override;
    void begin() noexcept;
    [[nodiscard]] result<std::unique_ptr<transport::stream>> accept_one() noexcept;
    void accept_all() noexcept;
    void start_session(std::unique_ptr<transport::stream> accepted) noexcept;
    void pause() noexcept;
    void finish() noexcept;

    io_worker& worker_;
    host_ref host_;
    std::shared_ptr<const session_options> options_;
    runtime::latch& alive_;
    worker_choice choose_;
    std::unique_ptr<transport::acceptor> acceptor_;
    endpoint_pair endpoints_;
    runtime::deadline_timer timer_;
    std::shared_ptr<listener> self_;
    runtime::call_on<listener> begin_{&listener::begin};
    stop_request<listener> stop_{&listener::finish};
    runtime::call_on<listener> let_go_{nullptr};
    bool added_ = false;  ///< the worker knows the descriptor
    bool finished_ = false;
    accepted_sessions sessions_;
};

}  // namespace zlink::engine
