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
    const bool at_boundary = !in_message();
    plan_.cap(largest_copied_chunk);
    if (chunk_ && chain_.tail()->body.in_use() && !next_span(at_boundary) && !next_chunk(octets, at_boundary)) {
        return false;
    }
    return (chunk_ && chunk_.has_room(window_.at(), octets)) || next_chunk(octets, at_boundary);
}

bool lane_writer::append_copy(const std::byte* begin, const std::byte* end, std::uint32_t messages) noexcept
{
    const auto size = std::size_t(end - begin);
    {
        const tail_held hold(*this);
        if (!make_room(size)) return false;
        window_.move_to(window_.at() + size);
    }
    copy_many_octets(window_.at() - size, begin, size);
    wrote_frame(messages == 0);
    if (messages) publish_all(messages);
    return true;
}

void lane_writer::append_span(message::buffer* chunk, void* place, std::byte* begin, std::byte* messages_end,
                              std::byte* end, std::uint32_t messages, message::buffer* body, std::byte* body_data,
                              std::size_t body_size) noexcept
{
    take_tail();
    if (chunk_) {
        chain_.tail()->releases_chunk = true;
        end_span(!in_message());
        forget_tail();
        plan_.start_small();
    }
    auto* s = new (place) span;
    s->begin = begin;
    s->published.store(begin, std::memory_order_relaxed);
    s->end.store(end, std::memory_order_relaxed);
    s->chunk = chunk;
    s->releases_chunk = true;
    s->messages = messages;
    s->ends_message = messages_end == end;
    if (body) s->body.set(body, body_data, body_size);
    s->metadata = std::exchange(pending_metadata_, nullptr);
    large_written_ += body_size;
    octets_.add(std::uint64_t(end - begin) + body_size);
    wrote_frame(messages_end != end);
    chain_.link(s);
    invariant([this] { return has_tail(); });
    give_tail();
    if (messages) {
        account_.write(messages);
        chain_.show(messages_end);
    }
}

void lane_writer::rollback() noexcept
{
    const tail_held hold(*this);
    drop_unpublished();
}

bool lane_writer::has_unpublished() const noexcept
{
    if (in_message() || !chain_.shows_tail()) return true;
    return chunk_ && chain_.tail()->published.load(std::memory_order_relaxed) != window_.at();
}

void lane_writer::drop_body(span* s) noexcept
{
    if (!s->body.there()) return;
    large_written_ -= s->body.large_size();
    octets_.take_back(s->body.size);
    s->body.drop();
}

// As drop_unpublished() would take back.
std::uint64_t lane_writer::unpublished_octets() const noexcept
{
    const auto of_body = [](const span* s) { return s->body.there() ? s->body.size : 0; };
    const span* s = chain_.visible();
    const std::byte* from = s->published.load(std::memory_order_relaxed);
    std::uint64_t octets = 0;
    while (true) {
        const std::byte* const ended = s->end.load(std::memory_order_relaxed);
        const std::byte* const to = ended || s != chain_.tail() ? ended : window_.at();
        // The body of a visible span that is shown to its end is published, too.
        if (to != from) octets += std::uint64_t(to - from) + of_body(s);
        s = s->next.load(std::memory_order_relaxed);
        if (!s) return octets;
        from = s->begin;
    }
}

void lane_writer::drop_unpublished() noexcept
{
    if (!has_unpublished()) return;
    stage_ = stage::between_messages;
    large_ = large::none;
    late_ = {};
    span* keep = chain_.visible();
    std::byte* visible = keep->published.load(std::memory_order_relaxed);
    if (chain_.shows_tail() && chunk_) {
        drop_body(keep);
        window_.move_to(visible);
        window_.open(chunk_.top());
        set_mark();
        return;
    }
    std::byte* const kept_end = keep->end.load(std::memory_order_relaxed);
    if (kept_end != visible) drop_body(keep);
    if (kept_end) octets_.take_back(std::uint64_t(kept_end - visible));
    for (span* s = keep->next.load(std::memory_order_relaxed); s;) {
        span* after = s->next.load(std::memory_order_relaxed);
        drop_body(s);
        const std::byte* const end = s->end.load(std::memory_order_relaxed);
        octets_.take_back(std::uint64_t((end ? end : window_.at()) - s->begin));
        if (s->metadata) s->metadata->release();
        message::buffer* chunk = s->releases_chunk ? s->chunk : (s == chain_.tail() ? chunk_.buffer() : nullptr);
        if (chunk && chunk == keep->chunk && !keep->releases_chunk) {
            keep->releases_chunk = true;
        } else if (chunk) {
            chunk->release();
        }
        s = after;
    }
    keep->ends_message = true;
    keep->next.store(nullptr, std::memory_order_relaxed);
    keep->end.store(visible, std::memory_order_release);
    chain_.restart(keep);
    forget_tail();
}

}  // namespace zlink::pipe
