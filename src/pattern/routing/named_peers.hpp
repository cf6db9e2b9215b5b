// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers known by their routing id, as in ROUTER and STREAM. Pipes are found by name, and every message received begins
// with a frame that names its sender. A pipe without a name is neither read nor found.
#pragma once

#include "base/errc.hpp"
#include "pattern/routing/addressed_peers.hpp"
#include "pipe/delivery.hpp"

#include <string>
#include <string_view>

namespace zlink::pattern::routing {

class named_peers final : public addressed_peers {
public:
    explicit named_peers(owner& o) noexcept : addressed_peers(o) {}

    /// A name that no peer has: a zero octet and a number (as libzmq makes them).
    [[nodiscard]] std::string new_name();

    /// Gives a pipe its name, which is not in use. False when memory is short.
    [[nodiscard]] bool add(pipe::pipe_end& end, std::string name) noexcept;

    [[nodiscard]] pipe::pipe_end* find(std::string_view name) noexcept { return table_.find(name); }

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

    pipe::pipe_end* sender_ = nullptr;  ///< its name was delivered; the frames of its message follow
};

}  // namespace zlink::pattern::routing
