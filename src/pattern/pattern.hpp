// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The decisions of a socket type: which pipe a frame goes to, which pipe the next comes from, and which frames are
// added or removed. One object per socket, used by the socket's thread only. Nothing here blocks, sleeps or takes
// locks.
//
// Frames go one by one. With the first frame of a message a pattern picks the pipe(s). It writes the frames
// unpublished, and publishes with the last one (pipe_end::publish). Receiving works likewise.
#pragma once

#include "base/errc.hpp"
#include "base/result.hpp"
#include "base/socket_types.hpp"
#include "pattern/drop_reason.hpp"
#include "pattern/pattern_options.hpp"
#include "pattern/routing_record.hpp"
#include "pipe/delivery.hpp"
#include "pipe/pipe.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zlink::pattern {

/// The origin of a pipe. One idea: independent facts of one moment, the arguments of one call.
struct attachment {
    bool locally_connected = false;  ///< by this socket's zmq_connect (as opposed to accepted by a bind)
    std::string connect_routing_id;  ///< ZMQ_CONNECT_ROUTING_ID given for this connection; else empty
    bool identified = false;       ///< `routing_id` is known already (accepted, and inproc); else identified() follows
    std::string routing_id;        ///< the peer's Identity; empty if it has none
    bool peer_is_socket = false;   ///< the other party is a socket, not a connection
    bool tells_no_topics = false;  ///< the other party is a port of datagrams: a publisher's gets everything
    std::uint64_t came_at = pipe::not_yet;  ///< when the socket was told of the pipe, see pipe::next_sequence_number()
};

/// Refuses `end`, as `holder` has its place: for good, unless `holder` had left when `end` came.
inline void reject(pipe::pipe_end& end, const pipe::pipe_end& holder, std::uint64_t came_at) noexcept
{
    routing_of(end).rejected = true;
    routing_of(end).place_was_left = holder.peer_left_at() < came_at;
}

/// The calls of patterns to their socket.
class pattern_host {
public:
    /// Everything was read from a pipe, and its other party is gone (or the pattern gives the pipe up). The socket
    /// calls detach() and closes the end, now or soon; the pattern must not touch it after that.
    virtual void give_up(pipe::pipe_end& end) = 0;
    /// For a pattern that drops messages if a pipe is full. True: there is room now; the only reason was an I/O thread
    /// that had not had its turn. Waits for that thread only in a send that may wait.
    [[nodiscard]] virtual bool await_room(pipe::pipe_end& end) noexcept { return end.writer.has_room(); }
    /// Peers have left, and on_peer_closed() has not told of them yet; there may be many.
    [[nodiscard]] virtual bool peers_are_leaving() const noexcept { return false; }
    /// A message was dropped before any peer's queue had it. (Queues without room count for themselves, see
    /// pipe_end::no_room.)
    virtual void on_dropped(drop_reason) noexcept {}

protected:
    ~pattern_host() = default;
};

using topic_text = std::span<const std::byte>;

class pattern {
public:
    virtual ~pattern() = default;

    // Messages --------------------------------------------------------------------------------------------------------

    /// errc::none: taken (or dropped, if the pattern drops). errc::again: no pipe takes it now, nothing was taken.
    /// Other values: see the man page of zmq_send (fsm, host_unreachable, ...); out_of_memory: the message is rolled
    /// back.
    [[nodiscard]] virtual errc send(const pipe::outgoing& frame) = 0;

    /// For a frame that send() has just answered with `again`. True: a peer is there and its queue is full, so the
    /// message that begins with this frame is dropped, with all of its frames. False: nothing happened.
    [[nodiscard]] virtual bool drop(const pipe::outgoing& frame) noexcept = 0;
    /// Whether drop() would work, if send() answered like that now.
    [[nodiscard]] virtual bool may_drop() const noexcept = 0;

    /// Whether the current message, or a new one, may end after so many more frames. For a caller that has all of them,
    /// and sends either all or none. Types with messages of one frame tell by send(): the first frame is refused.
    [[nodiscard]] virtual bool may_end_after(std::size_t frames) const noexcept = 0;

    /// errc::none: one frame was delivered. errc::again: nothing there. errc::fsm, not_supported: by socket type.
    [[nodiscard]] virtual errc receive(pipe::delivery& to) = 0;

    /// ZMQ_POLLOUT and ZMQ_POLLIN: whether send()/receive() would succeed now.
    [[nodiscard]] virtual bool can_send() = 0;
    [[nodiscard]] virtual bool can_receive() = 0;

