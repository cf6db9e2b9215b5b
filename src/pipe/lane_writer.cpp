// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/lane_writer.hpp"

#include "base/many_octets.hpp"
#include "message/placement.hpp"

#include <algorithm>
#include <utility>

namespace zlink::pipe {

namespace {

// A frame above this that does not fit in the rest of a chunk gets a block of its own, and leaves no gap. So the waste
// of a full queue stays below 2 %.
constexpr std::size_t largest_gap = 1024;

// Messages in a span, at most: the grain of exact credits for readers that move octets without counting frames.
constexpr std::uint32_t largest_mark = 32;

std::uint32_t mark_for(std::uint64_t hwm) noexcept
{
    return hwm == 0 ? largest_mark : std::uint32_t(std::min<std::uint64_t>(largest_mark, low_water_mark(hwm)));
}

}  // namespace

lane_writer::lane_writer(lane& shared, std::uint64_t hwm, std::size_t reference_threshold) noexcept
    : lane_(shared),
      tail_(&shared.sentinel),
      published_span_(&shared.sentinel),
      hwm_(hwm),
      reference_threshold_(reference_threshold),
      most_small_(reference_threshold > most_small_octets ? most_small_octets : 0),
      seal_at_(mark_for(hwm)),
      span_limit_(mark_for(hwm)),
      next_chunk_size_(first_chunk_size)
{}

lane_writer::~lane_writer()
{
    const tail_held hold(*this);
    if (chunk_) tail_->releases_chunk = true;
    if (pending_metadata_) pending_metadata_->release();
}

bool lane_writer::look_for_credit() noexcept
{
    credited_ = lane_.credited.load(std::memory_order_acquire);
    invariant([this] { return credited_ <= written_; });
    if (written_ - credited_ < hwm_) return true;
    // So room that the program was told of is still there when it sends.
    if (promised_at_ == written_) return true;
    // Not kept as credit, as the write may fall short. Until then the kernel has the messages, or is about to have
    // them.
    const std::uint64_t being_written = lane_.being_written.load(std::memory_order_acquire);
    if (being_written <= credited_ || written_ - being_written >= hwm_ || written_ - credited_ >= 2 * hwm_)
        return false;
    promised_at_ = written_;
    return true;
}

bool lane_writer::wait_for_credit() noexcept
{
    // Readers that count by spans can give credit for sealed spans only.
    if (span_messages_ && chunk_ && !in_message_) {
        const tail_held hold(*this);
        if (chunk_ && !tail_->body.in_use()) seal_tail();
    }
    lane_.writer_waiting.store(true, std::memory_order_relaxed);
    // Partner: lane_reader::give_credit(), which stores the credit and looks for a waiter.
    asymmetric_fence::full_fence();
    if (!look_for_credit()) return false;
    lane_.writer_waiting.store(false, std::memory_order_relaxed);
    return true;
}

// No octets may follow in a span behind its body. False when memory is short.
bool lane_writer::leave_body() noexcept
{
    return !chunk_ || !tail_->body.in_use() || next_span(!in_message_) || next_chunk(0, !in_message_);
}

bool lane_writer::write_shared(const outgoing& f) noexcept
{
    const tail_held hold(*this);
    if (!leave_body() || !write_by_reference(f)) return false;
    tail_->body.shared = true;
    return true;
}

bool lane_writer::write_slow(const outgoing& f) noexcept
{
    const tail_held hold(*this);
    const bool at_boundary = !in_message_;
    const std::size_t header = message::header_size(f.size);
    if (!leave_body()) return false;
    if (f.size >= reference_threshold_) return write_by_reference(f);
    // Not top_: a reader that was about to leave may take it away after take_tail(), too.
    if (!chunk_ || std::size_t(chunk_top_ - cursor_) < header + f.size) {
        if (chunk_ && f.size > largest_gap && std::size_t(chunk_top_ - cursor_) >= header + span_room) {
            return write_by_reference(f);
        }
        if (!next_chunk(header + f.size, at_boundary)) return false;
    }
    std::byte* at = cursor_;
    at += message::encode_header(at, f.more ? message::flag_more : 0, f.size);
    copy_many_octets(at, f.data, f.size);
    cursor_ = at + f.size;
    in_message_ = f.more;
    return true;
}

bool lane_writer::write_by_reference(const outgoing& f) noexcept
{
    const bool at_boundary = !in_message_;
    if (!chunk_ || std::size_t(chunk_top_ - cursor_) < message::long_header_size + span_room) {
        if (!next_chunk(message::long_header_size, at_boundary)) return false;
    }
    message::buffer* body = f.msg ? f.msg->shareable() : nullptr;
    auto* data = const_cast<std::byte*>(f.data);
    const bool shared = f.msg && f.msg->shared();
    if (body) {
        body->add_ref();
    } else if (f.msg && f.msg->is_constant()) {
        body = message::buffer::adopt(data, f.size, nullptr, nullptr);
        if (!body) return false;
    } else {
        body = message::buffer::allocate(f.size);
        if (!body) return false;
        data = body->data();
        if (f.stays && !f.more && f.size >= reference_threshold_ &&
            !message::placement::sends_slowly(f.data, f.size, message::header_size(f.size))) {
            late_ = f.data;
            late_span_ = tail_;
        } else {
            copy_many_octets(data, f.data, f.size);
        }
    }
    cursor_ = cursor_ + message::encode_header(cursor_, f.more ? message::flag_more : 0, f.size);
    tail_->body.set(body, data, f.size);
    tail_->body.shared = shared;
    tail_->body.light = f.size < reference_threshold_;
    large_written_ += tail_->body.large_size();
    top_ = static_cast<std::byte*>(cursor_);  // nothing may follow in this span
    seal_at_ = 0;
    in_message_ = f.more;
    large_ = large_ || f.size >= reference_threshold_;
    hurried_ = f.hurried;
    return true;
}

// Copies the octets of a last frame that stay (outgoing::stays). Only when the message is published, as the copy may
// turn out not to be needed.
void lane_writer::copy_late() noexcept
{
    const std::byte* from = std::exchange(late_, nullptr);
    copy_many_octets(late_span_->body.data, from, late_span_->body.size);
}

void lane_writer::publish_in_place() noexcept
{
    const std::byte* from = std::exchange(late_, nullptr);
    if (from) late_span_->body.data = const_cast<std::byte*>(from);
    publish();
    late_ = from;
}

void lane_writer::copy_published(bool needed) noexcept
{
    const std::byte* from = std::exchange(late_, nullptr);
    if (!from || !needed) return;
    late_span_->body.data = late_span_->body.owner->data();
    copy_many_octets(late_span_->body.data, from, late_span_->body.size);
}

// Stores in an order that shows the reader all spans of a message at once. The store to the first unpublished span
// comes last, and the reader leaves that span only after it.
void lane_writer::publish_chain(std::byte* visible_end) noexcept
{
    span* first = published_span_;
    if (first != tail_) {
        for (span* s = first->next.load(std::memory_order_relaxed); s != tail_;
             s = s->next.load(std::memory_order_relaxed)) {
            s->published.store(s->end.load(std::memory_order_relaxed), std::memory_order_relaxed);
        }
        tail_->published.store(visible_end, std::memory_order_relaxed);
        visible_end = first->end.load(std::memory_order_relaxed);
    }
    invariant([&] { return visible_end >= first->published.load(std::memory_order_relaxed); });
    first->published.store(visible_end, std::memory_order_release);
    published_span_ = tail_;
}

void lane_writer::publish_slow() noexcept
{
    if (late_) copy_late();
    large_ = false;
    // Sealed before it is shown, so that the reader finds a large frame's header and body together.
    std::byte* visible_end = cursor_;
    if (span_messages_ >= seal_at_) {
        seal_tail();
        if (chunk_) visible_end = cursor_;
        // Before all is shown: the reader does not leave until then.
        give_tail();
    }
    publish_chain(visible_end);
}

bool lane_writer::set_metadata(message::metadata* m) noexcept
{
    const tail_held hold(*this);
    drop_unpublished();
    if (pending_metadata_) pending_metadata_->release();
    pending_metadata_ = m;
    return next_span(true) || next_chunk(0, true);
}

void lane_writer::close() noexcept
{
    if (closed_) return;
    closed_ = true;
    const tail_held hold(*this);
    drop_unpublished();
    lane_.closing.ends = span_end::lane;
    if (chunk_) {
        tail_->releases_chunk = true;
        seal(true);
        forget_tail();
    }
    tail_->next.store(&lane_.closing, std::memory_order_release);
    tail_ = published_span_ = &lane_.closing;
}

void lane_writer::set_hwm(std::uint64_t hwm) noexcept
{
    hwm_ = hwm;
    span_limit_ = mark_for(hwm);
    lane_.credit_step.store(credit_step(hwm), std::memory_order_relaxed);
    const tail_held hold(*this);
    if (!tail_->body.in_use()) seal_at_ = next_mark();
    if (span_messages_ && chunk_ && !in_message_) seal_tail();
}

}  // namespace zlink::pipe
