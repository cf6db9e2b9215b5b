// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Writing end of a lane. One thread at a time. Two ways in: write() encodes frames (application threads and
// transcoding readers); append_span() hands over octets that arrived encoded (connection readers).
#pragma once

#include "base/invariant.hpp"
#include "base/small_octets.hpp"
#include "message/frame_header.hpp"
#include "pipe/chunk_plan.hpp"
#include "pipe/credit_account.hpp"
#include "pipe/lane.hpp"
#include "pipe/lane_traffic.hpp"
#include "pipe/late_body.hpp"
#include "pipe/octet_base.hpp"
#include "pipe/open_chunk.hpp"
#include "pipe/outgoing.hpp"
#include "pipe/span_chain.hpp"
#include "pipe/span_fill.hpp"
#include "pipe/write_window.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace zlink::pipe {

class lane_writer {
public:
    lane_writer(lane& shared, std::uint64_t hwm, std::size_t reference_threshold) noexcept;
    ~lane_writer();
    lane_writer(const lane_writer&) = delete;
    lane_writer& operator=(const lane_writer&) = delete;

    /// Room for one more message under the high-water mark. Always true in the middle of a message.
    [[nodiscard]] bool has_room() noexcept { return in_message() || has_room_for_next(); }

    /// As has_room(). If there is none, it asks for a notification (writer_waiting) before it returns false.
    [[nodiscard]] bool has_room_or_wait() noexcept { return has_room() || wait_for_credit(); }

    /// As has_room_or_wait(), and in the middle of a message as well: for a writer that need not finish it now. (The
    /// reader finds all messages before it, and gives credit.)
    [[nodiscard]] bool has_room_for_next_or_wait() noexcept { return has_room_for_next() || wait_for_credit(); }
    [[nodiscard]] bool has_room_for_next() noexcept { return account_.has_room() || look_for_credit(); }

    /// Encodes one frame behind the last. False when memory is short: nothing was written, and the caller rolls back or
    /// goes on. The message becomes visible with publish(), after its last frame.
    [[nodiscard]] bool write(const outgoing& f) noexcept
    {
        const std::size_t header = message::header_size(f.size);
        std::byte* at = window_.at();
        if (f.size < reference_threshold_ && window_.claim(at, header + f.size)) [[likely]] {
            at += message::encode_header(at, f.more ? message::flag_more : 0, f.size);
            copy_octets(at, f.data, f.size);
            wrote_frame(f.more);
            return true;
        }
        return write_slow(f);
    }

    /// write() of a frame with more behind it, of max_short_body octets at most, and of the message's last frame. Small
    /// ones go in one step. False: as for write(), and the first frame may be written.
    [[nodiscard]] bool write_pair(const outgoing& first, const outgoing& last) noexcept
    {
        invariant([&] { return first.more && first.size <= message::max_short_body && !last.more; });
        const std::size_t header = message::header_size(last.size);
        std::byte* at = window_.at();
        if (last.size < reference_threshold_ &&
            window_.claim(at, message::short_header_size + first.size + header + last.size)) [[likely]] {
            at += message::encode_header(at, message::flag_more, first.size);
            copy_octets(at, first.data, first.size);
            at += first.size;
            at += message::encode_header(at, 0, last.size);
            copy_octets(at, last.data, last.size);
            wrote_frame(false);
            return true;
        }
        return write(first) && write(last);
    }

    /// As write(), for a frame with a buffer that other lanes get as well: refers to the buffer, whatever the size.
    [[nodiscard]] bool write_shared(const outgoing& f) noexcept;

    /// Whether write() refers to a body of this size instead of copying it.
    [[nodiscard]] bool refers_to(std::size_t size) const noexcept { return size >= reference_threshold_; }