    // Shortcuts: the socket may use these pipes without asking, until a pipe event or a call of this interface other
    // than those above. It must make no difference to the pattern whether it gets such messages.

    /// The pipe that a whole message of one frame would go to, if that pipe has room. Null: ask.
    [[nodiscard]] virtual pipe::pipe_end* sole_target() noexcept = 0;
    /// The pipe that a whole message of one frame would come from, unchanged, if one is there. Null: ask.
    [[nodiscard]] virtual pipe::pipe_end* sole_source() noexcept = 0;

    // Pipes -----------------------------------------------------------------------------------------------------------

    /// A new pipe. False: the pattern does not know it, and the socket closes it: its place is taken if
    /// routing_record::rejected is set, else memory is short. Or it returns true and sets routing_record::rejected: another peer has the place (PAIR) or the routing id (ROUTER). Then the pattern does
    /// not know the pipe, and the socket keeps it open and unread until the peer leaves. So the peer does not come
    /// again and again; see reject().
    [[nodiscard]] virtual bool attach(pipe::pipe_end& end, const attachment& how) = 0;
    /// The handshake of a connected pipe told the peer's routing id (again after each reconnect). May set
    /// routing_record::rejected, as attach(). It is called for a rejected pipe as well, and names it if that is
    /// possible now. May throw std::bad_alloc; then the connection is made anew.
    virtual void identified(pipe::pipe_end& end, const std::string& routing_id) = 0;
    /// event_data: the inbound lane of a dormant pipe has something.
    virtual void on_data(pipe::pipe_end& end) = 0;
    /// event_credit: the outbound lane has room again.
    virtual void on_credit(pipe::pipe_end& end) = 0;
    /// The other party is gone: nothing more goes out on this pipe. Received messages stay readable. When all have been
    /// read (or if none is left) the pattern calls give_up().
    virtual void on_peer_closed(pipe::pipe_end& end) = 0;
    /// Forget this pipe at once, unread messages too (zmq_disconnect, give_up, close).
    virtual void detach(pipe::pipe_end& end) = 0;
    /// The connection below was lost; a new one may come.
    virtual void on_disconnected(pipe::pipe_end& end) = 0;
    /// The connection below was replaced by a new one: SUB and XSUB send their subscriptions again.
    virtual void on_reconnected(pipe::pipe_end& end) = 0;

    // Sleeping --------------------------------------------------------------------------------------------------------

    /// After receive() said `again`: marks the lanes that were found empty as dormant. True: a full fence is enough
    /// after it.
    virtual bool announce_sleep() = 0;
    /// After announce_sleep() and a fence: looks again. True: something is there, and the marks are taken back.
    [[nodiscard]] virtual bool confirm_sleep() = 0;

    // Options ---------------------------------------------------------------------------------------------------------

    virtual void options_changed(const pattern_options& options) = 0;
    /// ZMQ_SUBSCRIBE and ZMQ_UNSUBSCRIBE; invalid_argument if the type has no subscriptions.
    [[nodiscard]] virtual errc subscribe(std::span<const std::byte> topic, bool on) = 0;
    /// ZMQ_TOPICS_COUNT.
    [[nodiscard]] virtual int topics_count() = 0;
    /// How many peers have subscribed, since they were connected last; with `topic`, those that a message that begins
    /// with it goes to. Takes in the subscriptions that have come. not_supported: the type does not publish. May throw
    /// std::bad_alloc.
    [[nodiscard]] virtual result<std::size_t> subscribers(const std::optional<topic_text>& topic) = 0;

    // Peers -----------------------------------------------------------------------------------------------------------

    /// zmq_connect_peer: the number of the peer that was connected to last (PEER); 0: none.
    [[nodiscard]] virtual std::uint32_t last_connected() const noexcept = 0;
    /// zmq_disconnect_peer: gives the peer up. host_unreachable: there is none of this number.
    [[nodiscard]] virtual errc disconnect_peer(std::uint32_t number) = 0;
    /// zmq_socket_get_peer_state: whether a message would be taken for this peer, and whether one of its messages is
    /// there.
    struct peer_state {
        bool can_send;
        bool can_receive;
    };
    [[nodiscard]] virtual result<peer_state> state_of(std::string_view routing_id) = 0;
};

/// Null: memory is short.
[[nodiscard]] std::unique_ptr<pattern> make_pattern(socket_type type, pattern_host& host,
                                                    const pattern_options& options);

}  // namespace zlink::pattern
