// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/lane_reader.hpp"

#include "pipe/queue_cap.hpp"
#include "pipe/relay.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace zlink::pipe {

lane::~lane()
{
    invariant([this] { return tail.load(std::memory_order_relaxed) != nullptr; });  // no writer is at it
    invariant([this] { return !sentinel.begin && !closing.begin; });
    for (span* s = head; s;) {
        span* after = s->next.load(std::memory_order_acquire);
        release_span(s);
        s = after;
    }
}

lane_reader::lane_reader(lane& shared, std::uint64_t hwm) noexcept
    : lane_(shared),
      current_(&shared.sentinel),
      resume_{&shared.sentinel}
{
    shared.credit_step.store(credit_step(hwm), std::memory_order_relaxed);
}

lane_reader::~lane_reader()
{
    if (metadata_) metadata_->release();
}

void lane_reader::tell_writer(load::fence_learning::change of) noexcept
{
    using change = load::fence_learning::change;
    if (of == change::use) lane_.fenced.store(true, std::memory_order_seq_cst);
    if (of == change::spare) lane_.fenced.store(false, std::memory_order_relaxed);
}

// A step is over. Under a mark in octets or a cap, that is asked after each message.
bool lane_reader::give_due_credit() noexcept
{
    if (step() != 0) return give_credit();
    if (lane_.charge) lane_.charge->note_read(octets_read());
    // Octets of a message that was cut may have come back (rewind()): less than nothing is due.
    const auto octets = std::int64_t(octets_read() - lane_.octets_credited.load(std::memory_order_relaxed));
    const bool due = octets >= std::int64_t(lane_.octets.octet_step.load(std::memory_order_relaxed)) ||
                     messages_read() - credited_ >= lane_.octets.message_step.load(std::memory_order_relaxed);
    return due && give_credit();
}

bool lane_reader::give_credit() noexcept
{
    tell_writer(fences_.reads_on(messages_read()));
    // From step to step, though octet mode counts several messages at once: the writer ends its spans there.
    invariant([this] { return messages_read() >= lane_.credited.load(std::memory_order_relaxed); });
    std::uint64_t messages = step();  // once: the writer may be changing it
    if (messages == 0) messages = lane_.octets.message_step.load(std::memory_order_relaxed);
    credited_ = messages_read() - messages_read() % messages;
    lane_.octets_credited.store(octets_read(), std::memory_order_relaxed);
    lane_.credited.store(messages_read(), std::memory_order_release);
    return take_waiting();
}

bool lane_reader::offer_room(std::uint64_t then) noexcept
{
    invariant([this] { return octets_; });
    lane_.being_written.store(then, std::memory_order_release);
    return take_waiting();
}

// Called after a store that makes room.
bool lane_reader::take_waiting() noexcept
{
    asymmetric_fence::full_fence();  // partner: lane_writer::wait_for_credit()
    return lane_.writer_waiting.load(std::memory_order_relaxed) &&
           lane_.writer_waiting.exchange(false, std::memory_order_acq_rel);
}

void lane_reader::count_large(std::size_t octets) noexcept
{
    if (octets == 0) return;
    lane_.bytes_read.store(lane_.bytes_read.load(std::memory_order_relaxed) + octets, std::memory_order_relaxed);
}

void lane_reader::drop_body() noexcept
{
    message::buffer* const owner = current_->body.owner;
    invariant([owner] { return owner != nullptr; });
    count_large(current_->body.large_size());
    passed_.add(current_->body.size);
    current_->body.end();
    owner->release();
}

// Frees whole spans before `s`, of which all messages are done with and counted.
void lane_reader::free_head_until(span* s) noexcept
{
    std::size_t body_bytes = 0;
    while (lane_.head != s) {
        span* done = lane_.head;
        lane_.head = done->next.load(std::memory_order_relaxed);
        body_bytes += done->body.large_size();
        release_span(done);
    }
    count_large(body_bytes);
}

