// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/queue_cap.hpp"

#include "base/invariant.hpp"
#include "pipe/pipe.hpp"

#include <limits>

namespace zlink::pipe {

namespace {

// The part of the limit that is free when all ends on the list are told. Otherwise all of them would wake up for each
// message that is read.
constexpr std::uint64_t eighth_of(std::uint64_t limit) noexcept
{
    return limit / 8;
}

}  // namespace

void queue_cap::set_limit(std::uint64_t octets) noexcept
{
    limit_.store(octets, std::memory_order_seq_cst);
    if (made_in_ == process_generation()) tell_waiting(nullptr);
}

// `for_waiting`: such as the ends on the list are told of.
bool queue_cap::has_room(bool for_waiting) const noexcept
{
    const std::uint64_t limit = limit_.load(std::memory_order_seq_cst);
    const std::uint64_t queued = queued_.load(std::memory_order_seq_cst);
    return limit == 0 || queued < limit - (for_waiting ? eighth_of(limit) : 0);
}

std::uint64_t queue_cap::room() const noexcept
{
    const std::uint64_t most = limit(), now = queued();
    if (most == 0) return std::numeric_limits<std::uint64_t>::max();
    return now < most ? most - now : 0;
}

void queue_cap::enlist(lane_charge& charge) noexcept
{
    const std::lock_guard held(mutex_);
    if (charge.listed_) return;
    charge.listed_ = true;
    charge.next_ = first_;
    if (first_) first_->previous_ = &charge;
    first_ = &charge;
    waits_.fetch_add(1, std::memory_order_relaxed);
    waiting_.fetch_add(1, std::memory_order_seq_cst);
}

// Under the lock.
void queue_cap::take_off(lane_charge& charge) noexcept
{
    (charge.previous_ ? charge.previous_->next_ : first_) = charge.next_;
    if (charge.next_) charge.next_->previous_ = charge.previous_;
    charge.next_ = charge.previous_ = nullptr;
    charge.listed_ = false;
    waiting_.fetch_sub(1, std::memory_order_seq_cst);
}

void queue_cap::strike(lane_charge& charge) noexcept
{
    const std::lock_guard held(mutex_);
    if (charge.listed_) take_off(charge);
}

// Under the lock: an end that is on the list has not closed.
void queue_cap::tell(lane_charge& charge) noexcept
{
    take_off(charge);
    charge.writer_.notify(event_credit);
}

// The sum has fallen, or the limit has changed. `emptied`: nothing waits there; may be null.
void queue_cap::tell_waiting(lane_charge* emptied) noexcept
{
    if (!anyone_waits()) return;
    const std::lock_guard held(mutex_);
    if (has_room(true)) {
        while (first_) tell(*first_);
    } else if (emptied && emptied->listed_) {
        tell(*emptied);
    }
}

lane_charge::~lane_charge()
{
    invariant([this] { return !listed_; });
    (void)settle(read_, written_);
}

// One side tells of its octets. True: nothing waits in the queue.
bool lane_charge::settle(std::uint64_t& side, std::uint64_t octets) noexcept
{
    bool fell = false;
    bool empty = false;
    {
        const std::lock_guard held(mutex_);
        side = octets;
        const std::uint64_t before = charged_;
        charged_ = written_ > read_ ? written_ - read_ : 0;
        if (charged_ != before) cap_.queued_.fetch_add(charged_ - before, std::memory_order_seq_cst);
        fell = charged_ < before;
        empty = charged_ == 0;
    }
    if (fell) cap_.tell_waiting(empty ? this : nullptr);
    return empty;
}

bool lane_charge::has_room(std::uint64_t written, bool waits) noexcept
{
    if (note_written(written) || cap_.has_room(cap_.anyone_waits())) return true;
    if (!waits) return false;
    cap_.enlist(*this);
    // What others have changed before they could see the end on the list is seen now. If that makes room, the end stays
    // on the list: another thread of a shared socket may have found none before, and sleep until the end is told.
    return note_written(written) || cap_.has_room(true);
}

}  // namespace zlink::pipe
