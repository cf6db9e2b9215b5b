// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/drop_queue.hpp"

#include "base/invariant.hpp"
#include "pipe/chunk_plan.hpp"
#include "pipe/lane_writer.hpp"
#include "pipe/queue_cap.hpp"

#include <algorithm>
#include <utility>

namespace zlink::pipe {

namespace {

// The reader takes this part of a mark at once, and no more than these; at least one message.
constexpr std::uint64_t part_of_mark = 4;
constexpr std::uint64_t most_messages_at_once = 64;
constexpr std::uint64_t most_octets_at_once = 64 * 1024;

// 0: there is no mark.
std::uint64_t part_of(std::uint64_t whole, std::uint64_t most) noexcept
{
    return whole == 0 ? most : std::clamp(whole / part_of_mark, std::uint64_t{1}, most);
}

}  // namespace

drop_queue::drop_queue(const drop_rule& rule) noexcept
    : relay(rule.of_reader),
      read_(this),
      from_(written_, 0),
      what_(rule.what)
{
    invariant([this] { return what_ != when_full::block; });
    (void)from_.go_dormant();
}

// Under the lock.
bool drop_queue::is_full() const noexcept
{
    // Acquire: the octets were stored before.
    const std::uint64_t credited = read_.credited.load(std::memory_order_acquire);
    const std::uint64_t messages_done = std::max(done_.messages, credited);
    const std::uint64_t octets_done = std::max(done_.octets, read_.octets_credited.load(std::memory_order_relaxed));
    traffic holds = queue_.all();
    holds += queued_between(given_, {messages_done, octets_done});
    if (mark_.reached_by(holds)) return true;
    return read_.charge && !read_.charge->has_room(given_.octets + queue_.all().octets, false);
}

// False: there is no room, and `fresh` stays the caller's.
bool drop_queue::enqueue(message_block* fresh, block_queue& dropped) noexcept
{
    const std::lock_guard held(lock_);
    if (what_ == when_full::drop_newest && is_full()) return false;
    while (queue_.front() && is_full()) dropped.push(queue_.pop());
    queue_.push(fresh);
    waiting_.store(queue_.all().messages, std::memory_order_release);
    return true;
}

// The next message of `written_`, which is there. False: it is lost.
bool drop_queue::take_in() noexcept
{
    const std::uint64_t octets_before = from_.octets_read();
    message_block* const fresh = maker_.take(from_);
    block_queue dropped;  // which takes its time to release them, outside of the lock
    const bool stays = fresh && enqueue(fresh, dropped);
    replaced_.add(dropped.all());
    if (!stays) refused_.add({1, from_.octets_read() - octets_before});
    if (!stays && fresh) release_block(fresh);
    return stays;
}

bool drop_queue::pass(lane_writer& writer) noexcept
{
    bool any = false;
    while (from_.readable()) any |= take_in();
    // This thread is both sides of the lane: no fence is needed, and no other thread has to be told.
    written_.credited.store(from_.messages_read(), std::memory_order_relaxed);
    if (from_.chunk_size() > chunk_plan::first_size && from_.begin_reclaim(writer.window())) {
        (void)from_.end_reclaim(writer.window(), true);
    }
    if (!from_.dormant()) (void)from_.go_dormant();
    return any && read_.reader_sleeps() && read_.take_wake();
}

// The reader has read all that it got before.
span* drop_queue::take() noexcept
{
    const bool ended = has_ended();  // first, as the last message comes before the end
    const std::lock_guard held(lock_);
    done_ = given_;
    if (!queue_.front()) return ended ? &read_.closing : nullptr;
    const std::uint64_t most_messages = part_of(mark_.messages, most_messages_at_once);
    const std::uint64_t most_octets = part_of(mark_.octets(), most_octets_at_once);
    span* const first = queue_.front()->first;
    span* last = nullptr;
    traffic now;
    do {
        const message_block* const next = queue_.pop();
        if (last) last->next.store(next->first, std::memory_order_relaxed);
        last = next->last;
        now += {1, next->octets};
    } while (queue_.front() && now.messages < most_messages && now.octets + queue_.front()->octets <= most_octets);
    given_ += now;
    waiting_.store(queue_.all().messages, std::memory_order_release);
    return first;
}

// Marks (any of the two sides)

// The reader tells what it has read in steps of what it takes at once.
void drop_queue::set_steps() noexcept
{
    const std::uint64_t messages = part_of(mark_.messages, most_messages_at_once);
    const std::uint64_t octets = mark_.octets();
    read_.octets.message_step.store(messages, std::memory_order_relaxed);
    read_.octets.octet_step.store(part_of(octets, most_octets_at_once), std::memory_order_relaxed);
    read_.credit_step.store(octets == 0 && !read_.charge ? messages : 0, std::memory_order_relaxed);
}

void drop_queue::set_hwm(std::uint64_t hwm) noexcept
{
    const std::lock_guard held(lock_);
    mark_.messages = hwm;
    set_steps();
}

void drop_queue::set_octets_of_writer(std::uint64_t octets) noexcept
{
    const std::lock_guard held(lock_);
    mark_.octets_of_writer = octets;
    set_steps();
}

void drop_queue::set_octets_of_reader(std::uint64_t octets) noexcept
{
    const std::lock_guard held(lock_);
    mark_.octets_of_reader = octets;
    set_steps();
}

}  // namespace zlink::pipe
