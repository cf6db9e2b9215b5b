// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sends a message to any number of pipes: those selected before its first frame. Small frames are copied into each
// lane. A body is held once and shared if it is large. It is also shared if several sockets of this process get it
// (inproc) and copies would take longer (docs/decisions/0020).
#pragma once

#include "base/errc.hpp"
#include "pattern/routing/pipe_partition.hpp"
#include "pipe/lane_writer.hpp"

namespace zlink::pattern::routing {

class fan_out {
public:
    /// False when memory is short. The pipe takes part from the next message on. `peer_is_socket`: its other party is a
    /// socket, not a connection.
    [[nodiscard]] bool attach(pipe::pipe_end& end, bool peer_is_socket) noexcept;

    /// The pipe takes nothing more; its part of an unfinished message is taken back. No-op if it is not here.
    void remove(pipe::pipe_end& end) noexcept;

    [[nodiscard]] bool contains(const pipe::pipe_end& end) const noexcept { return pipes_.contains(end); }

    // The selection; between messages only
    void select(pipe::pipe_end& end) noexcept { pipes_.to_front(end); }
    void select_all() noexcept { pipes_.all_to_front(); }
    void select_none() noexcept { pipes_.all_to_back(); }
    void invert_selection() noexcept { pipes_.invert(); }

    [[nodiscard]] std::size_t selected() const noexcept { return pipes_.front_size(); }
    /// Peers that have left get nothing, though their pipes are still here.
    void pass_over_those_who_left() noexcept;

    /// Whether all selected pipes have room; an event_credit follows if one has not.
    [[nodiscard]] bool selected_have_room() noexcept;

    /// A pipe without room loses the whole message, unless `past_hwm`. errc::out_of_memory: the message so far is taken
    /// back everywhere. With the last frame the selection ends.
    [[nodiscard]] errc send(const pipe::outgoing& f, bool past_hwm = false) noexcept;

    /// send() of a whole message of two frames, of which the first has message::max_short_body octets at most.
    [[nodiscard]] errc send_pair(const pipe::outgoing& first, const pipe::outgoing& last, bool past_hwm) noexcept;

    /// The pipes that are not selected get the frame as a message of its own, past the high-water mark. out_of_memory:
    /// some have it.
    [[nodiscard]] errc send_to_others(const pipe::outgoing& f) noexcept;

    [[nodiscard]] bool empty() const noexcept { return pipes_.size() == 0; }
    /// The only pipe there is, or null.
    [[nodiscard]] pipe::pipe_end* sole() const noexcept { return pipes_.size() == 1 ? &pipes_[0] : nullptr; }

    /// The only pipe that is selected, or null.
    [[nodiscard]] pipe::pipe_end* sole_selected() const noexcept
    {
        return pipes_.front_size() == 1 ? &pipes_[0] : nullptr;
    }

    [[nodiscard]] bool in_message() const noexcept { return in_message_; }

    /// Takes back an unfinished message everywhere. No-op between messages.
    void abandon() noexcept;

    /// The pipe loses the rest of the current message, and the part that it has is taken back.
    void leave_message(pipe::pipe_end& end) noexcept;

private:
    [[nodiscard]] bool pays_to_share(std::size_t size) const noexcept;
    template <bool Shared>
    errc write(const pipe::outgoing& f) noexcept;
    errc write_shared(const pipe::outgoing& f) noexcept;
    static void number(const pipe::outgoing& f) noexcept;
    errc send_to_one(pipe::pipe_end& end, const pipe::outgoing& f, bool past_hwm) noexcept;
    void leave_out_full() noexcept;
    void publish() noexcept;

    pipe_partition<&routing_record::fan_out_index> pipes_;  ///< front: selected
    std::size_t socket_peers_ = 0;                          ///< pipes with a socket as the other party
    bool in_message_ = false;
};

}  // namespace zlink::pattern::routing
