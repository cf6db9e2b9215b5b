// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The I/O of a connection, as far as its I/O thread shares it with the application threads that use the pipe.
#pragma once

#include "base/invariant.hpp"
#include "pipe/activity_watch.hpp"
#include "pipe/connection_counts.hpp"
#include "pipe/inline_io.hpp"
#include "pipe/io_token.hpp"

#include <atomic>

namespace zlink::pipe {

class shared_io {
public:
    io_token write_token;
    io_token read_token;

    /// I/O thread, which holds both tokens, or they are absent: application threads may do I/O by way of `connection`.
    void offer(inline_io& connection) noexcept
    {
        invariant([this] { return !connection_; });
        connection_ = &connection;
        (void)write_token.take_or_ask();
        write_token.offer();
        read_token.offer();
    }
    /// I/O thread, which holds both tokens, or they are absent: that ends.
    void withdraw() noexcept
    {
        read_token.withdraw();
        write_token.withdraw();
        connection_ = nullptr;
    }
    /// For an application thread that holds a token.
    [[nodiscard]] inline_io& connection() const noexcept
    {
        invariant([this] { return connection_ && (write_token.with_application() || read_token.with_application()); });
        return *connection_;
    }

    /// The socket's thread: from now on nothing of this peer is read (zmq_unbind, zmq_disconnect).
    void mute() noexcept { muted_.store(true, std::memory_order_release); }
    /// A thread that is about to read the connection.
    [[nodiscard]] bool is_muted() const noexcept { return muted_.load(std::memory_order_acquire); }

    /// I/O thread: whether it writes the socket's messages as soon as it has its turn, as the kernel takes them.
    void set_io_thread_writes(bool does) noexcept { io_thread_writes_.store(does, std::memory_order_relaxed); }
    [[nodiscard]] bool io_thread_writes() const noexcept { return io_thread_writes_.load(std::memory_order_relaxed); }

private:
    inline_io* connection_ = nullptr;  ///< ordered by the tokens
    std::atomic<bool> muted_{false};   ///< partners: mute() releases, is_muted() acquires
    /// Relaxed: a hint for a thread that would wait for that, and not for long.
    std::atomic<bool> io_thread_writes_{false};

public:
    connection_counts counts;
    activity_watch parked;  ///< of the application that parks the read token
    activity_watch held;    ///< of the application that holds sends back
};

}  // namespace zlink::pipe
