// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The peers of a socket whose messages bear the address of a peer: what named_peers and numbered_peers have in common.
// A peer is found by its address, its messages are read in turn, and the library may tell of it by messages of its own.
#pragma once

#include "pattern/routing/fair_queue.hpp"
#include "pattern/routing/frame_backlog.hpp"
#include "pattern/routing/routing_table.hpp"

#include <cstdint>
#include <string>

namespace zlink::pattern::routing {

class addressed_peers : private fair_queue::owner {
public:
    class owner {
    public:
        /// As fair_queue::owner. The pipe has left the table as well; its address stays in the routing_record.
        virtual void on_peer_drained(pipe::pipe_end& end) = 0;

    protected:
        ~owner() = default;
    };

    /// Forgets the pipe and its messages. No-op if it is not here.
    void remove(pipe::pipe_end& end) noexcept;

    void on_data(pipe::pipe_end& end) noexcept { queue_.activate(end); }
    /// Nothing more can be sent to it; its messages stay readable.
    void on_peer_closed(pipe::pipe_end& end);
    bool announce_sleep() noexcept { return queue_.announce_sleep(); }
    [[nodiscard]] bool confirm_sleep() noexcept;

protected:
    explicit addressed_peers(owner& o) noexcept;
    ~addressed_peers() = default;

    /// Gives a pipe its address, which is not in use. False when memory is short.
    [[nodiscard]] bool add(pipe::pipe_end& end, std::string address) noexcept;

private:
    void on_drained(pipe::pipe_end& end) override;

    owner& owner_;

protected:
    fair_queue queue_;
    routing_table table_;
    frame_backlog backlog_;      ///< messages of the library, or of pipes that have gone
    std::uint32_t next_number_;  ///< for the next address that this side makes up
};

}  // namespace zlink::pattern::routing