// As free_head_until(), in frame mode: counts their messages. The reader has come from the first of them.
void lane_reader::release_head_until(span* s) noexcept
{
    for (const span* done = lane_.head; done != s; done = done->next.load(std::memory_order_relaxed)) {
        read_.add(done->messages - std::exchange(counted_, 0u));
    }
    free_head_until(s);
}

void lane_reader::enter(span* s) noexcept
{
    current_ = s;
    limit_ = s->begin;
    passed_.jump(cursor_, s->begin, [&] { move_to(s->begin); });
    read_.end_part();
    body_sent_ = 0;
    if (s->metadata) {
        if (metadata_) metadata_->release();
        metadata_ = std::exchange(s->metadata, nullptr);
    }
    if (s == &lane_.closing) closed_ = true;
}

// Links what a relay has behind the last span. The relay is not looked at before the last span was read.
bool lane_reader::link_newest() noexcept
{
    if (!lane_.from || closed_) return false;
    invariant([this] { return !conflates() || lane_.head == current_; });  // no other span of it is in use
    span* s = lane_.from->take();
    if (s) current_->next.store(s, std::memory_order_relaxed);  // only this thread touches that chain
    return s != nullptr;
}

bool lane_reader::conflates() const noexcept
{
    return lane_.from && lane_.from->keeps_newest_alone();
}

void lane_reader::skip_to_newest() noexcept
{
    incoming stale;
    if (cursor_ == limit_ || !conflates() || lane_.from->waiting() == 0) return;
    if (next(stale)) (void)pop(stale);  // no writer waits for credit of such a lane
}

// Enters the span behind a finished one, if there is one.
bool lane_reader::next_span() noexcept
{
    if (cursor_ != current_->end.load(std::memory_order_acquire)) return false;
    span* s = current_->next.load(std::memory_order_acquire);
    if (!s) {
        if (!link_newest()) return false;
        s = current_->next.load(std::memory_order_relaxed);
    }
    enter(s);
    return true;
}

// Finds more visible octets in frame mode.
bool lane_reader::advance() noexcept
{
    while (true) {
        limit_ = current_->published.load(std::memory_order_acquire);
        if (limit_ != cursor_) {
            ended_at_ = current_->end.load(std::memory_order_relaxed) == limit_ ? limit_ : nullptr;
            return true;
        }
        if (!next_span()) return false;
        release_head_until(current_);
    }
}

bool lane_reader::has_news() const noexcept
{
    const span* s = current_;
    const std::byte* at = cursor_;
    std::size_t body_sent = body_sent_;
    while (true) {
        if (s->published.load(std::memory_order_acquire) != at) return true;
        if (s->end.load(std::memory_order_acquire) != at) return false;
        if (s->body.there() && octets_ && body_sent < s->body.size) return true;
        s = s->next.load(std::memory_order_acquire);
        if (!s) return lane_.from && !closed_ && (lane_.from->waiting() != 0 || lane_.from->has_ended());
        if (s == &lane_.closing) return !closed_;
        at = s->begin;
        body_sent = 0;
    }
}

std::uint64_t lane_reader::messages_waiting() const noexcept
{
    std::uint64_t n = 0;
    const span* s = current_;
    const std::byte* at = cursor_;
    while (true) {
        const std::byte* visible = s->published.load(std::memory_order_acquire);
        while (at != visible) {
            const message::frame_header h = message::decode_header(at);
            at += h.size;
            // The body of a span's last frame may lie outside the span.
            if (h.body_size <= std::uint64_t(visible - at)) at += h.body_size;
            if (!(h.flags & message::flag_more)) ++n;
        }
        if (at != s->end.load(std::memory_order_acquire)) return n;
        s = s->next.load(std::memory_order_acquire);
        if (!s) return n + (lane_.from ? lane_.from->waiting() : 0);
        at = s->begin;
    }
}

}  // namespace zlink::pipe
