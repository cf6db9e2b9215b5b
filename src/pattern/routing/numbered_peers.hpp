// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers known by a number that this side gives them, as in SERVER and PEER (RFCs 41 and 51). Messages are single
// frames; a received one carries the number of its sender, and one that is sent carries that of its receiver.
#pragma once

#include "base/errc.hpp"
#include "pattern/routing/fair_queue.hpp"
#include "pattern/routing/frame_backlog.hpp"
#include "pattern/routing/routing_table.hpp"
#include "pipe/delivery.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::pattern::routing {

class numbered_peers final : private fair_queue::owner {
public:
    class owner {
    public:
        /// As fair_queue::owner; the pipe has left the table as well, its number stays in routing_record::number.
        virtual void on_peer_drained(pipe::pipe_end& end) = 0;

    protected:
        ~owner() = default;
    };

    explicit numbered_peers(owner& o) noexcept;

    /// Gives the peer a number that no other has. False when memory is short.
    [[nodiscard]] bool add(pipe::pipe_end& end) noexcept;

    /// Null: there is none of this number, or it has left.
    [[nodiscard]] pipe::pipe_end* find(std::uint32_t number) noexcept;

    /// Forgets the pipe and its messages. No-op if it is not here.
    void remove(pipe::pipe_end& end) noexcept;

    /// Queues a message from this peer that the library makes up, with the properties of the peer's messages. Lost when
    /// memory is short.
    void tell(pipe::pipe_end& end, std::string_view body) noexcept;

    /// errc::again: there is none.
    [[nodiscard]] errc receive(pipe::delivery& to);
    [[nodiscard]] bool can_receive();

    void on_data(pipe::pipe_end& end) noexcept { queue_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end);
    bool announce_sleep() noexcept { return queue_.announce_sleep(); }
    [[nodiscard]] bool confirm_sleep() noexcept;

private:
    void on_drained(pipe::pipe_end& end) override;

    owner& owner_;
    fair_queue queue_;
    routing_table table_;  ///< by the octets of the number
    frame_backlog backlog_;
    std::uint32_t next_number_;
};

}  // namespace zlink::pattern::routing
