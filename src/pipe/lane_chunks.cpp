// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where a lane's octets lie: how lane_writer ends its tail and goes on behind it, in the same chunk or in a new one.
#include "pipe/lane_writer.hpp"

#include <utility>

namespace zlink::pipe {

// Makes the tail constant. The lane's reference of the chunk goes with its last span.
void lane_writer::end_span(bool ends_message) noexcept
{
    span* const tail = chain_.tail();
    std::byte* const end = window_.at();
    // The reader does not reclaim the tail meanwhile.
    invariant([&] { return has_tail() || tail->published.load(std::memory_order_relaxed) != end; });
    tail->messages = fill_.take();
    tail->ends_message = ends_message;
    tail->end.store(end, std::memory_order_release);
}

void lane_writer::start(span* s) noexcept
{
    s->begin = window_.at();
    s->chunk = chunk_.buffer();
    s->metadata = std::exchange(pending_metadata_, nullptr);
    s->published.store(window_.at(), std::memory_order_relaxed);
    set_mark();
    chain_.link(s);
    window_.open(chunk_.top());
}

void lane_writer::set_mark() noexcept
{
    fill_.end_at(plan_.end_at(fill_.messages(), account_.written(), credit_step(account_.hwm())));
}

// Goes on behind an ended tail in the same chunk. False when the chunk has no room for it (nothing changed).
bool lane_writer::next_span(bool ends_message) noexcept
{
    if (!chunk_ || !chunk_.has_room(window_.at(), span_room)) return false;
    span* const s = chunk_.place_span();
    end_span(ends_message);
    start(s);
    return true;
}

// Goes on in a new chunk that has room for `need` octets and one more span. False when memory is short.
bool lane_writer::next_chunk(std::size_t need, bool ends_message) noexcept
{
    message::buffer* const fresh = message::buffer::allocate(plan_.size_for(need, credit_step(account_.hwm())));
    if (!fresh) return false;
    plan_.chunk_made(std::exchange(reader_slept_, false));
    if (chunk_) {
        chain_.tail()->releases_chunk = true;
        end_span(ends_message);
    }
    chunk_.begin(fresh);
    octets_.jump(window_.at(), fresh->data(), [&] { window_.move_to(fresh->data()); });
    start(chunk_.place_span());
    return true;
}

// After a message: makes the tail constant and goes on behind it. If memory for the next span is short, the tail is the
// last span for now, and the next write tries again.
void lane_writer::end_tail() noexcept
{
    if (next_span(true) || next_chunk(0, true)) return;
    chain_.tail()->releases_chunk = true;
    end_span(true);
    forget_tail();
}

void lane_writer::forget_tail() noexcept
{
    chunk_.forget();
    octets_.jump(window_.at(), nullptr, [this] { window_.forget(); });
    (void)fill_.take();
}

}  // namespace zlink::pipe
