// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a socket has done so far, for threads that look at it while it works (docs/decisions/0024). The messages are
// counted where they are: in the lanes. The account knows the socket's pipes, and keeps what those had that have gone.
//
// Threads: as each part says. The lock is for the list of pipes and for texts. The socket's thread takes it when a pipe
// comes or goes, a look takes it for as long as it looks. No lock is taken for a message. A look may come after the
// socket has ended: the account then says so.
#pragma once

#include "base/fork_safe_mutex.hpp"
#include "base/own_number.hpp"
#include "base/probes.hpp"
#include "load/socket_counts.hpp"
#include "pattern/drop_reason.hpp"
#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "shm/budget.hpp"
#include "socket/account_entry.hpp"
#include "socket/statistics.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::socket {

/// Events of connections. Any thread counts them. Relaxed: counts alone, which order nothing.
struct connection_counts {
    std::atomic<std::uint64_t> connects{0};
    std::atomic<std::uint64_t> reconnects{0};
    std::atomic<std::uint64_t> disconnects{0};
    std::atomic<std::uint64_t> failed_connects{0};
    std::atomic<std::uint64_t> failed_handshakes{0};
    std::atomic<std::uint64_t> protocol_errors{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> silences{0};
    std::atomic<std::uint64_t> unsent{0};

    static void count(std::atomic<std::uint64_t>& which, std::uint64_t n = 1) noexcept
    {
        which.fetch_add(n, std::memory_order_relaxed);
    }
};

/// Bounds that are counted elsewhere.
struct account_bounds {
    std::shared_ptr<const pipe::queue_cap> cap;            ///< of the context
    std::shared_ptr<shm::budget> shared_bodies = nullptr;  ///< of the socket; null: it shares none
};

class socket_account {
public:
    using bounds = account_bounds;
    socket_account(socket_type type, bounds under);
    socket_account(const socket_account&) = delete;
    socket_account& operator=(const socket_account&) = delete;

    // Socket's thread

    /// May throw std::bad_alloc, with nothing changed.
    void set_name(const std::string& name);
    /// The socket has taken up a pipe, of this endpoint. May throw std::bad_alloc, with nothing changed.
    void join(pipe::pipe_end& end, std::string_view endpoint);
    /// It is about to close a pipe, or to take it up anew. Does nothing if the account does not have the pipe.
    void leave(pipe::pipe_end& end) noexcept;
    /// Another connection may follow.
    void lost_connection(pipe::pipe_end& end) noexcept;
    /// Held while the records of pipes are changed.
    [[nodiscard]] std::unique_lock<fork_safe_mutex> hold() noexcept { return std::unique_lock(lock_); }
    void dropped(pattern::drop_reason why) noexcept
    {
        dropped_[std::size_t(why)].add(1);
        probes::drop(probes::drop_cause(std::size_t(probes::drop_cause::no_peer) + std::size_t(why)));
    }
    /// There was no room for a message in the queue of this peer; null: in that of any.
    void dropped_full(pipe::pipe_end* sole) noexcept
    {
        (sole ? sole->no_room : full_).add(1);
        probes::drop(probes::drop_cause::full);
    }
    load::socket_counts load;
    /// The socket closes: it has no pipes from now on, and no look finds it.
    void end() noexcept;

    // Any thread

    connection_counts connections;
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    [[nodiscard]] const std::shared_ptr<shm::budget>& shared_bodies() const noexcept { return under_.shared_bodies; }
    /// A place for a body of so many octets, where the peers of the socket read it; one reference, for the caller. Null:
    /// there is none.
    [[nodiscard]] message::buffer* lend(std::size_t size) noexcept;
    /// A connection could not be made; `connected`: the endpoint that tried, 0: a bound one.
    void note_error(std::string_view words, std::uint64_t connected) noexcept;
    /// False: the socket is closed. May throw std::bad_alloc.
    [[nodiscard]] bool look(socket_statistics& at);
    /// As look(), for each of its peers.
    [[nodiscard]] bool look_at_peers(const std::function<void(const peer_statistics&)>& each);

private:
    const std::uint64_t number_;
    const socket_type type_;
    const runtime::clock::time_point began_;
    const bounds under_;
    fork_safe_mutex lock_;
    bool ended_ = false;
    std::string name_;
    std::string last_error_;
    std::vector<pipe::pipe_end*> pipes_;
    std::map<std::uint64_t, account_endpoint> endpoints_;
    message_counts gone_;       ///< of pipes that have gone
    std::uint64_t unread_ = 0;  ///< messages that went with them
    own_number dropped_[pattern::drop_reasons];
    own_number full_;
};

}  // namespace zlink::socket
