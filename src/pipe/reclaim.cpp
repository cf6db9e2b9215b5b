// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How a reader that has read everything reclaims the memory it is in, though the writer would go on there. So a lane
// that falls idle does not keep a burst's last chunk. Both start again at the lane's sentinel, as in a new lane.
//
// The reader alone reclaims an ended span (its octets came from a connection). The writer touches such a span only
// between an exchange of lane::tail and a store. It writes to an open span without an exchange; there the reader's side
// - marks the tail, so that an exchange of the writer's is noticed,
// - closes the writer's window, so that the next claim fails,
// - runs a barrier on all processors, and then looks at the window's position. The reader's side has seen every claim
//   that succeeded before. Later claims fail until the writer has taken the tail.
#include "base/asymmetric_fence.hpp"
#include "pipe/lane_reader.hpp"
#include "pipe/lane_writer.hpp"

#include <cstdint>
#include <utility>

namespace zlink::pipe {

namespace {

// Spans are aligned: the lowest bit is free.
span* marked(span* s) noexcept
{
    return reinterpret_cast<span*>(reinterpret_cast<std::uintptr_t>(s) | 1);
}

// False: the writer was faster. acquire, release: partner is the exchange of take_tail().
bool replace_tail(lane& l, span* expected, span* with) noexcept
{
    return l.tail.compare_exchange_strong(expected, with, std::memory_order_acq_rel, std::memory_order_relaxed);
}

}  // namespace

// acquire, release: partners are replace_tail(), and earlier takes.
void lane_writer::take_tail() noexcept
{
    const span* found = lane_.tail.exchange(nullptr, std::memory_order_acq_rel);
    invariant([found] { return found != nullptr; });  // else there are two writers
    if (found == &lane_.sentinel && chain_.tail() != found) {
        chain_.restart(&lane_.sentinel);
        forget_tail();
        plan_.start_small();
        return;
    }
    // The reader's side may have closed the window.
    if (chunk_) window_.open(chain_.tail()->body.in_use() ? window_.at() : chunk_.top());
}

void lane_reader::reclaim_ended() noexcept
{
    span* s = current_;
    if (octets_ || !s->chunk || s->next.load(std::memory_order_relaxed)) return;
    if (cursor_ != s->end.load(std::memory_order_acquire)) return;
    lane_.sentinel.next.store(nullptr, std::memory_order_relaxed);
    if (replace_tail(lane_, s, &lane_.sentinel)) return_to_sentinel();
}

bool lane_reader::begin_reclaim(write_window& writer) noexcept
{
    span* s = current_;
    if (!s->chunk || s->end.load(std::memory_order_acquire)) return false;
    if (cursor_ != s->published.load(std::memory_order_acquire)) return false;
    lane_.sentinel.next.store(nullptr, std::memory_order_relaxed);
    if (!replace_tail(lane_, s, marked(s))) return false;
    writer.close();
    return true;
}

bool lane_reader::end_reclaim(const write_window& writer, bool fenced) noexcept
{
    span* const s = current_;
    const bool unused = fenced && writer.unused_behind(cursor_);
    // Counted before the exchange: if the writer was faster, the reader owns nothing of the span after it.
    const std::uint32_t messages = unused ? messages_in_tail() : 0;
    if (!replace_tail(lane_, marked(s), unused ? &lane_.sentinel : s) || !unused) return false;
    read_.add(messages - std::exchange(counted_, 0u));
    s->messages = 0;
    s->releases_chunk = true;  // the writer's reference
    return_to_sentinel();
    return messages_read() - credited_ >= step() && give_due_credit();
}

// Messages that end in an open span in which all was read.
std::uint32_t lane_reader::messages_in_tail() const noexcept
{
    std::uint32_t n = 0;
    for (const std::byte* at = current_->begin; at != cursor_;) {
        const message::frame_header h = message::decode_header(at);
        at += h.size + std::size_t(h.body_size);
        n += !(h.flags & message::flag_more);
    }
    return n;
}

// The reader owns the tail: it goes on where a new lane begins.
void lane_reader::return_to_sentinel() noexcept
{
    release_head_until(current_);
    span* left = current_;
    read_.add(left->messages - std::exchange(counted_, left->messages));
    release_span(left);
    counted_ = 0;
    lane_.head = current_ = &lane_.sentinel;
    resume_ = {&lane_.sentinel};
    passed_.jump(cursor_, nullptr, [this] { move_to(nullptr); });
    read_.end_part();
    limit_ = ended_at_ = nullptr;
    body_sent_ = 0;
}

}  // namespace zlink::pipe
