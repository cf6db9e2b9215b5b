// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// event_loop: the descriptors whose input other threads may have to wait for, and how they wait.
#include "base/cancellation.hpp"
#include "runtime/brief_wait.hpp"
#include "runtime/driver.hpp"
#include "runtime/event_loop.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace zlink::runtime {

namespace {

// How long others wait for what a flood may hide, and how long it counts as one after it was noted.
constexpr std::chrono::microseconds longest_in_flood{50};
constexpr std::chrono::milliseconds flood_lasts{20};

// How long this thread may run until then, beside whatever else it does. (Usual are some microseconds; what the host of a virtual
// machine takes from the thread looks the same.)
constexpr std::chrono::milliseconds longest_catching_up{10};

// A longer step of a thread's clock counts as this much: to a virtual machine, what its host took from it looks the same.
constexpr std::chrono::microseconds longest_at_once{100};

}  // namespace

// A reading of the awaited set: the counter, which has one writer, is odd from here until the last piece is done. All that is
// ready: those that are ready again line up behind the others.
bool event_loop::begin_awaited() noexcept
{
    const bool called = waiting_.load(std::memory_order_seq_cst) != 0 || awaited_requeued_.any();
    if (!std::exchange(awaited_is_ready_, false) && !called) return false;
    // Sequentially consistent: whoever misses what this takes out of the set sees that it has begun.
    readings_.store(readings_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    awaited_requeued_.begin_batch();
    looks_left_ = awaited_count_ / descriptor_reports::most + 1;
    return awaited_requeued_.any_in_batch() || look_at_awaited();
}

bool event_loop::do_awaited() noexcept
{
    if (!awaited_requeued_.any_in_batch()) {
        awaited_ready_.pass_on();
        if (awaited_ready_.any()) return true;
        if (!awaited_ready_.was_full()) looks_left_ = 0;
        return look_at_awaited();
    }
    awaited_requeued_.pass_on();
    if (awaited_requeued_.any_in_batch()) return true;
    awaited_is_requeued_.store(awaited_requeued_.any(), std::memory_order_release);
    return look_at_awaited();
}

// False: the reading ends.
bool event_loop::look_at_awaited() noexcept
{
    if (looks_left_-- > 0 && awaited_ready_.look(awaited_set_.get()) != 0) return true;
    readings_.store(readings_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return false;
}

// Between two steps: what a reading has left over, and one from its beginning.
void event_loop::read_awaited() noexcept
{
    const auto end = [this] {
        while (do_awaited()) {
        }
    };
    if (classes_.left_over(work_class::waiting_calls)) end();
    classes_.nothing_left_over(work_class::waiting_calls);
    awaited_is_ready_ = true;
    if (begin_awaited()) end();
}

// Whether there was a moment in which the awaited set was not being read and there was nothing in it.
bool event_loop::nothing_awaited() noexcept
{
    const std::uint64_t reading = readings_.load(std::memory_order_seq_cst);
    if (reading % 2 != 0 || input_left_behind()) return false;
    pollfd set{awaited_set_.get(), POLLIN, 0};
    return ::poll(&set, 1, 0) == 0 && readings_.load(std::memory_order_seq_cst) == reading;
}

void event_loop::note_flood() noexcept
{
    last_flood_.store(clock::now(), std::memory_order_relaxed);
}

bool event_loop::flooded() const noexcept
{
    return clock::now() - last_flood_.load(std::memory_order_relaxed) < flood_lasts;
}

void event_loop::catch_up(clock::time_point until) noexcept
{
    const cancellation_held_off hold;
    if (nothing_awaited()) return;
    if (const driver* d = driver::of_this_thread(); d && d->drives(*this)) {
        return read_awaited();
    }
    // A reading under way may be through already with what it took out of the set. The first one that begins from now on
    // finds everything, and there will be one, as every round sees that somebody waits.
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    const std::uint64_t before = readings_.load(std::memory_order_seq_cst);
    const std::uint64_t enough = before + 2 + before % 2;
    if (flooded()) {
        // Without yielding: whoever floods may have the core for longer than this is worth.
        const auto limit = clock::now() + longest_in_flood;
        while (readings_.load(std::memory_order_acquire) < enough && clock::now() < limit) {
        }
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        return;
    }
    // A thread that has to wait for a core does not run, least of all one that was just created.
    auto seen = thread_time_.time();
    std::chrono::nanoseconds ran{};
    const auto ran_long = [&] {
        const auto now = thread_time_.time();
        ran += std::min<std::chrono::nanoseconds>(now - seen, longest_at_once);
        seen = now;
        return ran >= longest_catching_up;
    };
    // Who has left something behind in that reading is waited for, too.
    const auto left = [&] { return awaited_is_requeued_.load(std::memory_order_acquire); };
    const auto all_read = [&] { return readings_.load(std::memory_order_acquire) >= enough && !left(); };
    (void)brief_wait(until, [&] { return all_read() || nothing_awaited() || ran_long(); });
    waiting_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace zlink::runtime
