// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A pipe joins two parties, a socket and a connection or two sockets (inproc), by two lanes. Each party holds one
// pipe_end: it writes into one lane and reads from the other. The pipe lives until both ends are closed.
//
// Notifications are rare (a lane went from empty to not empty while its reader was dormant, credit for a waiting
// writer, the end of the other party): bits are gathered in `events_`, and the first bit puts the end into its
// owner's queue.
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

/// What an end can be told.
enum pipe_event : std::uint32_t {
    event_data = 1,         ///< the inbound lane has something again
    event_credit = 2,       ///< the outbound lane has room again
    event_peer_closed = 4,  ///< the other party is gone; what it wrote stays readable
    event_hwm = 8,          ///< a high-water mark has changed, or shall: apply_requested_hwm, flush_credit
    event_token = 16,  ///< an application gave back an I/O token that was asked for or passed by; to it: give it back
    event_watch = 64,  ///< an application has left reading or sending for later: watch whether it comes back
    event_look = 128,  ///< the I/O thread's own: time to look whether an application is back
    event_inline_stop = 32,  ///< an application has left something to be read to the I/O thread
    event_chunk = 512,    ///< an application has left a large chunk at a lane: see that it goes when the lane is idle
    event_pool = 1024,    ///< an application uses the pool of bodies: see that what that keeps goes
    event_refused = 256,  ///< to a connection: nobody will read; over as soon as the peer leaves
};

/// What an application thread may do on a connection's behalf while it holds the matching token of the pipe.
/// Implemented by engine/; see io_token.hpp.
class inline_io {
public:
    enum class write_outcome { done, hand_over };
    /// Sends what the outbound lane holds, one system call. hand_over: the I/O thread has to go on (because the kernel is
    /// full, because of an error, or because sending inline is not worth it now). `held`: it was held back for this call,
    /// which is worth it then.
    [[nodiscard]] virtual write_outcome write_inline(bool held) noexcept = 0;

    /// As write_inline(), for what is worth system calls in any case, as many as the kernel takes: one message with a large body, or
    /// what may not stay in the lane. Waits for a moment for a peer that makes room, if it `may_wait`.
    [[nodiscard]] virtual write_outcome write_large(bool may_wait) noexcept = 0;

    enum class read_outcome { messages, nothing, hand_over };
    /// Reads once and publishes whole messages into the inbound lane. hand_over: the I/O thread has to go on.
    [[nodiscard]] virtual read_outcome read_inline() noexcept = 0;

    /// Octets have been read that only the I/O thread can go on with: nothing is to be read before. read_inline() hands over.
    [[nodiscard]] virtual bool waits_for_io() const noexcept = 0;

    /// The last read took all it could: the kernel is likely to have more.
    [[nodiscard]] virtual bool has_more() const noexcept = 0;

    /// Switches the I/O thread's interest in the descriptor off and on, around an application's reading.
    virtual void pause_reading() noexcept = 0;
    virtual void resume_reading() noexcept = 0;

    [[nodiscard]] virtual int descriptor() const noexcept = 0;

    /// Connections of the same I/O thread, this one among them: a hint, and a load.
    [[nodiscard]] virtual unsigned neighbours() const noexcept = 0;

protected:
    ~inline_io() = default;
};

/// The socket's say in when a connection that nobody else writes is written to.
class send_holder {
public:
    /// `end` has published a message, and its I/O side sleeps. True: the holder sees to it that send_held() follows soon, or has
    /// sent already. False: the message is to be written now, by this thread, if it may.
    [[nodiscard]] virtual bool hold(pipe_end& end) noexcept = 0;

protected:
    ~send_holder() = default;
};

/// Comings and goings of peers are counted, so that a socket that hears of some late, and by two ways, knows their order: of two
/// that happen one after the other, on one thread or because of each other, the first has the smaller turn. Any thread.
[[nodiscard]] std::uint64_t next_turn() noexcept;
inline constexpr std::uint64_t not_yet = std::numeric_limits<std::uint64_t>::max();

class pipe_end {
public:
    pipe_end(pipe& parent, lane& out, std::uint64_t out_hwm, std::size_t reference_threshold, lane& in,
             std::uint64_t in_hwm) noexcept;
    pipe_end(const pipe_end&) = delete;
    pipe_end& operator=(const pipe_end&) = delete;

