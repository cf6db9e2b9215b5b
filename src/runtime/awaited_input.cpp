// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/awaited_input.hpp"

#include "base/invariant.hpp"
#include "runtime/brief_wait.hpp"
#include "runtime/run_time.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace zlink::runtime {

namespace {

// How long other threads wait for input that a flood may hide. Then: how long a flood counts as one after it was noted.
constexpr std::chrono::microseconds longest_in_flood{50};
constexpr std::chrono::milliseconds flood_lasts{20};

// How long the loop's thread may run until then, including its other work. (Some microseconds are usual; time that the
// host of a virtual machine takes from the thread looks the same.)
constexpr std::chrono::milliseconds longest_catching_up{10};

// A longer step of a thread's clock counts as this much. On a virtual machine, time that the host took from the thread
// looks like such a step.
constexpr std::chrono::microseconds longest_at_once{100};

}  // namespace

result<void> awaited_input::open(descriptor_set& outer) noexcept
{
    if (const auto opened = set_.open(); !opened) return opened;
    return outer.add(set_, *this);
}

result<void> awaited_input::add(int fd, descriptor_handler& handler) noexcept
{
    const auto added = set_.add(fd, handler);
    if (added) ++count_;
    return added;
}

void awaited_input::remove(int fd, descriptor_handler& handler) noexcept
{
    const bool had_requeued = set_.any_requeued();
    set_.forget(handler);
    if (had_requeued && !set_.any_requeued()) readings_.forget_left_input();
    if (count_ != 0 && set_.remove(fd)) --count_;
}

void awaited_input::requeue(descriptor_handler& handler) noexcept
{
    if (set_.requeue(handler)) readings_.leave_input();
}

// A reading takes all that is ready: descriptors that become ready again are queued behind the others.
bool awaited_input::begin() noexcept
{
    const bool called = waiting_.load(std::memory_order_seq_cst) != 0 || set_.any_requeued();
    if (!std::exchange(is_ready_, false) && !called) return false;
    readings_.begin();
    set_.begin_batch();
    polls_left_ = count_ / descriptor_reports::most + 1;
    return set_.any_requeued_in_batch() || poll();
}

bool awaited_input::piece() noexcept
{
    if (set_.any_requeued_in_batch()) {
        set_.pass_on();
        if (set_.any_requeued_in_batch()) return true;
        readings_.note_left_input_read(set_.any_requeued());
        return poll();
    }
    set_.pass_on();
    if (set_.any_reports()) return true;
    if (!set_.was_full()) polls_left_ = 0;
    return poll();
}

// False: the reading has ended.
bool awaited_input::poll() noexcept
{
    if (polls_left_-- > 0 && set_.poll()) return true;
    readings_.end();
    return false;
}

void awaited_input::read_all(bool under_way) noexcept
{
    invariant([&] { return under_way == readings::under_way(readings_.count()); });
    const auto to_the_end = [this] {
        while (piece()) {
        }
    };
    if (under_way) to_the_end();
    is_ready_ = true;
    if (begin()) to_the_end();
}

bool awaited_input::nothing_there() const noexcept
{
    const std::uint64_t before = readings_.count();
    if (readings::under_way(before) || readings_.input_left_behind()) return false;
    pollfd set{set_.descriptor(), POLLIN, 0};
    return ::poll(&set, 1, 0) == 0 && readings_.count() == before;
}

bool awaited_input::flooded() const noexcept
{
    return clock::now() - last_flood_.load(std::memory_order_relaxed) < flood_lasts;
}

void awaited_input::await_reading(clock::time_point until, const thread_clock& loop_thread) noexcept
{
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    const std::uint64_t enough = readings::end_of_next(readings_.count());
    if (flooded()) {
        // Without yielding: the flooding thread may keep the core for longer than this wait is worth.
        const auto limit = clock::now() + longest_in_flood;
        while (!readings_.have_reached(enough) && clock::now() < limit) {
        }
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        return;
    }
    // A thread that has to wait for a core does not run, least of all one that was just created.
    run_time ran(loop_thread.time(), longest_at_once);
    const auto ran_long = [&] { return ran.until(loop_thread.time()) >= longest_catching_up; };
    (void)brief_wait(until, [&] { return readings_.have_read_all(enough) || nothing_there() || ran_long(); });
    waiting_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace zlink::runtime
