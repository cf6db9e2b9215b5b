// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The part between a pipe and a port of datagrams. There is no connection: it sends and receives from the beginning,
// and no error of the system ends it. It ends when the socket closes its end of the pipe, or when it is stopped, once
// all is sent or linger is over.
//
// Threads: created on any thread; everything else on its worker, where it lives until it has ended.
#pragma once

#include "engine/connection/descriptor_interest.hpp"
#include "engine/datagram/datagram_reader.hpp"
#include "engine/datagram/datagram_writer.hpp"
#include "engine/io_worker.hpp"
#include "engine/session_host.hpp"
#include "engine/stop_request.hpp"
#include "pipe/pipe.hpp"
#include "runtime/deadline_timer.hpp"
#include "runtime/latch.hpp"
#include "runtime/task.hpp"
#include "transport/datagram_port.hpp"

#include <chrono>
#include <cstdint>
#include <memory>

namespace zlink::engine {

class datagram_session final : public std::enable_shared_from_this<datagram_session>,
                               private runtime::descriptor_handler,
                               private pipe::pipe_client {
public:
    /// `end` is the I/O end of a pipe. The socket already has the other end.
    datagram_session(io_worker& worker, host_ref host, runtime::latch& alive,
                     std::unique_ptr<transport::datagram_port> port, pipe::pipe_end& end, std::uint64_t endpoint_id);
    ~datagram_session();

    /// Any thread.
    void start() noexcept;

    /// Any thread: sends the queued messages for at most `linger` (negative: no limit), then ends. Later calls change
    /// nothing.
    void stop(std::chrono::milliseconds linger) noexcept;

private:
    enum class stage : std::uint8_t { created, running, lingering, ended };
    enum class output : std::uint8_t { ready, waits_for_room };

    // descriptor_handler
    void on_ready(std::uint32_t events) noexcept override;
    // pipe_client
    void on_pipe_events(std::uint32_t events) noexcept override;

    void begin() noexcept;
    void take_up_mark() noexcept;
    void read() noexcept;
    void after(datagram_reader::outcome what) noexcept;
    void write() noexcept;
    [[nodiscard]] datagram_writer::outcome write_batches() noexcept;
    void after(datagram_writer::outcome what) noexcept;
    void stop_now() noexcept;
    void begin_linger(std::chrono::milliseconds linger) noexcept;
    void finish() noexcept;
    void tidy() noexcept {}

    io_worker& worker_;
    host_ref host_;
    runtime::latch& alive_;
    const std::unique_ptr<transport::datagram_port> port_;
    pipe::pipe_end& end_;  ///< until finish()
    const std::uint64_t endpoint_id_;
    stage stage_ = stage::created;
    output output_ = output::ready;
    datagram_reader reader_;
    datagram_writer writer_;
    descriptor_interest interest_;
    runtime::deadline_timer linger_timer_;
    std::shared_ptr<datagram_session> self_;  ///< alive from begin() to finish()
    runtime::call_on<datagram_session> begin_{&datagram_session::begin};
    stop_request<datagram_session> stop_{&datagram_session::stop_now};
    runtime::call_on<datagram_session> tidy_{&datagram_session::tidy};
};

}  // namespace zlink::engine
