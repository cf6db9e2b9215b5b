// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A pipe joins two parties, a socket and a connection or two sockets (inproc), by two lanes. Each party holds one
// pipe_end: it writes into one lane and reads from the other. The pipe lives until both ends are closed.
//
// Notifications are rare: data for a dormant reader of an empty lane, credit for a waiting writer, the end of the other
// party (end_inbox.hpp).
#pragma once

#include "base/invariant.hpp"
#include "base/own_number.hpp"
#include "pipe/drop_rule.hpp"
#include "pipe/end_inbox.hpp"
#include "pipe/hold_record.hpp"
#include "pipe/idle_mark.hpp"
#include "pipe/inline_io.hpp"
#include "pipe/lane.hpp"
#include "pipe/lane_reader.hpp"
#include "pipe/lane_traffic.hpp"
#include "pipe/lane_writer.hpp"
#include "pipe/pipe_client.hpp"
#include "pipe/pipe_event.hpp"
#include "pipe/queue_cap.hpp"
#include "pipe/relay.hpp"
#include "pipe/shared_io.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace zlink::pipe {

class pipe;

/// Arrivals and departures of peers are numbered, as a socket may hear of them late, and by two ways, and has to know
/// their order. Of two that happen one after the other, on one thread or because of each other, the first has the
/// smaller number. Any thread.
[[nodiscard]] std::uint64_t next_sequence_number() noexcept;

/// One direction of a pipe, as another thread sees it.
struct flow {
    traffic put;
    traffic taken;
    traffic queued;
    traffic replaced;           ///< by newer messages (relay)
    traffic refused;            ///< by a relay without room
    bool readers_rule = false;  ///< both were dropped by a rule of the reader's side
};

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
    idle_mark idle;
    pipe_client* client = nullptr;  ///< on the I/O side: the receiver of events
    hold_record held;
    // The owner's counts of messages, which others may look at.
    own_number no_room;   ///< not written here, as there was no room
    own_number unwanted;  ///< taken from here, and given to no program

    [[nodiscard]] pipe& parent() noexcept { return parent_; }
    [[nodiscard]] const pipe& parent() const noexcept { return parent_; }
    [[nodiscard]] pipe_end& peer() noexcept;
    [[nodiscard]] const pipe_end& peer() const noexcept { return const_cast<pipe_end*>(this)->peer(); }

    /// Any thread: tells this end's owner. (If the other party closes before this returns, nothing is freed: the caller
    /// holds the reference of the opposite end.)
    void notify(std::uint32_t events) noexcept { inbox_.tell(*this, events); }

    /// From now on `queue`'s owner is told. Earlier notifications come now. Called once.
    void attach(activation_queue& queue) noexcept { inbox_.attach(*this, queue, lane_shows_all()); }

    /// Owner, for an end out of its queue: the events since the last call; clears them.
    [[nodiscard]] std::uint32_t take_events() noexcept { return inbox_.take(); }

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

    // The marks of the pipe. With a relay they are the relay's: the lanes have none.

    /// Owner: see lane_writer::set_hwm() and set_octet_mark(). The reader has to be told (event_hwm).
    void set_hwm(std::uint64_t hwm) noexcept { relay_ ? relay_->set_hwm(hwm) : writer.set_hwm(hwm); }
    void set_octet_mark(std::uint64_t octets) noexcept
    {
        relay_ ? relay_->set_octets_of_writer(octets) : writer.set_octet_mark(octets);
    }
    /// Owner: see lane_reader::request_hwm() and request_octet_mark(). The writer has to be told (event_hwm).
    void request_hwm(std::uint64_t hwm) noexcept
    {
        reader.source() ? reader.source()->set_hwm(hwm) : reader.request_hwm(hwm);
    }
    void request_octet_mark(std::uint64_t octets) noexcept
    {
        reader.source() ? reader.source()->set_octets_of_reader(octets) : reader.request_octet_mark(octets);
    }

    [[nodiscard]] bool closed() const noexcept { return closed_; }

    /// Any thread that keeps the pipe: messages from this end to the other. None: they just go on in other memory, so
    /// look again.
    [[nodiscard]] std::optional<flow> look_at_outbound() const noexcept;

    /// The messages that are written here go through a relay, which may drop some.
    [[nodiscard]] bool has_relay() const noexcept { return relay_ != nullptr; }
    /// As look_at_outbound(): roughly how many wait for the other party.
    [[nodiscard]] std::uint64_t messages_queued() const noexcept;

    /// Owner: the other party has closed, whether this end has been told yet or not.
    [[nodiscard]] bool peer_has_left() const noexcept { return peer_left_at() != not_yet; }
    /// Owner: the next_sequence_number() of when the other party closed, or not_yet.
    [[nodiscard]] std::uint64_t peer_left_at() const noexcept { return inbox_.peer_left_at(); }

    /// Called before peer_left_at().
    void prefetch_state() const noexcept { inbox_.prefetch(); }

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

    /// A message in a relay, which no lane shows, has to be told as well.
    [[nodiscard]] bool lane_shows_all() const noexcept { return !relay_; }

    pipe& parent_;
    relay* relay_ = nullptr;  ///< behind `writer`; null, unless messages may be dropped on their way
    end_inbox inbox_;
    bool closed_ = false;
};

