// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reads a socket's connections on the thread that waits for their messages, in place of the I/O threads. That thread
// reads while it sleeps in ppoll, and for as long as it keeps coming back. See docs/decisions/0003-inline-io.md and
// 0009-load.md.
//
// A read token is taken for each connection, so that no other thread reads. Between two waits in quick succession the
// tokens are left parked (pipe/io_token.hpp). If a thread stays away, an I/O thread takes the tokens over
// (pipe/activity_watch.hpp).
//
// Threads: the socket's.
#pragma once

#include "load/gathering.hpp"
#include "load/limits.hpp"
#include "load/token_lease.hpp"
#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "runtime/waiter.hpp"
#include "runtime/yield_spin.hpp"
#include "socket/mailbox.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace zlink::socket {

using runtime::deadline;
using runtime::is_over;
using runtime::waiter;

class inline_reader {
public:
    using clock = runtime::clock;
    using time_source = clock::time_point (*)() noexcept;

    /// If there are more connections than this, they are left to the I/O threads: to look at each costs more than a
    /// wake-up.
    static constexpr unsigned most = load::limits::lease::most_connections;

    /// The reader of the socket that has `pipes` and that other threads reach through `box`. Not `enabled`: all is left
    /// to the I/O threads. Without `yields`, wait() sleeps at once. `now`: the clock that rounds are measured with.
    inline_reader(bool enabled, const std::vector<pipe::pipe_end*>& pipes, mailbox& box, bool yields,
                  time_source now = clock::now) noexcept
        : enabled_(enabled),
          pipes_(pipes),
          mailbox_(box),
          now_(now),
          spin_(runtime::yield_spin::for_one_peer(yields))
    {}
    inline_reader(const inline_reader&) = delete;
    inline_reader& operator=(const inline_reader&) = delete;

    /// The socket has `count` pipes from now on; a caller that adds a pipe calls this first. May throw std::bad_alloc.
    void reserve(std::size_t count) { taken_.reserve(std::min<std::size_t>(count, most)); }

    /// Connections that begin() would take.
    [[nodiscard]] std::size_t candidates() const noexcept
    {
        return enabled_ && !mailbox_.has_descriptor() ? pipes_.size() : 0;
    }

    /// Takes all connections' read tokens, after the pattern found no input. False: a token cannot be had, or it would
    /// cost too much, or ZMQ_FD was fetched, which the reading thread has to signal. Then none is taken, the I/O
    /// threads read, and skip() comes next. `beside`: connections of other sockets that the thread reads at the same
    /// time.
    [[nodiscard]] bool begin(unsigned beside = 0) noexcept;

    // Between begin() and end():

    [[nodiscard]] bool active() const noexcept { return !taken_.empty(); }
    [[nodiscard]] unsigned count() const noexcept { return unsigned(taken_.size()); }
    /// Connections, and the number of them that had messages so far.
    [[nodiscard]] load::connections_read so_far() const noexcept { return {count(), found_}; }
    /// The descriptors that show that there is something to read: count() entries.
    void list(pollfd* fds) const noexcept;
    /// Reads each connection that list() reported as ready once, if need be; all, if `fds` is null. True: there may be
    /// something for the program to receive, for the I/O thread to look after, or in the mailbox.
    [[nodiscard]] bool read(const pollfd* fds = nullptr) noexcept;
    /// Reads each connection that has something once, without waiting.
    void read_now() noexcept;
    [[nodiscard]] bool has_news() const noexcept;
    /// Reads until read() is true, the deadline or a signal. In between it sleeps; the thread may be cancelled there.
    [[nodiscard]] waiter::reason wait(const deadline& until);

    /// Gives the tokens back. If a connection needs the I/O thread, its token goes to that thread. A token that this
    /// thread is likely to need again soon is parked. `beside`: connections of other sockets that the thread has read
    /// in this wait. True: there were messages. Then the caller has to tell the pattern of each pipe that the pattern
    /// had put to sleep, as no other thread does.
    [[nodiscard]] bool end(load::connections_read beside = {}) noexcept;
    /// A wait begins in which the I/O threads read.
    void skip(unsigned beside = 0) noexcept;

    /// From now on neither this thread nor the I/O thread reads the connection; not between begin() and end().
    static void leave_for_good(pipe::pipe_end& end) noexcept;

    /// end() has left tokens parked.
    [[nodiscard]] bool parks() const noexcept { return parks_; }
    /// The parked tokens, if any, go back to the I/O threads, which read from now on.
    void unpark() noexcept;
    /// For a program that asks without waiting, while parks(). It finds the same messages as if the I/O threads read,
    /// at the price of a system call now and then. If it goes on without waiting, the I/O threads take over. True as of
    /// end().
    [[nodiscard]] bool look() noexcept;
    /// For a thread that has enough to receive elsewhere and does not wait, while parks(). Takes the parked tokens of
    /// the connections that have nothing to receive. Then come list() and read(), and end_parked(), which leaves the
    /// tokens parked. If the thread's last wait is longer ago than it may stay away, the tokens go back.
    [[nodiscard]] bool begin_parked() noexcept;
    /// True as of end().
    [[nodiscard]] bool end_parked() noexcept;

private:
    struct connection {
        pipe::pipe_end* end;
        pipe::inline_io::read_outcome last;
    };

    [[nodiscard]] bool can_begin() const noexcept;
    [[nodiscard]] bool has_more() const noexcept;
    [[nodiscard]] bool wanted() const noexcept;
    static void leave(pipe::pipe_end& end) noexcept;
    void park_or_leave(pipe::pipe_end& end) noexcept;
    [[nodiscard]] bool end_round(load::connections_read all) noexcept;
    void give_back(connection& c, bool back_soon, std::chrono::microseconds away) noexcept;
    [[nodiscard]] bool read_woken(const pollfd* fds) noexcept;

    const bool enabled_;
    const std::vector<pipe::pipe_end*>& pipes_;
    mailbox& mailbox_;
    const time_source now_;
    std::vector<connection> taken_;
    load::token_lease lease_;
    bool parks_ = false;
    unsigned found_ = 0;       ///< connections that had messages, or something for the I/O thread, since begin()
    bool poll_first_ = false;  ///< a wait() has had to sleep
    // If there is one connection only:
    runtime::yield_spin spin_;   ///< before a sleep
    load::gathering gathering_;  ///< after it
};

}  // namespace zlink::socket