    /// Writes and publishes a message of one frame. Conditions: it is as small as most, room and memory are at hand,
    /// and no message is under way. False: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] bool write_at_once(const std::byte* data, std::size_t size) noexcept
    {
        const std::size_t header = message::header_size(size);
        std::byte* at = window_.at();
        if (size >= reference_threshold_ || in_message()) return false;
        if (!account_.has_room()) return false;
        if (!window_.claim(at, header + size)) return false;
        at += message::encode_header(at, 0, size);
        copy_octets(at, data, size);
        // A thread that writes to many lanes in turn finds the place of the next message in the cache.
        __builtin_prefetch(at + size + cache_line, 1);
        publish();
        return true;
    }

    /// As write_at_once(), for very small messages, and only if publishing is one store. It makes no call, so that
    /// functions built on it need no stack.
    [[nodiscard]] [[gnu::always_inline]] bool write_small(const std::byte* data, std::size_t size) noexcept
    {
        std::byte* at = window_.at();
        if (size > most_small_ || in_message()) return false;
        if (!account_.has_room() || !chain_.shows_tail()) return false;
        if (!fill_.stays_open_with_one() || !window_.claim(at, message::short_header_size + size)) return false;
        at += message::encode_plain_header(at, size);
        copy_small_octets(at, data, size);
        at += size;
        __builtin_prefetch(at + cache_line, 1);  // as in write_at_once()
        account_.write(1);
        fill_.add(1);
        chain_.show_in_tail(at);
        return true;
    }

    // For a thread that writes to many lanes in turn. Called before it handles the other lanes: prefetches the data
    // that write() and publish() are going to touch.
    void prefetch() const noexcept
    {
        __builtin_prefetch(this, 1);
        __builtin_prefetch(&reference_threshold_, 1);
    }
    void prefetch_room() const noexcept
    {
        const std::byte* const at = window_.at();
        if (!at) return;
        __builtin_prefetch(at, 1);
        __builtin_prefetch(at + cache_line, 1);
    }
    void prefetch_published() const noexcept
    {
        __builtin_prefetch(chain_.tail(), 1);
        __builtin_prefetch(&lane_.reader_dormant);
    }

    /// Makes everything written so far visible; only after the last frame of a message.
    void publish() noexcept { publish_all(1); }

    /// publish() of several messages.
    void publish_all(std::uint32_t messages) noexcept
    {
        account_.write(messages);
        fill_.add(messages);
        invariant([this] { return stage_ == stage::between_messages; });
        if (chain_.shows_tail() && !fill_.is_full()) [[likely]] {
            chain_.show_in_tail(window_.at());
        } else {
            publish_slow();
        }
    }

    /// A large body is written and not published yet.
    [[nodiscard]] bool holds_large() const noexcept { return large_ != large::none; }
    /// Then: the sending thread does not wait for a peer that makes room for it.
    [[nodiscard]] bool large_may_not_wait() const noexcept { return large_ == large::dont_wait; }

    /// As publish(), but the body that the caller's memory still holds stays there. For a caller that holds the
    /// reader's end as well. It makes the reader take the body, and calls copy_published() before the memory goes.
    void publish_in_place() noexcept;
    /// Copies the body that publish_in_place() left in the caller's memory, if the reader still needs it.
    void copy_published(bool needed) noexcept;

    /// After publish: whether the reader is dormant and has to be told of news.
    [[nodiscard]] bool reader_sleeps() const noexcept { return lane_.reader_sleeps(); }
    /// See lane::take_wake().
    [[nodiscard]] bool take_wake() noexcept
    {
        if (!lane_.take_wake()) return false;
        reader_slept_ = true;
        return true;
    }

    /// Forgets frames that were written and not published.
    void rollback() noexcept;

    /// Hands over encoded octets of `chunk` (takes one reference). Span memory is taken from `place`, which lies in the
    /// chunk, suitably aligned. `messages` of them end before `messages_end`, which becomes visible; frames of an
    /// unfinished message may follow up to `end`. `body` (may be null) closes the span, see span.hpp.
    void append_span(message::buffer* chunk, void* place, std::byte* begin, std::byte* messages_end, std::byte* end,
                     std::uint32_t messages, message::buffer* body = nullptr, std::byte* body_data = nullptr,
                     std::size_t body_size = 0) noexcept;

