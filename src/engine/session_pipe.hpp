// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The I/O end of the pipe that a session serves. If messages may wait for a connection, the end is there from the
// beginning. Otherwise (accepted connections, ZMQ_IMMEDIATE) the pipe is made with the first handshake. It may outlive
// its connections.
//
// Threads: the session's worker; made on any thread.
#pragma once

#include "base/invariant.hpp"
#include "base/result.hpp"
#include "engine/io_worker.hpp"
#include "engine/session_host.hpp"
#include "engine/session_options.hpp"
#include "pipe/pipe.hpp"
#include "transport/stream.hpp"
#include "zmtp/peer.hpp"

#include <chrono>
#include <cstdint>

namespace zlink::engine {

class session_pipe {
public:
    /// `end` may be null. `client` is told of the end's events while no connection serves it. All but `end` outlive the
    /// part.
    session_pipe(io_worker& worker, session_host& host, const session_options& options, pipe::pipe_client& client,
                 pipe::pipe_end* end) noexcept
        : worker_(worker),
          host_(host),
          options_(options),
          client_(client),
          end_(end)
    {}
    session_pipe(const session_pipe&) = delete;
    session_pipe& operator=(const session_pipe&) = delete;

    /// The session begins: events of the end come to the worker from now on.
    void begin() noexcept
    {
        if (end_) attach(*end_);
    }

    explicit operator bool() const noexcept { return end_ != nullptr; }

    /// A connection got through its handshake: tells the host of the peer, and makes the pipe if it does not exist yet.
    /// Returns the end to serve. terminated: the socket is closed; out_of_memory.
    [[nodiscard]] result<pipe::pipe_end*> serve(const zmtp::remote_peer& peer, const transport::stream& from,
                                                const endpoint_pair& endpoints) noexcept;

    /// The pipe's connection is lost; another one may follow.
    void lost_connection() noexcept
    {
        if (end_) host_.disconnected(end_->peer());
    }

    /// ZMQ_HICCUP_MSG: the message follows those that the lost connection brought, even past the high-water mark.
    /// Without memory it is left out.
    void write_hiccup() noexcept;

    /// Whether messages wait to be written. Not while a connection serves the pipe.
    [[nodiscard]] bool has_messages() noexcept;

    /// How many messages wait to be written. `served`: a connection serves the pipe. Then only the socket's end knows,
    /// once it is closed, and what the kernel has got of late may be among them.
    struct count {
        std::uint64_t messages;
        bool at_most;
    };
    [[nodiscard]] count unwritten(bool served) const noexcept;

    /// The socket has closed its end: for how long messages may still be written.
    [[nodiscard]] std::chrono::milliseconds linger() const noexcept
    {
        invariant([this] { return end_ != nullptr; });
        return std::chrono::milliseconds(end_->parent().linger.load(std::memory_order_relaxed));
    }

    /// The socket had no memory to take in the pipe, or its peer's name: the connection has to end, and another one may
    /// fare better.
    [[nodiscard]] bool untaken() const noexcept
    {
        return end_ && end_->parent().untaken.load(std::memory_order_relaxed);
    }

    /// Not while a connection serves the pipe. A second call changes nothing.
    void close() noexcept;

private:
    void attach(pipe::pipe_end& end) noexcept
    {
        end.client = &client_;
        end.attach(worker_.activations());
    }
    [[nodiscard]] result<pipe::pipe_end*> make(const zmtp::remote_peer& peer, const transport::stream& from,
                                               const endpoint_pair& endpoints);
    [[nodiscard]] bool describe(const zmtp::remote_peer& peer, const transport::stream& from,
                                const endpoint_pair& endpoints, pipe::pipe_end& to) noexcept;

    io_worker& worker_;
    session_host& host_;
    const session_options& options_;
    pipe::pipe_client& client_;
    pipe::pipe_end* end_;
    bool had_connection_ = false;
};

}  // namespace zlink::engine
