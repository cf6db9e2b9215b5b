// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/lane_writer.hpp"

#include "base/many_octets.hpp"
#include "message/placement.hpp"
#include "pipe/queue_cap.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace zlink::pipe {

namespace {

// A frame above this that does not fit in the rest of a chunk gets a block of its own, and leaves no gap. So the waste
// of a full queue stays below 2 %.
constexpr std::size_t largest_gap = 1024;

}  // namespace

lane_writer::lane_writer(lane& shared, std::uint64_t hwm, std::size_t reference_threshold) noexcept
    : lane_(shared),
      chain_(shared.sentinel),
      account_(hwm),
      reference_threshold_(reference_threshold),
      most_small_(reference_threshold > most_small_octets ? most_small_octets : 0),
      fill_(chunk_plan(hwm).most_in_span()),
      plan_(hwm)
{}

lane_writer::~lane_writer()
{
    const tail_held hold(*this);
    if (chunk_) chain_.tail()->releases_chunk = true;
    if (pending_metadata_) pending_metadata_->release();
}

// `waits`: as lane_charge::has_room().
bool lane_writer::look_for_credit(bool waits) noexcept
{
    const bool room = account_.take(lane_.credited.load(std::memory_order_acquire));
    if (account_.octet_mark() != 0) return look_under_octet_mark(room, waits);
    if (room || account_.is_promised()) return true;
    return account_.promise(lane_.being_written.load(std::memory_order_acquire));
}

// `room`: the mark in messages leaves some. The octets of the next message are not known, so it is the only one.
bool lane_writer::look_under_octet_mark(bool room, bool waits) noexcept
{
    const bool promised = account_.is_promised();
    const bool below_cap = promised || !lane_.charge || lane_.charge->has_room(published_octets(), waits);
    const bool below = room && below_cap && octets_below_mark() != 0;
    account_.limit_to(below);
    if (below || !below_cap || promised) return below_cap;
    // Of the messages that the write under way leaves, the octets are not known: it has to take all.
    const std::uint64_t then = lane_.being_written.load(std::memory_order_acquire);
    return then == account_.written() && account_.promise(then);
}

// Of whole messages: a reader that has all of those may wait for the rest of one that is longer than the mark.
std::uint64_t lane_writer::uncredited_octets() const noexcept
{
    const std::uint64_t octets =
        octets_.octets(window_.at()) - lane_.octets_credited.load(std::memory_order_relaxed);  // acquired with credited
    return octets < account_.octet_mark() || !has_unpublished() ? octets : octets - unpublished_octets();
}

std::uint64_t lane_writer::octets_below_mark() const noexcept
{
    const std::uint64_t octets = uncredited_octets();
    return octets < account_.octet_mark() ? account_.octet_mark() - octets : 0;
}

std::uint64_t lane_writer::octet_room() const noexcept
{
    if (account_.octet_mark() == 0) return std::numeric_limits<std::uint64_t>::max();
    return lane_.charge ? std::min(octets_below_mark(), lane_.charge->cap().room()) : octets_below_mark();
}

std::uint64_t lane_writer::published_octets() const noexcept
{
    const std::uint64_t octets = octets_.octets(window_.at());
    return has_unpublished() ? octets - unpublished_octets() : octets;
}

void lane_writer::charge_published() noexcept
{
    if (lane_.charge) lane_.charge->note_written(published_octets());
}

bool lane_writer::wait_for_credit() noexcept
{
    // Readers that count by spans can give credit for ended spans only.
    if (fill_.messages() && chunk_ && !in_message()) {
        const tail_held hold(*this);
        if (chunk_ && !chain_.tail()->body.in_use()) end_tail();
    }
    lane_.writer_waiting.store(true, std::memory_order_relaxed);
    // Partner: lane_reader::give_credit(), which stores the credit and looks for a waiter.
    asymmetric_fence::full_fence();
    // The flag stays up if there is room now: another thread may have found none before, and may sleep until the
    // notification comes (wait_line.hpp). If nobody sleeps, one notification too many is sent.
    return look_for_credit(true);
}

// No octets may follow in a span behind its body. False when memory is short.
bool lane_writer::leave_body() noexcept
{
    return !chunk_ || !chain_.tail()->body.in_use() || next_span(!in_message()) || next_chunk(0, !in_message());
}

bool lane_writer::write_shared(const outgoing& f) noexcept
{
    const tail_held hold(*this);
    if (!leave_body() || !write_by_reference(f)) return false;
    chain_.tail()->body.shared = true;
    return true;
}

