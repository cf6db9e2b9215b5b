// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Keeps subscriptions in order with the other messages between programs, though messages are sent and read past the I/O
// threads. Both halves are needed. A message that a thread sends after it subscribed must not leave before the
// subscription. A publisher must not answer before it has read what came earlier.
//
// A burst of subscriptions is left to the I/O threads, which write many at a time (load/own_writes.hpp). The thread
// that made them owes them until it sends a message by any socket: before that, it writes those that are still there.
//
// Threads: the socket's. Sockets that have owed subscriptions are in one list of the process, under a lock. The thread
// that owes them may have handed the socket to another thread meanwhile.
#pragma once

#include "base/fast_tls.hpp"
#include "pipe/pipe.hpp"
#include "pipe/receive_count.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::socket {

class context;

class subscription_order {
public:
    /// The order of the socket that has `pipes`. `by_message`: it subscribes by the messages that it sends (XSUB).
    subscription_order(context& owner, const std::vector<pipe::pipe_end*>& pipes, bool by_message) noexcept
        : context_(owner),
          pipes_(pipes),
          by_message_(by_message)
    {}
    subscription_order(const subscription_order&) = delete;
    subscription_order& operator=(const subscription_order&) = delete;

    /// A publisher: it has an endpoint with connections that I/O threads read. (Over inproc the subscriber itself tells
    /// the publisher. Events of monitors come from I/O threads and go over inproc, so these threads do not wait for
    /// themselves.)
    void expect() noexcept;
    /// Before a message is published: there was input since the last catch_up(), which may be why the program
    /// publishes.
    [[nodiscard]] bool behind() const noexcept { return expected_ && seen_ != pipe::receive_count(); }
    /// Waits, for a moment at most, until the I/O threads have read the earlier input and told the socket's mailbox.
    void catch_up() noexcept;
    /// For a shared socket, the three steps of catch_up(): with its lock, without, and with it again.
    [[nodiscard]] std::uint64_t begin_catch_up() const noexcept { return pipe::receive_count(); }
    void let_io_catch_up() noexcept;
    void end_catch_up(std::uint64_t begun) noexcept { seen_ = begun; }

    /// Whether this socket subscribes, or cancels a subscription, if it sends `frame` (RFC 29).
    [[nodiscard]] bool is_subscription(const pipe::outgoing& frame) const noexcept
    {
        return by_message_ && frame.size != 0 && (frame.data[0] == std::byte{0} || frame.data[0] == std::byte{1});
    }
    /// A subscriber: a subscription was put into the lanes. If it is not written yet, the I/O threads have been told.
    void note_told() noexcept
    {
        if (owed_by_.load(std::memory_order_relaxed) != this_thread()) owe();
        pipe::count_receive();
    }
    /// This thread has subscribed, and has sent nothing since: before it sends, it has to call write_owed().
    [[nodiscard]] static bool owed_by_this_thread() noexcept { return owes_; }
    /// If an I/O thread is busy with one of the connections just then, this waits, a second at most in all.
    static void write_owed() noexcept;

    /// The socket's pipes are about to change: a thread that used the socket before does not look at them any more.
    void before_pipes_change() noexcept
    {
        const void* const by = owed_by_.load(std::memory_order_acquire);
        if (by && by != this_thread()) forget();
    }
    /// Nothing is owed: the socket goes.
    void forget() noexcept;

private:
    [[nodiscard]] static const void* this_thread() noexcept { return &owes_; }
    void owe() noexcept;

    ZLINK_FAST_TLS static constinit thread_local bool owes_;

    context& context_;
    const std::vector<pipe::pipe_end*>& pipes_;
    std::uint64_t seen_ = 0;  ///< receive_count() when catch_up() was called last
    bool expected_ = false;
    const bool by_message_;
    subscription_order* next_owed_ = nullptr;  ///< in the list
    /// this_thread() of the thread that owes; null: not in the list. Stored under the lock. Released when that thread
    /// is done with pipes_; partners: before_pipes_change() and forget(), which acquire. Otherwise a thread only
    /// compares it with its own value.
    std::atomic<const void*> owed_by_{nullptr};
};

}  // namespace zlink::socket