class pipe {
public:
    struct limits {
        std::uint64_t hwm_first_to_second;
        std::uint64_t hwm_second_to_first;
        std::size_t reference_threshold;
        bool conflate = false;                 ///< only the newest message is kept, in both directions
        std::uint64_t first_sends_octets = 0;  ///< the first end's parts of the marks in octets; 0: none
        std::uint64_t first_receives_octets = 0;
        drop_rule first_to_second{};
        drop_rule second_to_first{};
        std::shared_ptr<queue_cap> cap{};  ///< for what waits in both directions; null: none. Not if `conflate`.
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
    /// Relaxed: the caller holds an end open.
    [[nodiscard]] kept keep() noexcept
    {
        const int before = refs_.fetch_add(1, std::memory_order_relaxed);
        invariant([before] { return before > 0; });
        return kept(this);
    }

    pipe_end& first() noexcept { return first_; }
    pipe_end& second() noexcept { return second_; }

    /// How long the I/O side may try to deliver after the socket side closed, in ms; -1: no limit. Set before close();
    /// the event of close() orders it.
    std::atomic<int> linger{-1};
    /// The socket had no memory for the pipe, or for what it was told of the peer. Relaxed: the event that follows, or
    /// that of close(), orders it; and the command of the next connection.
    std::atomic<bool> untaken{false};

    shared_io io;

private:
    friend class pipe_end;
    struct charges {
        charges(const std::shared_ptr<queue_cap>& of, pipe& p) noexcept
            : cap(of),
              to_second(*of, p.first_),
              to_first(*of, p.second_)
        {}
        const std::shared_ptr<queue_cap> cap;
        lane_charge to_second;
        lane_charge to_first;
    };
    pipe(const limits& l, std::unique_ptr<relay> to_second, std::unique_ptr<relay> to_first) noexcept;
    [[nodiscard]] bool charge_lanes(const std::shared_ptr<queue_cap>& cap) noexcept;
    void set_marks(const limits& l) noexcept;
    ~pipe() = default;
    void release() noexcept;

    lane first_to_second_;
    lane second_to_first_;
    std::unique_ptr<relay> relay_to_second_;  ///< with lanes in place of the others, or null
    std::unique_ptr<relay> relay_to_first_;
    pipe_end first_;
    pipe_end second_;
    std::unique_ptr<charges> charges_;  ///< null: under no cap
    std::atomic<int> refs_{
        2};  ///< The open ends, and the holders of `kept`. The last release() acquires what others released.
};

inline bool pipe_end::left_to_io_thread() const noexcept
{
    return !writer.reader_sleeps() && parent_.io.write_token.offered();
}

inline pipe_end& pipe_end::peer() noexcept
{
    return this == &parent_.first_ ? parent_.second_ : parent_.first_;
}

}  // namespace zlink::pipe
