// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The endpoints by which sockets of a context are joined to each other (inproc). Bound names are kept with their
// binders. Connections that came before their bind wait here.
#pragma once

#include "base/errc.hpp"
#include "pattern/pattern.hpp"
#include "pipe/pipe.hpp"
#include "socket/mailbox.hpp"

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace zlink::socket {

/// The facts about each side of a pipe between two sockets that the other side has to know.
struct joined_party {
    mailbox* box = nullptr;
    std::uint64_t sndhwm = 0;
    std::uint64_t rcvhwm = 0;
    std::uint64_t sndhwm_bytes = 0;
    std::uint64_t rcvhwm_bytes = 0;
    std::string routing_id;
    bool conflate = false;
    pipe::when_full drops_sent = pipe::when_full::block;  ///< by the pipe itself
    pipe::when_full drops_received = pipe::when_full::block;
    std::uint64_t endpoint_id = 0;
    std::string hello_message;  ///< the first message to the other side; empty: none
};

/// Thread-safe. Owns no sockets: before a socket goes, it takes its names out and lets its pending connections go.
class name_registry {
public:
    name_registry() = default;
    name_registry(const name_registry&) = delete;
    name_registry& operator=(const name_registry&) = delete;
    /// Messages to names that were never bound are dropped.
    ~name_registry();

    /// address_in_use if the name is bound. Connections that waited for it are handed to the binder's mailbox. If memory
    /// is short for any of them, std::bad_alloc, and nothing is bound.
    [[nodiscard]] errc bind(const std::string& name, const joined_party& binder);
    /// no_entry if `box` has not bound the name.
    [[nodiscard]] errc unbind(const std::string& name, const mailbox* box);

    /// What the binder of `name` wants dropped, sent by it and received; none if the name is not bound (yet).
    struct drop_wishes {
        pipe::when_full sent = pipe::when_full::block;
        pipe::when_full received = pipe::when_full::block;
    };
    [[nodiscard]] drop_wishes wishes_of(const std::string& name);

    /// Gives `far_end` to the binder of `name`, or keeps it until there is one. `caller` is the connecting side. Its
    /// end of the pipe is `far_end.peer()`, with its own high-water marks alone. std::bad_alloc: nothing was given.
    void connect(const std::string& name, pipe::pipe_end& far_end, const joined_party& caller);
    /// Like connect(), for a caller that is not a socket and does not wait for a bind. The binder of `name` gets the
    /// far end, and sends no greeting. False: the name is not bound.
    [[nodiscard]] bool connect_if_bound(const std::string& name, pipe::pipe_end& far_end);
    /// Such a caller is done. If the binder of `name` has not taken the far end yet, the caller's request stays unread;
    /// else it belongs to the binder.
    void hang_up(const std::string& name, pipe::pipe_end& far_end) noexcept;
    static constexpr std::uint64_t every_endpoint = 0;  ///< no endpoint has this id
    /// The caller has closed its ends of the pipes of one connection, or of all (every_endpoint). If whole messages lie
    /// in the pipe of a far end that still waits for a bind, that end stays for the later binder. Else it is closed.
    void let_go(const mailbox* caller, std::uint64_t endpoint_id) noexcept;

private:
    struct pending {
        pipe::pipe_end* far_end;
        joined_party caller;   ///< its box is null once the caller has gone
        bool greeted = false;  ///< by a binder for which memory was short
    };
    using waiting_list = std::list<pending>;  ///< for one name, the oldest first
    using waiting_map = std::map<std::string, waiting_list>;
    struct place {
        waiting_map::iterator name;
        waiting_list::iterator at;
    };

    /// What the two sides are told.
    struct notices {
        command_list to_binder, to_caller;
    };

    void let_go(const place& where) noexcept;
    [[nodiscard]] static notices prepare(pipe::pipe_end& far_end, const joined_party& caller,
                                         const joined_party& binder);
    static void greet(pipe::pipe_end& far_end, const std::string& greeting);
    static void join(pipe::pipe_end& far_end, const joined_party& caller, const joined_party& binder,
                     notices& prepared) noexcept;

    std::mutex mutex_;
    std::map<std::string, joined_party> bound_;
    waiting_map waiting_;
    std::map<std::pair<const mailbox*, std::uint64_t>, place> callers_;  ///< by endpoint id; callers that have not gone
};

}  // namespace zlink::socket
