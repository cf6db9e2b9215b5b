// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A pipe joins two parties, a socket and a connection or two sockets (inproc), by two lanes. Each party holds one
// pipe_end: it writes into one lane and reads from the other. The pipe lives until both ends are closed.
//
// Notifications are rare: data for a dormant reader of an empty lane, credit for a waiting writer, the end of the other
// party. Bits are gathered in `events_`, and the first bit puts the end into its owner's queue.
#pragma once

#include "load/hold_watch.hpp"
#include "pipe/absence.hpp"
#include "pipe/activation_queue.hpp"
#include "pipe/conflation.hpp"
#include "pipe/io_token.hpp"
#include "pipe/lane.hpp"
#include "pipe/lane_reader.hpp"
#include "pipe/lane_writer.hpp"
#include "pipe/pipe_client.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

namespace zlink::pipe {

class pipe;

/// The events that an end can be told of.
enum pipe_event : std::uint32_t {
    event_data = 1,         ///< the inbound lane has something again
    event_credit = 2,       ///< the outbound lane has room again
    event_peer_closed = 4,  ///< the other party is gone; its messages stay readable
    event_hwm = 8,          ///< a high-water mark has changed, or shall: apply_requested_hwm, flush_credit
    /// An application gave back an I/O token that was asked for or passed by. To an application: give it back.
    event_token = 16,
    event_watch = 64,        ///< an application has left reading or sending for later: watch whether it comes back
    event_look = 128,        ///< the I/O thread's own: time to look whether an application is back
    event_inline_stop = 32,  ///< an application has left something to be read to the I/O thread
    event_chunk = 512,       ///< an application has left a large chunk at a lane: free it when the lane is idle
    event_pool = 1024,       ///< an application uses the pool of bodies: free the memory that the pool keeps
    event_refused = 256,     ///< to a connection: the socket will not read; it ends as soon as the peer leaves
};

/// The actions that an application thread may take for a connection while it holds the matching token of the pipe.
/// Implemented by engine/; see io_token.hpp.
class inline_io {
public:
    enum class write_outcome { done, hand_over };
    /// Sends the content of the outbound lane with one system call. hand_over: the I/O thread has to go on. (Reasons:
    /// the kernel is full, an error, or sending inline is not worth it now.) `held`: the messages were held back for
    /// this call, so the call is worth it.
    [[nodiscard]] virtual write_outcome write_inline(bool held) noexcept = 0;

    /// As write_inline(), with as many system calls as the kernel accepts. For messages that are always worth them: one
    /// with a large body, or those that may not stay in the lane. If it `may_wait`, it waits for a moment for a peer
    /// that makes room.
    [[nodiscard]] virtual write_outcome write_large(bool may_wait) noexcept = 0;

    enum class read_outcome { messages, nothing, hand_over };
    /// Reads once and publishes whole messages into the inbound lane. hand_over: the I/O thread has to go on.
    [[nodiscard]] virtual read_outcome read_inline() noexcept = 0;

    /// Octets have been read that only the I/O thread can handle. Until it has, no more may be read: read_inline()
    /// hands over.
    [[nodiscard]] virtual bool waits_for_io() const noexcept = 0;

    /// The last read took all it could: the kernel is likely to have more.
    [[nodiscard]] virtual bool has_more() const noexcept = 0;

    /// Switches the I/O thread's interest in the descriptor off and on, around an application's reading.
    virtual void pause_reading() noexcept = 0;
    virtual void resume_reading() noexcept = 0;

    [[nodiscard]] virtual int descriptor() const noexcept = 0;

    /// Number of connections of the same I/O thread, this one included: a hint; it costs one load.
    [[nodiscard]] virtual unsigned neighbours() const noexcept = 0;

protected:
    ~inline_io() = default;
};

/// Lets the socket decide when to write to a connection that no other thread is writing to.
class send_holder {
public:
    /// `end` has published a message, and its I/O side sleeps. True: the holder sees to it that send_held() follows
    /// soon, or has sent already. False: this thread writes the message now, if it may.
    [[nodiscard]] virtual bool hold(pipe_end& end) noexcept = 0;

protected:
    ~send_holder() = default;
};

/// Arrivals and departures of peers are numbered, as a socket may hear of them late, and by two ways, and has to know
/// their order. Of two that happen one after the other, on one thread or because of each other, the first has the
/// smaller turn. Any thread.
[[nodiscard]] std::uint64_t next_turn() noexcept;
inline constexpr std::uint64_t not_yet = std::numeric_limits<std::uint64_t>::max();

class pipe_end {
public:
    pipe_end(pipe& parent, lane& out, std::uint64_t out_hwm, std::size_t reference_threshold, lane& in,
             std::uint64_t in_hwm) noexcept;
    pipe_end(const pipe_end&) = delete;
    pipe_end& operator=(const pipe_end&) = delete;

