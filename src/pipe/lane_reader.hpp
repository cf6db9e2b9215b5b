// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reading end of a lane. One thread at a time. Two ways out: frame by frame (next/pop: application threads and
// transcoding writers), or as octets for the kernel (gather/commit: connection writers). Octet mode keeps a message's
// memory until all of it is committed, so that rewind() can send it whole on another connection.
#pragma once

#include "base/asymmetric_fence.hpp"
#include "base/invariant.hpp"
#include "load/fence_learning.hpp"
#include "message/frame_header.hpp"
#include "pipe/lane.hpp"
#include "pipe/lane_traffic.hpp"
#include "pipe/octet_base.hpp"
#include "pipe/taken_messages.hpp"

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace zlink::pipe {

/// A frame inside a lane; valid until pop().
struct incoming {
    std::byte* data;
    std::size_t size;
    bool more;
    bool by_reference;            ///< `owner` holds just this body
    bool shared;                  ///< then: other frames may hold it as well
    message::buffer* owner;       ///< keeps `data` alive; a holder adds its own reference
    message::metadata* metadata;  ///< may be null
};

class write_window;

/// Has other octets for a frame whose body is by reference.
class frame_substitutes {
public:
    /// `header`: of the frame, whole; the body lies elsewhere. `before`: octets that go out before it. Empty: the frame
    /// goes out as it is. The octets stay where they are until the next gather().
    [[nodiscard]] virtual std::span<const std::byte> in_place_of(const std::byte* header, const span_body& body,
                                                                 std::size_t before) noexcept = 0;
    /// Part of the frame with this header has gone out as it is, so the rest follows.
    virtual void not_in_place_of(const std::byte* header) noexcept = 0;

protected:
    ~frame_substitutes() = default;
};

struct place_in_lane {
    span* in;
    std::byte* at = nullptr;
};

class lane_reader {
public:
    lane_reader(lane& shared, std::uint64_t hwm) noexcept;
    ~lane_reader();
    lane_reader(const lane_reader&) = delete;
    lane_reader& operator=(const lane_reader&) = delete;

    /// Whether a whole message (or the rest of one) is there. Looks at memory only.
    [[nodiscard]] bool readable() noexcept { return cursor_ != limit_ || advance(); }

    /// The next frame, without taking it. False: nothing there now (or the lane is closed).
    [[nodiscard]] bool next(incoming& f) noexcept
    {
        if (cursor_ == limit_ && !advance()) return false;
        show(cursor_, f);
        return true;
    }

    /// A whole message of two frames, without taking it: `first` and what pop() takes, `last`. False: the next message
    /// is not like this, or lies in several pieces of memory; next() shows its first frame.
    [[nodiscard]] bool next_pair(std::span<const std::byte>& first, incoming& last) noexcept
    {
        if (cursor_ == limit_ && !advance()) return false;
        const message::frame_header h = message::decode_header(cursor_);
        std::byte* const body = cursor_ + h.size;
        // Of a body by reference, and of a frame at the end of a span, nothing is known to follow here.
        if (!(h.flags & message::flag_more) || h.body_size >= std::size_t(limit_ - body)) return false;
        first = {body, std::size_t(h.body_size)};
        show(body + h.body_size, last);
        return !last.more;
    }

    /// As next(), for a message of one frame with at most `room` octets, if next() and take_shown() need only a few
    /// loads and stores. Null: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] std::span<const std::byte> show_at_once(std::size_t room) const noexcept
    {
        const std::byte* const at = cursor_;
        if (at == limit_) return {};
        std::size_t size = message::decode_plain_header(at);
        const std::byte* body = at + message::short_header_size;
        if (size > message::max_short_body) {
            if (std::uint8_t(*at) != message::flag_long) return {};
            size = std::size_t(load_be64(at + 1));
            body = at + message::long_header_size;
        }
        if (size > room) return {};
        // At the end of an ended span pop() has to leave the span.
        const auto visible = std::size_t(limit_ - body);
        if (size >= visible && (size > visible || limit_ == ended_at_)) return {};
        if (messages_read() + 1 - credited_ >= step()) return {};
        return {body, size};
    }

    /// Takes the octets that show_at_once() showed. The octets stay where they are until the lane is looked at again.
    [[gnu::always_inline]] void take_shown(std::span<const std::byte> shown) noexcept
    {
        invariant([&] { return cursor_ < shown.data() && shown.data() + shown.size() <= limit_ && !octets_; });
        move_to(const_cast<std::byte*>(shown.data()) + shown.size());
        __builtin_prefetch(cursor_ + cache_line);  // as in pop()
        read_.add(1);
        ++counted_;
    }

    /// show_at_once() and take_shown() in one.
    [[nodiscard]] [[gnu::always_inline]] std::span<const std::byte> take_at_once(std::size_t room) noexcept
    {
        const auto shown = show_at_once(room);
        if (shown.data()) [[likely]]
            take_shown(shown);
        return shown;
    }

    /// Of the frame that next() would show, once readable().
    [[nodiscard]] message::metadata* metadata() const noexcept { return metadata_; }

    /// Takes the frame that next() showed. True: the writer waits for the credit this gave; tell it.
    [[nodiscard]] bool pop(const incoming& f) noexcept
    {
        invariant([this] { return cursor_ < frame_end_ && frame_end_ <= limit_ && !octets_; });
        move_to(frame_end_);
        // A thread that reads many lanes in turn finds the next message in the cache when it comes back to this lane.
        __builtin_prefetch(cursor_);
        __builtin_prefetch(cursor_ + cache_line);
        if (f.by_reference) [[unlikely]]
            drop_body();
        if (f.more) return false;
        ++counted_;
        read_.add(1);
        if (cursor_ == ended_at_) [[unlikely]]
            reclaim_ended();
        return messages_read() - credited_ >= step() && give_due_credit();
    }

    /// For a thread that reads from many lanes in turn. Called before it handles the other lanes: prefetches the data
    /// that next() and pop() are going to touch.
    void prefetch() const noexcept
    {
        __builtin_prefetch(this, 1);
        __builtin_prefetch(&read_, 1);
    }

    /// Everything was read and the writer has closed. True from the first next()/readable() that finds this.
    [[nodiscard]] bool closed() const noexcept { return closed_; }

    /// Whether a look would find anything new: octets, or the end of the lane. Changes nothing; for both modes.
    [[nodiscard]] bool has_news() const noexcept;

    /// Announces that the reader will not look again until told. The caller runs a fence and then looks a last time
    /// (has_news()); if there is something, it calls wake_up(). True: the writer uses real fences, so a full fence
    /// does; else it has to be a heavy one.
    bool go_dormant() noexcept
    {
        // Before the lane is dormant: the heavy fence that follows makes a switch visible to the writer.
        tell_writer(fences_.sleeps(messages_read()));
        const bool full_fence_does = fences_.full_fence_does();
        lane_.reader_dormant.store(true, std::memory_order_seq_cst);
        return full_fence_does;
    }
    /// Takes the announcement back. False: the writer took it already; its notification is on the way.
    bool wake_up() noexcept
    {
        return lane_.reader_dormant.load(std::memory_order_relaxed) &&
               lane_.reader_dormant.exchange(false, std::memory_order_acq_rel);
    }
    [[nodiscard]] bool dormant() const noexcept { return lane_.reader_dormant.load(std::memory_order_relaxed); }
    /// The writer pays for the fence from now on; for readers that go dormant all the time.
    void use_fences() noexcept
    {
        fences_.always();
        tell_writer(load::fence_learning::change::use);
    }

    // Octet mode -----------------------------------------------------------------------------------------------------

    struct gathered {
        int count = 0;               ///< entries of the array used
        std::size_t bytes = 0;       ///< in the lane
        bool large = false;          ///< has a body by reference
        bool at_boundary = true;     ///< all of it written: the stream stands between two messages
        std::uint64_t messages = 0;  ///< that commit() counts if all of it is written
    };

    /// Starts octet mode at the current message boundary.
    void begin_octets() noexcept;
    /// Back to frame mode, at the last message boundary.
    void end_octets() noexcept
    {
        if (octets_) rewind();
        octets_ = false;
    }

    /// Describes up to `max_bytes` of the visible octets; at least one octet if there is any. Nothing is taken. A batch
    /// that begins with a large frame stops behind `max_after_large` octets of others. `others`: null if all frames go
    /// out as they are.
    [[nodiscard]] gathered gather(iovec* to, int max_count, std::size_t max_bytes, std::size_t max_after_large,
                                  frame_substitutes* others = nullptr) noexcept;

    /// The first `n` octets of the last gather are written, whether they end with a frame or not. A writer that sends
    /// other octets in their place commits frame by frame, as those are accepted. True: the writer waits for the credit
    /// this gave; tell it.
    [[nodiscard]] bool commit(std::size_t n) noexcept;

    /// Called before the write of `messages` that commit() is going to count. They make room for others until
    /// write_fell_short(), or until commit() gives credit for them. So there is room by the time the peer can have
    /// answered, whichever thread reads the answer. True: the writer waits for this room; tell it before the write.
    [[nodiscard]] bool begin_write(std::uint64_t messages) noexcept
    {
        const std::uint64_t then = messages_read() + messages;
        return then - credited_ >= step() && offer_room(then);
    }
    /// The write has taken less than begin_write() said.
    void write_fell_short() noexcept { lane_.being_written.store(0, std::memory_order_relaxed); }
    /// The kernel takes no more for now: whole messages that it has taken of the current span are shown to looks.
    void note_taken() noexcept;
    /// Messages that commit(n) would count.
    [[nodiscard]] std::uint64_t messages_in(std::size_t n) const noexcept;

    /// Goes back to the beginning of the message that was cut by the loss of a connection.
    void rewind() noexcept;

    enum class boundary : std::uint8_t { message, frame };
    /// Octets to commit until a message, or a frame, ends; 0: one has just ended. Walks the frames of the message.
    [[nodiscard]] std::size_t octets_to(boundary what) const noexcept;

    // Reclaiming: memory of a lane in which everything was read is freed, though the writer would go on in it ---------

    /// Octets of the chunk that the reader is in.
    [[nodiscard]] std::size_t chunk_size() const noexcept { return current_->chunk ? current_->chunk->capacity() : 0; }
    /// Where the reader is; any change means that something was read.
    [[nodiscard]] const std::byte* position() const noexcept { return cursor_; }

    /// True: everything was read, and the chunk is reclaimed unless the writer is writing. end_reclaim() has to
    /// follow, after asymmetric_fence::barrier(). Several lanes can share one barrier.
    [[nodiscard]] bool begin_reclaim(write_window& writer) noexcept;
    /// `fenced`: the barrier was given. True: the writer waits for the credit this gave; tell it.
    [[nodiscard]] bool end_reclaim(const write_window& writer, bool fenced) noexcept;

    /// Asks the writer to change its high-water mark; it has to be told (event_hwm). Any thread that is the only one to
    /// ask.
    void request_hwm(std::uint64_t hwm) noexcept
    {
        lane_.requested_hwm.store(std::int64_t(hwm), std::memory_order_release);
    }
    /// As request_hwm(), for the reader's part of the mark in octets.
    void request_octet_mark(std::uint64_t octets) noexcept
    {
        lane_.octets.requested.store(std::int64_t(octets), std::memory_order_release);
    }

    /// Gives all credits now, whatever the step; true: tell the writer.
    [[nodiscard]] bool flush_credit() noexcept
    {
        // A changed mark has ended a span that was read while it was open.
        const bool told = octets_ && commit(0);
        return (owes_credit() && give_credit()) || told;
    }

    /// The lane is fed from a conflation: of its messages only the newest counts.
    [[nodiscard]] bool conflates() const noexcept;
    /// What the lane is fed from; null: from its writer alone.
    [[nodiscard]] relay* source() const noexcept { return lane_.from; }
    /// Then: a message that was looked at and not taken gives way to a newer one, if there is one.
    void skip_to_newest() noexcept;

    /// Whole messages that are there now, counted one by one (frame mode).
    [[nodiscard]] std::uint64_t messages_waiting() const noexcept;

    /// Messages taken so far; any change means something was received.
    [[nodiscard]] std::uint64_t messages_read() const noexcept { return read_.get(); }
    /// The octets of the frames taken so far, with their headers.
    [[nodiscard]] std::uint64_t octets_read() const noexcept { return passed_.octets(cursor_); }

    /// Any thread: what was taken so far. In octet mode, messages are counted at the end of their span, and by
    /// note_taken(). None: the reader is just going on in other memory, so look again.
    [[nodiscard]] std::optional<traffic> look_at_read() const noexcept
    {
        const std::uint64_t messages = read_.look();
        const auto at = [this] {
            return std::atomic_ref(const_cast<std::byte*&>(cursor_)).load(std::memory_order_relaxed);
        };
        const auto octets = passed_.octets_at(at);
        if (!octets) return std::nullopt;
        return traffic{messages, *octets};
    }

private:
    // Describes the frame whose header lies at `at`, in front of limit_.
    [[gnu::always_inline]] void show(std::byte* at, incoming& f) noexcept
    {
        const message::frame_header h = message::decode_header(at);
        std::byte* body = at + h.size;
        f.size = std::size_t(h.body_size);
        f.more = h.flags & message::flag_more;
        f.metadata = metadata_;
        if (f.size <= std::size_t(limit_ - body)) [[likely]] {
            f.data = body;
            f.by_reference = false;
            f.shared = false;
            f.owner = current_->chunk;
            frame_end_ = body + f.size;
        } else {
            f.data = current_->body.data;
            f.by_reference = true;
            f.shared = current_->body.shared;
            f.owner = current_->body.owner;
            frame_end_ = body;
        }
    }

    /// Relaxed: for look_at_read() alone, see octet_base.
    void move_to(std::byte* at) noexcept { std::atomic_ref(cursor_).store(at, std::memory_order_relaxed); }
    bool advance() noexcept;
    bool link_newest() noexcept;
    [[nodiscard]] bool has_octets() const noexcept;
    bool next_span() noexcept;
    void enter(span* s) noexcept;
    void free_head_until(span* s) noexcept;
    void release_head_until(span* s) noexcept;
    void count_large(std::size_t octets) noexcept;
    void drop_body() noexcept;
    [[nodiscard]] std::uint64_t step() const noexcept { return lane_.credit_step.load(std::memory_order_relaxed); }
    [[nodiscard]] bool owes_credit() const noexcept
    {
        return messages_read() != lane_.credited.load(std::memory_order_relaxed) ||
               octets_read() != lane_.octets_credited.load(std::memory_order_relaxed);
    }
    bool give_due_credit() noexcept;
    bool give_credit() noexcept;
    bool offer_room(std::uint64_t then) noexcept;
    bool take_waiting() noexcept;
    void reclaim_ended() noexcept;
    void return_to_sentinel() noexcept;
    [[nodiscard]] std::uint32_t messages_in_tail() const noexcept;
    void tell_writer(load::fence_learning::change of) noexcept;
    [[nodiscard]] span* position_boundary(std::byte*& at) const noexcept;
    [[nodiscard]] std::uint64_t octets_since(const span* s, const std::byte* at, std::size_t body_sent) const noexcept;

    lane& lane_;
    std::byte* cursor_ = nullptr;
    std::byte* limit_ = nullptr;  ///< visible up to here, as far as known
    std::byte* frame_end_ = nullptr;
    std::byte* ended_at_ = nullptr;  ///< limit_, if the span is known to end there; looked up with limit_, as the
                                     ///< writer's next store takes that line of the cache away
    span* current_;
    message::metadata* metadata_ = nullptr;  ///< owned reference
    taken_messages read_;
    std::uint64_t credited_ = 0;  ///< where the step began in which credit was given last
    std::uint32_t counted_ = 0;   ///< messages of current_ that are in read_ already
    bool closed_ = false;
    load::fence_learning fences_;
    // octet mode
    bool octets_ = false;
    std::size_t body_sent_ = 0;  ///< of current_'s body, once cursor_ is at its end
    place_in_lane resume_;       ///< a message boundary at or before the cursor
    octet_base passed_;          ///< the address is cursor_
};

}  // namespace zlink::pipe