    /// Copies encoded frames behind those of write(): `messages` whole messages, which become visible, or, if that is
    /// 0, frames of an unfinished one. False: nothing happened (memory is short).
    [[nodiscard]] bool append_copy(const std::byte* begin, const std::byte* end, std::uint32_t messages) noexcept;

    /// Properties of all messages that follow (drops an unfinished one); takes over one reference. False when memory
    /// is short: the properties then hold from the next span on.
    bool set_metadata(message::metadata* m) noexcept;

    /// Drops an unfinished message and publishes the end of the lane. When memory is short the reader still sees the
    /// end, by way of the ended tail.
    void close() noexcept;

    /// Takes effect for the next message. The reader has to be told (event_hwm): it may hold back credits by the old
    /// mark.
    void set_hwm(std::uint64_t hwm) noexcept;
    /// As set_hwm(), for the writer's part of the mark in octets; the reader's is added to it. Both 0: there is none. A
    /// message may be written while the octets of those that are not credited are below the mark: so the queue exceeds
    /// it by less than one message.
    void set_octet_mark(std::uint64_t octets) noexcept
    {
        lane_.octets.of_writer = octets;
        join_octet_marks();
    }
    /// Sets the marks that the reader's side asked for by lane_reader::request_hwm() and request_octet_mark(). True: a
    /// request was there; the reader has to be told (event_hwm), as it may hold back credits by the old mark.
    [[nodiscard]] bool apply_requested_hwm() noexcept
    {
        const std::int64_t asked = lane_.requested_hwm.exchange(-1, std::memory_order_acq_rel);
        const std::int64_t octets = lane_.octets.requested.exchange(-1, std::memory_order_acq_rel);
        if (asked >= 0) set_hwm(std::uint64_t(asked));
        if (octets >= 0) {
            lane_.octets.of_reader = std::uint64_t(octets);
            join_octet_marks();
        }
        return asked >= 0 || octets >= 0;
    }

    /// The messages written last may still be there: the writer cannot tell that the reader has taken all of them. Not
    /// for a lane in which messages are held back for a dormant reader.
    [[nodiscard]] bool reader_is_behind() const noexcept
    {
        return lane_.tail.load(std::memory_order_relaxed) != &lane_.sentinel &&
               !lane_.reader_dormant.load(std::memory_order_relaxed);
    }

    [[nodiscard]] bool in_message() const noexcept { return stage_ == stage::in_message; }
    [[nodiscard]] std::uint64_t written() const noexcept { return account_.written(); }
    /// Messages that may still be written; meaningless without a limit.
    [[nodiscard]] std::uint64_t room() noexcept
    {
        (void)look_for_credit();
        return account_.room();
    }
    [[nodiscard]] std::uint64_t uncredited() const noexcept
    {
        return written() - lane_.credited.load(std::memory_order_relaxed);
    }
    /// uncredited(), unless the reader is known to have taken everything: it gives credit in steps, and counts the
    /// messages of a span at its end.
    [[nodiscard]] std::uint64_t waiting() const noexcept { return reader_is_behind() ? uncredited() : 0; }
    [[nodiscard]] std::uint64_t hwm() const noexcept { return account_.hwm(); }
    /// The octets that may still be written before the mark in octets, or the cap, is reached; without, any number.
    [[nodiscard]] std::uint64_t octet_room() const noexcept;
    /// Under a cap, what was written counts from the writer's next look for room on. After this, it counts at once.
    void note_written() noexcept
    {
        if (account_.octet_mark() != 0) [[unlikely]]
            charge_published();
    }
    /// Octets of large bodies written and not yet read; soft back-pressure looks at this.
    [[nodiscard]] std::uint64_t large_bytes_unread() const noexcept { return large_written_ - large_bytes_read(); }
    [[nodiscard]] std::uint64_t large_bytes_written() const noexcept { return large_written_; }
    [[nodiscard]] std::uint64_t large_bytes_read() const noexcept
    {
        return lane_.bytes_read.load(std::memory_order_relaxed);
    }

