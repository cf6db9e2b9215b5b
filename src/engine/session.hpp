// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The part between a pipe and its connections: one accepted connection, or an endpoint that is connected to again and
// again. It ends when the socket closes its end of the pipe and all is written or linger is over. It also ends when it
// is stopped, or when an accepted connection is lost. Its stages are session_life's.
//
// Threads: created on any thread; everything else on its worker, where it lives until it has ended.
#pragma once

#include "engine/connection/connection.hpp"
#include "engine/io_worker.hpp"
#include "engine/reconnector.hpp"
#include "engine/resident.hpp"
#include "engine/session_host.hpp"
#include "engine/session_life.hpp"
#include "engine/session_options.hpp"
#include "engine/session_pipe.hpp"
#include "engine/stop_request.hpp"
#include "runtime/deadline_timer.hpp"
#include "runtime/latch.hpp"
#include "runtime/task.hpp"
#include "transport/endpoint.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace zlink::engine {

class session final : public std::enable_shared_from_this<session>,
                      public resident,
                      private connection_owner,
                      private dialer_owner,
                      private pipe::pipe_client {
public:
    /// For an endpoint to connect to. `end` (may be null: ZMQ_IMMEDIATE) is the I/O end of a pipe. The socket already
    /// has the other end.
    session(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options, runtime::latch& alive,
            transport::endpoint target, pipe::pipe_end* end);
    /// For an accepted connection.
    session(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options, runtime::latch& alive,
            std::unique_ptr<transport::stream> accepted, endpoint_pair endpoints);
    ~session();

    /// Any thread.
    void start() noexcept;

    /// Any thread: writes the queued messages for at most `linger` (negative: no limit), then ends. Later calls change
    /// nothing.
    void stop(std::chrono::milliseconds linger) noexcept;

    // resident
    void describe(std::vector<unwritten>& to) override;
    void drop() noexcept override;
    void go_on_after_shortage() noexcept override;

    /// Worker: called once when the session has ended.
    std::function<void(session&)> on_gone;

private:
    using stage = session_life::stage;
    using step = session_life::step;

    // connection_owner
    [[nodiscard]] pipe::pipe_end* on_established(zmtp::remote_peer& peer) noexcept override;
    void on_ended(ending why) noexcept override;
    // pipe_client
    void on_pipe_events(std::uint32_t events) noexcept override;
    // dialer_owner
    void on_connected(std::unique_ptr<transport::stream> made) noexcept override;
    void on_connect_failed(errc why, int closed, std::string_view words) noexcept override;
    void on_connect_delayed() noexcept override;
    [[nodiscard]] std::shared_ptr<void> keep_alive() noexcept override { return shared_from_this(); }

    void begin() noexcept;
    void connect() noexcept;
    void retry(std::string_view reason) noexcept;
    void stop_now() noexcept;
    void begin_linger(std::chrono::milliseconds linger) noexcept;
    void take(step next) noexcept;
    void finish() noexcept;
    void tidy() noexcept;

    io_worker& worker_;
    host_ref host_;
    std::shared_ptr<const session_options> options_;
    runtime::latch& alive_;
    endpoint_pair endpoints_;

    session_life life_;
    std::optional<reconnector> reconnector_;       ///< none: accepted
    std::unique_ptr<transport::stream> accepted_;  ///< until begin()
    session_pipe pipe_;
    /// If life_ says that the session has no connection, this one has ended and may still be on the stack.
    std::unique_ptr<connection> connection_;
    runtime::deadline_timer linger_timer_;

    std::shared_ptr<session> self_;  ///< alive from begin() to finish()
    runtime::call_on<session> begin_{&session::begin};
    stop_request<session> stop_{&session::stop_now};
    runtime::call_on<session> tidy_{&session::tidy};
};

}  // namespace zlink::engine
