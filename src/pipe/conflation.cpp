// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/conflation.hpp"

#include "base/many_octets.hpp"
#include "pipe/lane_writer.hpp"

#include <new>
#include <utility>

namespace zlink::pipe {

namespace {

// An unread message keeps at most this much memory in addition to its own octets, or eight times those.
constexpr std::size_t small_chunk = 4 * 1024;

bool pins_little(const incoming& f) noexcept
{
    return f.owner->capacity() <= small_chunk || f.size >= f.owner->capacity() / 8;
}

}  // namespace

conflation::conflation() noexcept : read(this), from_(written, 0)
{
    (void)from_.go_dormant();
}

conflation::~conflation()
{
    const std::uintptr_t entry = newest_.load(std::memory_order_acquire);
    if (entry & unread) release_span(&cell_of(entry)->s);
}

bool conflation::pass(lane_writer& writer) noexcept
{
    incoming f;
    bool any = false;
    const std::uint64_t messages = from_.messages_waiting();
    const std::uint64_t octets_before = from_.octets_read();
    for (std::uint64_t left = messages; from_.next(f); (void)from_.pop(f)) {
        if (f.more || --left != 0) continue;
        keep(f);
        any = true;
    }
    // This thread is both sides of the lane: no fence is needed, and no other thread has to be told.
    written.credited.store(from_.messages_read(), std::memory_order_relaxed);
    if (from_.chunk_size() > small_chunk && from_.begin_reclaim(writer.window())) {
        (void)from_.end_reclaim(writer.window(), true);
    }
    if (!from_.dormant()) (void)from_.go_dormant();
    if (!any) return false;
    traffic lost{messages - 1, from_.octets_read() - octets_before - octets_of(*mine_)};
    const std::uintptr_t fresh = reinterpret_cast<std::uintptr_t>(mine_) | unread;
    const std::uintptr_t old = newest_.exchange(fresh, std::memory_order_acq_rel);
    mine_ = cell_of(old);
    invariant([&] { return mine_ != cell_of(fresh); });
    if (old & unread) {
        lost += {1, octets_of(*mine_)};
        release_span(&mine_->s);
    }
    replaced_.add(lost);
    return read.reader_sleeps() && read.take_wake();
}

// Makes a span of the frame, in the writer's cell. It needs no memory, but allocates some if it would otherwise keep a
// large chunk.
void conflation::keep(const incoming& f) noexcept
{
    span* s = new (&mine_->s) span;
    std::byte* end = mine_->header;
    s->begin = end;
    s->messages = 1;
    if (f.by_reference) {
        end += message::encode_header(end, 0, f.size);
        f.owner->add_ref();
        s->body.set(f.owner, f.data, f.size);
        s->body.shared = f.shared;
    } else {
        auto* const start = const_cast<std::byte*>(from_.position());
        const auto size = std::size_t(f.data - start) + f.size;
        message::buffer* copy = pins_little(f) ? nullptr : message::buffer::allocate(size);
        if (copy) {
            s->begin = copy->data();
            copy_many_octets(copy->data(), start, size);
        } else {
            s->begin = start;
            f.owner->add_ref();
        }
        end = s->begin + size;
        s->chunk = copy ? copy : f.owner;
        s->releases_chunk = true;
    }
    if (f.metadata) {
        f.metadata->add_ref();
        s->metadata = f.metadata;
    }
    s->published.store(end, std::memory_order_relaxed);
    s->end.store(end, std::memory_order_relaxed);
}

// Of a cell with a message.
std::uint64_t conflation::octets_of(const cell& c) noexcept
{
    const std::byte* const end = c.s.end.load(std::memory_order_relaxed);
    return std::uint64_t(end - c.s.begin) + (c.s.body.there() ? c.s.body.size : 0);
}

span* conflation::take() noexcept
{
    const bool ended = has_ended();  // first, as the newest comes before the end
    if (newest_.load(std::memory_order_relaxed) & unread) {
        const auto left = reinterpret_cast<std::uintptr_t>(spare_);
        cell* const fresh = cell_of(newest_.exchange(left, std::memory_order_acq_rel));
        spare_ = std::exchange(given_, fresh);
        invariant([this] { return given_ != spare_; });
        return &fresh->s;
    }
    return ended ? &read.closing : nullptr;
}

}  // namespace zlink::pipe