    std::unique_ptr<end_record> record;  ///< the socket's; beside the writer, as who looks it up to send writes next
    lane_writer writer;
    lane_reader reader;
    /// An I/O thread watches whether this end's lane falls idle, or is to be told to. Stored under the write token, but for the I/O
    /// thread's last store; looked at by the I/O thread at any time, which the event behind the store makes look again.
    std::atomic<bool> watched_idle{false};
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t idle_place = nowhere;  ///< the I/O thread's: among those that it watches
    pipe_client* client = nullptr;       ///< on the I/O side: whom events are for
    send_holder* holder = nullptr;       ///< the owner's, if it holds sends back
    std::uint32_t held = 0;              ///< the holder's: messages held back here
    std::uint32_t held_at = 0;    ///< the holder's, while there are any: its place among those that are written to
    load::hold_watch hold_watch;  ///< the holder's

    [[nodiscard]] pipe& parent() noexcept { return parent_; }
    [[nodiscard]] pipe_end& peer() noexcept;

    /// Any thread: tells this end's owner.
    void notify(std::uint32_t events) noexcept;

    /// From now on `queue`'s owner is told; what was notified before comes now. Called once.
    void attach(activation_queue& queue) noexcept;

    /// Owner, for an end out of its queue: what happened since; clears it.
    [[nodiscard]] std::uint32_t take_events() noexcept;

    /// Owner: lane_writer::write_at_once, and tells the reader if it sleeps.
    [[nodiscard]] [[gnu::always_inline]] bool send_at_once(const std::byte* data, std::size_t size) noexcept
    {
        if (!writer.write_at_once(data, size)) return false;
        if (writer.reader_sleeps()) [[unlikely]]
            publish_to_sleeper();
        return true;
    }

    /// Owner: publishes behind a whole message and tells the reader if it sleeps.
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

    /// Owner, or who keeps it from closing the end: a connection's I/O thread has something to write here, or is about to see that it
    /// has not.
    [[nodiscard]] bool left_to_io_thread() const noexcept;

    /// The same: writes to the connection what has been published, though its I/O thread is awake and about to do so. Does not wait.
    enum class written {
        all,
        busy,  ///< the I/O thread is writing, or has asked to
        left,  ///< to the I/O thread: the kernel is full, or the connection writes by its I/O thread alone
    };
    [[nodiscard]] written write_published() noexcept;

    /// Owner: what was held back (send_holder) goes out, or to the I/O thread.
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

    /// Owner: ends both directions. What was published stays readable for the other party; this end must not be used
    /// again (its memory goes when both are closed, and, if it stands in a queue, when discard() is called on it).
    enum class closing { done, in_queue };
    /// in_queue: it stands in its owner's queue, discard() has to be called when it comes out.
    closing close() noexcept;

    [[nodiscard]] bool closed() const noexcept { return closed_; }

    /// Owner: the other party has closed, whether this end has been told yet or not.
    [[nodiscard]] bool peer_has_left() const noexcept { return peer_left_at() != not_yet; }
    /// Owner: the next_turn() of when the other party closed, or not_yet.
    [[nodiscard]] std::uint64_t peer_left_at() const noexcept { return peer_left_at_.load(std::memory_order_acquire); }

    /// Ahead of peer_left_at().
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

    static constexpr std::uint32_t leaves = event_data | event_peer_closed;  ///< what close() tells
    /// A newest message, which no lane shows, is something to tell.
    [[nodiscard]] bool has_only_left(std::uint32_t events) const noexcept { return events == leaves && !newest_; }

    static constexpr std::uint32_t bit_closed = 1u << 30;
    static constexpr std::uint32_t bit_unattached = 1u << 31;

    pipe& parent_;
    conflation* newest_ = nullptr;  ///< behind `writer`; null, unless the pipe conflates
    /// Partners: take_events() acquires what notify() released, attach() and close() what came before either.
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
        bool conflate = false;  ///< both ways the newest message alone is kept
    };

    /// Null when memory is short. Both ends are unattached.
    [[nodiscard]] static pipe* create(const limits& l) noexcept;

    pipe(const pipe&) = delete;
    pipe& operator=(const pipe&) = delete;

    /// Its memory stays for as long as somebody keeps it, though both ends may be closed meanwhile.
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

    /// How long the I/O side may try to deliver after the socket side closed, in ms; -1: no limit. Set before close(), whose
    /// event orders it.
    std::atomic<int> linger{-1};

    io_token write_token;
    io_token read_token;
    inline_io* io = nullptr;  ///< valid for the holder of a token
    /// The socket hears this peer no more (zmq_unbind, zmq_disconnect). Stored by the socket's thread with release, before the
    /// call returns; partners: whoever is about to read the connection loads it, with acquire.
    std::atomic<bool> unheard{false};
    /// A connection's I/O thread writes what the socket sends as soon as it has its turn: the kernel takes it. Relaxed: a hint
    /// for who would wait for that, and not for long.
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
        2};  ///< the ends that are open, and who keeps it; the last release() acquires what others released
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