    /// The socket's. It lies next to the writer, as a thread that looks it up to send writes next.
    std::unique_ptr<end_record> record;
    lane_writer writer;
    lane_reader reader;
    /// An I/O thread watches whether this end's lane falls idle, or is about to be told to. Stored under the write
    /// token, except for the I/O thread's last store. The I/O thread may load it at any time: the event after a store
    /// makes it look again.
    std::atomic<bool> watched_idle{false};
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t idle_place = nowhere;  ///< the I/O thread's: among those that it watches
    pipe_client* client = nullptr;       ///< on the I/O side: the receiver of events
    send_holder* holder = nullptr;       ///< the owner's, if it holds sends back
    std::uint32_t held = 0;              ///< the holder's: messages held back here
    /// The holder's, while messages are held: this end's place among those that are written to.
    std::uint32_t held_at = 0;
    load::hold_watch hold_watch;  ///< the holder's

    [[nodiscard]] pipe& parent() noexcept { return parent_; }
    [[nodiscard]] pipe_end& peer() noexcept;

    /// Any thread: tells this end's owner.
    void notify(std::uint32_t events) noexcept;

    /// From now on `queue`'s owner is told. Earlier notifications come now. Called once.
    void attach(activation_queue& queue) noexcept;

    /// Owner, for an end out of its queue: the events since the last call; clears them.
    [[nodiscard]] std::uint32_t take_events() noexcept;

    /// Owner: lane_writer::write_at_once, and tells the reader if it sleeps.
    [[nodiscard]] [[gnu::always_inline]] bool send_at_once(const std::byte* data, std::size_t size) noexcept
    {
        if (!writer.write_at_once(data, size)) return false;
        if (writer.reader_sleeps()) [[unlikely]]
            publish_to_sleeper();
        return true;
    }

    /// Owner: publishes after a whole message and tells the reader if it sleeps.
    void publish() noexcept
    {
        if (writer.holds_large()) [[unlikely]]
            return publish_large();
        writer.publish();
        tell_reader();
    }

    /// Owner: the second half of publish(), once for several messages that writer.publish() has made visible.
    void tell_reader() noexcept
    {
        if (writer.reader_sleeps()) [[unlikely]]
            publish_to_sleeper();
    }

    /// Owner: as tell_reader(), and never writes to a connection.
    void wake_reader() noexcept
    {
        if (writer.reader_sleeps()) wake_sleeper();
    }

    /// Owner, or a thread that keeps the owner from closing the end. A connection's I/O thread has something to write
    /// here, or is about to find that it has not.
    [[nodiscard]] bool left_to_io_thread() const noexcept;

    /// For the same threads: writes the published messages to the connection, though its I/O thread is awake and about
    /// to do so. Does not wait.
    enum class written {
        all,
        busy,  ///< the I/O thread is writing, or has asked to
        left,  ///< to the I/O thread: the kernel is full, or only the I/O thread writes for this connection
    };
    [[nodiscard]] written write_published() noexcept;

    /// Owner: writes messages that were held back (send_holder), or leaves them to the I/O thread.
    void send_held() noexcept
    {
        if (writer.reader_sleeps()) write_or_tell(true);
    }

    /// Owner: takes a frame and tells the writer if it waits for the credit.
    void pop(const incoming& f) noexcept
    {
        if (reader.pop(f)) [[unlikely]]
            peer().notify(event_credit);
    }

    /// Owner: ends both directions. Published messages stay readable for the other party. This end must not be used
    /// again. Its memory goes when both ends are closed and, if it stands in a queue, discard() has been called on it.
    enum class closing { done, in_queue };
    /// in_queue: this end stands in its owner's queue. discard() has to be called when it comes out.
    closing close() noexcept;

    [[nodiscard]] bool closed() const noexcept { return closed_; }

    /// Owner: the other party has closed, whether this end has been told yet or not.
    [[nodiscard]] bool peer_has_left() const noexcept { return peer_left_at() != not_yet; }
    /// Owner: the next_turn() of when the other party closed, or not_yet.
    [[nodiscard]] std::uint64_t peer_left_at() const noexcept { return peer_left_at_.load(std::memory_order_acquire); }