bool lane_writer::write_slow(const outgoing& f) noexcept
{
    const tail_held hold(*this);
    const std::size_t header = message::header_size(f.size);
    if (!leave_body()) return false;
    if (f.size >= reference_threshold_) return write_by_reference(f);
    // Not the window: a reader that was about to reclaim may close it after take_tail(), too.
    if (!chunk_ || !chunk_.has_room(window_.at(), header + f.size)) {
        if (chunk_ && f.size > largest_gap && chunk_.has_room(window_.at(), header + span_room)) {
            return write_by_reference(f);
        }
        if (!next_chunk(header + f.size, !in_message())) return false;
    }
    std::byte* at = window_.at();
    at += message::encode_header(at, f.more ? message::flag_more : 0, f.size);
    copy_many_octets(at, f.data, f.size);
    window_.move_to(at + f.size);
    wrote_frame(f.more);
    return true;
}

bool lane_writer::write_by_reference(const outgoing& f) noexcept
{
    if (!chunk_ || !chunk_.has_room(window_.at(), message::long_header_size + span_room)) {
        if (!next_chunk(message::long_header_size, !in_message())) return false;
    }
    span* const tail = chain_.tail();
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
            late_ = late_body(f.data, tail->body);
        } else {
            copy_many_octets(data, f.data, f.size);
        }
    }
    std::byte* at = window_.at();
    at += message::encode_header(at, f.more ? message::flag_more : 0, f.size);
    window_.move_to(at);
    window_.open(at);  // nothing may follow in this span
    tail->body.set(body, data, f.size);
    tail->body.shared = shared;
    tail->body.light = f.size < reference_threshold_;
    large_written_ += tail->body.large_size();
    octets_.add(f.size);
    fill_.end_next();
    wrote_frame(f.more);
    if (holds_large() || !tail->body.light) large_ = f.dont_wait ? large::dont_wait : large::may_wait;
    return true;
}

void lane_writer::publish_in_place() noexcept
{
    late_body lent = std::exchange(late_, {});
    if (lent) lent.lend();
    publish();
    late_ = lent;
}

void lane_writer::copy_published(bool needed) noexcept
{
    late_body lent = std::exchange(late_, {});
    if (lent && needed) lent.copy();
}

void lane_writer::publish_slow() noexcept
{
    if (late_) late_.copy();
    large_ = large::none;
    // Ended before it is shown, so that the reader finds a large frame's header and body together.
    std::byte* visible_end = window_.at();
    if (fill_.is_full()) {
        end_tail();
        if (chunk_) visible_end = window_.at();
        // Before all is shown: the reader does not reclaim until then.
        give_tail();
    }
    chain_.show(visible_end);
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
    if (stage_ == stage::closed) return;
    if (lane_.charge) lane_.charge->close();
    const tail_held hold(*this);
    drop_unpublished();
    stage_ = stage::closed;
    if (chunk_) {
        chain_.tail()->releases_chunk = true;
        end_span(true);
        forget_tail();
    }
    chain_.tail()->next.store(&lane_.closing, std::memory_order_release);
    chain_.restart(&lane_.closing);
}

void lane_writer::set_hwm(std::uint64_t hwm) noexcept
{
    account_.set_hwm(hwm);
    plan_.set_hwm(hwm);
    set_steps();
    const tail_held hold(*this);
    if (!chain_.tail()->body.in_use()) set_mark();
    if (fill_.messages() && chunk_ && !in_message()) end_tail();
}

void lane_writer::join_octet_marks() noexcept
{
    // Under a cap there is always a mark, so that each message is looked at.
    constexpr std::uint64_t never_reached = std::numeric_limits<std::uint64_t>::max() / 2;
    const std::uint64_t mark = lane_.octets.of_writer + lane_.octets.of_reader;
    account_.set_octet_mark(mark == 0 && lane_.charge ? never_reached : mark);
    set_steps();
}

void lane_writer::set_steps() noexcept
{
    const std::uint64_t step = credit_step(account_.hwm());
    const std::uint64_t octets = account_.octet_mark();
    lane_.octets.message_step.store(step, std::memory_order_relaxed);
    lane_.octets.octet_step.store(low_water_mark(octets), std::memory_order_relaxed);
    lane_.credit_step.store(octets == 0 ? step : 0, std::memory_order_relaxed);
}

}  // namespace zlink::pipe