    /// Any thread: what was written so far. Octets of a message that is not published yet may be among them. None: the
    /// writer is just going on in other memory, so look again.
    [[nodiscard]] std::optional<traffic> look_at_written() const noexcept
    {
        const std::uint64_t messages = account_.look_at_written();
        const auto octets = octets_.octets_at([this] { return window_.at(); });
        if (!octets) return std::nullopt;
        return traffic{messages, *octets};
    }

    /// For the reader's side, while it has the tail marked (reclaim.cpp).
    [[nodiscard]] write_window& window() noexcept { return window_; }

private:
    friend struct lane_writer_test_access;

    enum class stage : std::uint8_t { between_messages, in_message, closed };
    /// A large body that is written and not published. dont_wait: see outgoing.
    enum class large : std::uint8_t { none, may_wait, dont_wait };

    // Holds the tail while the writer does more with it than to add to its octets.
    class tail_held {
    public:
        explicit tail_held(lane_writer& w) noexcept : w_(w) { w.take_tail(); }
        ~tail_held()
        {
            invariant([this] { return w_.has_tail(); });
            w_.give_tail();
        }
        tail_held(const tail_held&) = delete;
        tail_held& operator=(const tail_held&) = delete;

    private:
        lane_writer& w_;
    };
    void take_tail() noexcept;
    [[nodiscard]] bool has_tail() const noexcept { return !lane_.tail.load(std::memory_order_relaxed); }
    void give_tail() noexcept { lane_.tail.store(chain_.tail(), std::memory_order_release); }

    void wrote_frame(bool more) noexcept
    {
        invariant([this] { return stage_ != stage::closed; });
        stage_ = more ? stage::in_message : stage::between_messages;
    }

    bool look_for_credit(bool waits = false) noexcept;
    bool look_under_octet_mark(bool room, bool waits) noexcept;
    [[nodiscard]] std::uint64_t uncredited_octets() const noexcept;
    [[nodiscard]] std::uint64_t octets_below_mark() const noexcept;
    [[nodiscard]] std::uint64_t published_octets() const noexcept;
    void charge_published() noexcept;
    [[nodiscard]] std::uint64_t unpublished_octets() const noexcept;
    void join_octet_marks() noexcept;
    void set_steps() noexcept;
    bool wait_for_credit() noexcept;
    bool write_slow(const outgoing& f) noexcept;
    bool make_room(std::size_t octets) noexcept;
    bool leave_body() noexcept;
    bool write_by_reference(const outgoing& f) noexcept;
    [[nodiscard]] bool has_unpublished() const noexcept;
    void drop_unpublished() noexcept;
    void drop_body(span* s) noexcept;
    void publish_slow() noexcept;
    void end_span(bool ends_message) noexcept;
    bool next_span(bool ends_message) noexcept;
    bool next_chunk(std::size_t need, bool ends_message) noexcept;
    void end_tail() noexcept;
    void start(span* s) noexcept;
    void forget_tail() noexcept;
    void set_mark() noexcept;

    // What a small message touches comes first. Sizes and order decide which lines of the cache that is.
    lane& lane_;
    write_window window_;     ///< if a claim fails, write_slow() looks why
    span_chain chain_;        ///< the tail is ended while chunk_ is empty
    credit_account account_;  ///< of messages published
    std::size_t reference_threshold_;
    std::size_t most_small_;  ///< the most octets that write_small() takes
    span_fill fill_;          ///< of the tail
    stage stage_ = stage::between_messages;
    bool reader_slept_ = false;  ///< and had read everything, since the last chunk began
    large large_ = large::none;
    // The rest, once for each span, chunk or large body.
    chunk_plan plan_;
    open_chunk chunk_;  ///< of the tail while that is open
    message::metadata* pending_metadata_ = nullptr;
    std::uint64_t large_written_ = 0;
    late_body late_;
    octet_base octets_;  ///< written; the address is that of window_
};

}  // namespace zlink::pipe