    /// Called before peer_left_at().
    void prefetch_state() const noexcept { __builtin_prefetch(&peer_left_at_); }

    /// Owner, draining its queue: last act on a closed end that take_events() found closed.
    void discard() noexcept;

    pipe_end* next_in_queue = nullptr;

private:
    friend class pipe;
    void publish_large() noexcept;
    void publish_to_sleeper() noexcept;
    void wake_sleeper() noexcept;
    void write_or_tell(bool held) noexcept;
    void end_own_write(inline_io::write_outcome outcome) noexcept;

    static constexpr std::uint32_t leaves = event_data | event_peer_closed;  ///< the events of close()
    /// A newest message, which no lane shows, has to be told as well.
    [[nodiscard]] bool has_only_left(std::uint32_t events) const noexcept { return events == leaves && !newest_; }

    static constexpr std::uint32_t bit_closed = 1u << 30;
    static constexpr std::uint32_t bit_unattached = 1u << 31;

    pipe& parent_;
    conflation* newest_ = nullptr;  ///< behind `writer`; null, unless the pipe conflates
    /// Partners: take_events() acquires what notify() released, attach() and close() what came before either of them.
    std::atomic<std::uint32_t> events_{bit_unattached};
    /// Stored once, by the other party's close(), with release; partner: peer_left_at().
    std::atomic<std::uint64_t> peer_left_at_{not_yet};
    activation_queue* owner_ = nullptr;
    bool closed_ = false;
};

class pipe {
public:
    struct limits {
        std::uint64_t hwm_first_to_second;
        std::uint64_t hwm_second_to_first;
        std::size_t reference_threshold;
        bool conflate = false;  ///< only the newest message is kept, in both directions
    };

    /// Null when memory is short. Both ends are unattached.
    [[nodiscard]] static pipe* create(const limits& l) noexcept;

    pipe(const pipe&) = delete;
    pipe& operator=(const pipe&) = delete;

    /// The pipe's memory stays for as long as one of these exists, though both ends may be closed meanwhile.
    struct let_go {
        void operator()(pipe* kept) const noexcept { kept->release(); }
    };
    using kept = std::unique_ptr<pipe, let_go>;
    /// The caller holds an end open, so the count is not zero: relaxed.
    [[nodiscard]] kept keep() noexcept
    {
        refs_.fetch_add(1, std::memory_order_relaxed);
        return kept(this);
    }

    pipe_end& first() noexcept { return first_; }
    pipe_end& second() noexcept { return second_; }

    /// How long the I/O side may try to deliver after the socket side closed, in ms; -1: no limit. Set before close();
    /// the event of close() orders it.
    std::atomic<int> linger{-1};

    io_token write_token;
    io_token read_token;
    inline_io* io = nullptr;  ///< valid for the holder of a token
    /// The socket does not hear this peer any more (zmq_unbind, zmq_disconnect). Stored by the socket's thread with
    /// release, before the call returns. Partner: a thread that is about to read the connection loads it, with acquire.
    std::atomic<bool> unheard{false};
    /// A connection's I/O thread writes the socket's messages as soon as it has its turn: the kernel takes them.
    /// Relaxed: a hint for a thread that would wait for that, and not for long.
    std::atomic<bool> taken_on{false};
    absence parked;  ///< of the application that parks the read token
    absence held;    ///< of the application that holds sends back

private:
    friend class pipe_end;
    pipe(const limits& l, std::unique_ptr<conflation> to_second, std::unique_ptr<conflation> to_first) noexcept;
    ~pipe();
    void release() noexcept;

    lane first_to_second_;
    lane second_to_first_;
    std::unique_ptr<conflation> newest_to_second_;  ///< in place of the lanes, or null
    std::unique_ptr<conflation> newest_to_first_;
    pipe_end first_;
    pipe_end second_;
    std::atomic<int> refs_{
        2};  ///< The open ends, and the holders of `kept`. The last release() acquires what others released.
};

inline bool pipe_end::left_to_io_thread() const noexcept
{
    return !writer.reader_sleeps() && parent_.write_token.offered();
}

inline pipe_end& pipe_end::peer() noexcept
{
    return this == &parent_.first_ ? parent_.second_ : parent_.first_;
}

}  // namespace zlink::pipe
