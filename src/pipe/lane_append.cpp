// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How octets that came encoded go into a lane, and how unpublished octets come out of it again.
#include "base/many_octets.hpp"
#include "pipe/lane_writer.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::pipe {

namespace {

// The limit for copies of octets from small reads: the last chunk stays when the connection falls idle.
constexpr std::size_t largest_copied_chunk = 4 * 1024 - 128;

}  // namespace

// Makes room for octets of frames in the tail: in a new span if a body closes the last one.
bool lane_writer::make_room(std::size_t octets) noexcept
{
    const bool at_boundary = !in_message_;
    next_chunk_size_ = std::min(next_chunk_size_, largest_copied_chunk);
    if (chunk_ && tail_->body.in_use() && !next_span(at_boundary) && !next_chunk(octets, at_boundary)) return false;
    return (chunk_ && std::size_t(chunk_top_ - cursor_) >= octets) || next_chunk(octets, at_boundary);
}

bool lane_writer::append_copy(const std::byte* begin, const std::byte* end, std::uint32_t messages) noexcept
{
    const auto size = std::size_t(end - begin);
    {
        const tail_held hold(*this);
        if (!make_room(size)) return false;
        cursor_ = cursor_ + size;
    }
    copy_many_octets(cursor_ - size, begin, size);
    in_message_ = messages == 0;
    if (messages) publish_all(messages);
    return true;
}

void lane_writer::append_span(message::buffer* chunk, void* place, std::byte* begin, std::byte* messages_end,
                              std::byte* end, std::uint32_t messages, message::buffer* body, std::byte* body_data,
                              std::size_t body_size) noexcept
{
    take_tail();
    if (chunk_) {
        tail_->releases_chunk = true;
        seal(!in_message_);
        forget_tail();
        next_chunk_size_ = first_chunk_size;  // of the next one, too, little may be used
    }
    auto* s = new (place) span;
    s->begin = begin;
    s->published.store(begin, std::memory_order_relaxed);
    s->end.store(end, std::memory_order_relaxed);
    s->chunk = chunk;
    s->releases_chunk = true;
    s->messages = messages;
    s->ends = messages_end == end ? span_end::message : span_end::frame;
    if (body) s->body.set(body, body_data, body_size);
    s->metadata = std::exchange(pending_metadata_, nullptr);
    large_written_ += body_size;
    in_message_ = messages_end != end;
    link(s);
    invariant([this] { return has_tail(); });
    give_tail();
    if (messages) {
        written_ += messages;
        publish_chain(messages_end);
    }
}

void lane_writer::rollback() noexcept
{
    const tail_held hold(*this);
    drop_unpublished();
}

bool lane_writer::has_unpublished() const noexcept
{
    if (in_message_ || published_span_ != tail_) return true;
    return chunk_ && tail_->published.load(std::memory_order_relaxed) != cursor_;
}

void lane_writer::drop_unpublished() noexcept
{
    if (!has_unpublished()) return;
    in_message_ = false;
    large_ = false;
    late_ = nullptr;
    span* keep = published_span_;
    std::byte* visible = keep->published.load(std::memory_order_relaxed);
    const auto drop_body = [this](span* s) {
        if (!s->body.there()) return;
        large_written_ -= s->body.large_size();
        s->body.drop();
    };
    if (keep == tail_ && chunk_) {
        drop_body(keep);
        cursor_ = visible;
        top_ = chunk_top_;
        seal_at_ = next_mark();
        return;
    }
    if (keep->end.load(std::memory_order_relaxed) != visible) drop_body(keep);
    message::buffer* open_chunk = chunk_;
    for (span* s = keep->next.load(std::memory_order_relaxed); s;) {
        span* after = s->next.load(std::memory_order_relaxed);
        drop_body(s);
        if (s->metadata) s->metadata->release();
        message::buffer* chunk = s->releases_chunk ? s->chunk : (s == tail_ ? open_chunk : nullptr);
        if (chunk && chunk == keep->chunk && !keep->releases_chunk) {
            keep->releases_chunk = true;
        } else if (chunk) {
            chunk->release();
        }
        s = after;
    }
    keep->ends = span_end::message;
    keep->next.store(nullptr, std::memory_order_relaxed);
    keep->end.store(visible, std::memory_order_release);
    tail_ = published_span_ = keep;
    forget_tail();
}

}  // namespace zlink::pipe
