// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where a lane's octets lie: how lane_writer seals its tail and goes on behind it, in the same chunk or in a new one.
#include "pipe/lane_writer.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::pipe {

namespace {

// Chunks start small (first_chunk_size), so that a quiet connection costs little, and grow while traffic fills them.
constexpr std::size_t largest_chunk_size = 64 * 1024;

// Each chunk is larger than the last by this part of it. So the unused rest of the last chunk of a full queue is a
// small part of the whole. A busy lane is at the largest size after some forty chunks. A chunk in which the reader has
// slept was large enough: the reader had read everything then. So thirty lanes that are read empty between bursts fit
// in the cache together.
constexpr std::size_t growth = 8;

// About `wanted` octets, cut to hold a whole number of frames of `need` octets, and the spans that go with them.
std::size_t chunk_size(std::size_t wanted, std::size_t need, std::uint32_t messages_in_span,
                       std::uint64_t step) noexcept
{
    if (need == 0) return wanted;
    // At least two, so that the spans of small chunks take a small part.
    const std::size_t frames = std::max<std::size_t>(2, (wanted - 2 * span_room) / need);
    // The spans that end in between, where credit is due, count as well.
    const std::size_t cut_short = step > messages_in_span ? 1 + frames / step : 0;
    return frames * need + (2 + frames / messages_in_span + cut_short) * span_room;
}

std::byte* place_span_below(std::byte* top) noexcept
{
    const auto at = (reinterpret_cast<std::uintptr_t>(top) - sizeof(span)) & ~std::uintptr_t(alignof(span) - 1);
    return reinterpret_cast<std::byte*>(at);
}

}  // namespace

// Makes the tail constant. The lane's reference of the chunk goes with its last span.
void lane_writer::seal(bool ends_message) noexcept
{
    tail_->messages = span_messages_;
    tail_->ends = ends_message ? span_end::message : span_end::frame;
    tail_->end.store(cursor_, std::memory_order_release);
    span_messages_ = 0;
}

void lane_writer::start(span* s) noexcept
{
    s->begin = cursor_;
    s->chunk = chunk_;
    s->metadata = std::exchange(pending_metadata_, nullptr);
    s->published.store(cursor_, std::memory_order_relaxed);
    seal_at_ = next_mark();
    link(s);
}

// How many messages the tail may hold: up to the next one at which credit is given. A reader that counts by spans gives
// credit there.
std::uint32_t lane_writer::next_mark() const noexcept
{
    const std::uint64_t step = credit_step(hwm_);
    return std::uint32_t(std::min<std::uint64_t>(span_limit_, span_messages_ + step - written_ % step));
}

// Puts `s` behind the sealed tail. From then on the reader may leave (and free) the spans that are visible in full, so
// published_span_ is never one of those.
void lane_writer::link(span* s) noexcept
{
    if (published_span_ == tail_ &&
        tail_->published.load(std::memory_order_relaxed) == tail_->end.load(std::memory_order_relaxed)) {
        published_span_ = s;
    }
    tail_->next.store(s, std::memory_order_release);
    tail_ = s;
}

// Goes on behind a sealed tail in the same chunk. False when the chunk has no room for it (nothing changed).
bool lane_writer::next_span(bool ends_message) noexcept
{
    if (!chunk_ || std::size_t(chunk_top_ - cursor_) < span_room) return false;
    chunk_top_ = place_span_below(chunk_top_);
    auto* s = new (chunk_top_) span;
    seal(ends_message);
    start(s);
    top_ = chunk_top_;
    return true;
}

// Goes on in a new chunk that has room for `need` octets and one more span. False when memory is short.
bool lane_writer::next_chunk(std::size_t need, bool ends_message) noexcept
{
    // Chunks of equal size come back from the pool, also where a span rather than a frame finds no room.
    if (need != 0) usual_need_ = need;
    const std::size_t size = chunk_size(next_chunk_size_, usual_need_, span_limit_, credit_step(hwm_));
    message::buffer* fresh = message::buffer::allocate(size);
    if (!fresh) return false;
    if (!std::exchange(reader_slept_, false)) {
        next_chunk_size_ = std::min(next_chunk_size_ + next_chunk_size_ / growth, largest_chunk_size);
    }
    if (chunk_) {
        tail_->releases_chunk = true;
        seal(ends_message);
    }
    chunk_ = fresh;
    cursor_ = fresh->data();
    chunk_top_ = place_span_below(fresh->data() + fresh->capacity());
    auto* s = new (chunk_top_) span;
    start(s);
    top_ = chunk_top_;
    return true;
}

// After a message: makes the tail constant and goes on behind it. If memory for the next span is short, the tail is the
// last span for now, and the next write tries again.
void lane_writer::seal_tail() noexcept
{
    if (next_span(true) || next_chunk(0, true)) return;
    tail_->releases_chunk = true;
    seal(true);
    forget_tail();
}

void lane_writer::forget_tail() noexcept
{
    chunk_ = nullptr;
    cursor_ = nullptr;
    top_ = nullptr;
    chunk_top_ = nullptr;
    span_messages_ = 0;
}

}  // namespace zlink::pipe
