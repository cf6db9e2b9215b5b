// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers known by their routing id, as in ROUTER and STREAM. Pipes are found by name, and every message received begins
// with a frame that names its sender. A pipe without a name is neither read nor found.
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

class named_peers final : private fair_queue::owner {
public:
    class owner {
    public:
        /// As fair_queue::owner; the pipe has left the table as well, its name stays in routing_record::routing_id.
        virtual void on_peer_drained(pipe::pipe_end& end) = 0;

    protected:
        ~owner() = default;
    };

    explicit named_peers(owner& o) noexcept;

    /// A name that no peer has: a zero octet and a number (as libzmq makes them).
    [[nodiscard]] std::string new_name();

    /// Gives a pipe its name, which is not in use. False when memory is short.
    [[nodiscard]] bool add(pipe::pipe_end& end, std::string name) noexcept;

    [[nodiscard]] pipe::pipe_end* find(std::string_view name) noexcept { return table_.find(name); }

    /// Nothing more can be sent to it; its messages stay readable.
    void close_outbound(pipe::pipe_end& end) noexcept { table_.erase(end); }

    /// Forgets the pipe and its messages. No-op if it is not here.
    void remove(pipe::pipe_end& end) noexcept;

    /// Takes the pipe's complete messages out of it, for receive(). Messages that are told or come later follow them.
    void take_over_messages(pipe::pipe_end& end) noexcept;

    /// Queues a message from this peer that the library makes up, with the properties of the peer's messages. Lost when
    /// memory is short.
    void tell(pipe::pipe_end& end, std::string_view body) noexcept;

    /// The name of the next message's sender, then the message's frames.
    [[nodiscard]] errc receive(pipe::delivery& to)
    {
        if (sender_) return receive_body(to);
        if (backlog_.empty()) [[likely]] {
            if (pipe::pipe_end* end = queue_.next_readable()) [[likely]] {
                const std::string& name = queue_.current_record().routing_id;
                if (!to.deliver(name.data(), name.size(), true, end->reader.metadata())) return errc::out_of_memory;
                sender_ = end;
                return errc::none;
            }
        }
        return receive_slow(to);
    }
    [[nodiscard]] bool can_receive();

    void on_data(pipe::pipe_end& end) noexcept { queue_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end);
    bool announce_sleep() noexcept { return queue_.announce_sleep(); }
    [[nodiscard]] bool confirm_sleep() noexcept;

    /// Whether any peer would take a message now; if not, an event_credit follows.
    [[nodiscard]] bool any_has_room() noexcept;

private:
    errc receive_body(pipe::delivery& to)
    {
        pipe::pipe_end& end = *sender_;
        pipe::incoming f;
        if (!end.reader.next(f)) [[unlikely]]
            return receive_slow(to);
        if (!to.deliver(f)) return errc::out_of_memory;
        if (!f.more) sender_ = nullptr;
        queue_.pop(end, f);
        return errc::none;
    }
    errc receive_slow(pipe::delivery& to);
    void on_drained(pipe::pipe_end& end) override;

    owner& owner_;
    fair_queue queue_;
    routing_table table_;
    frame_backlog backlog_;
    pipe::pipe_end* sender_ = nullptr;  ///< its name was delivered; the frames of its message follow
    std::uint32_t next_number_;
};

}  // namespace zlink::pattern::routing
