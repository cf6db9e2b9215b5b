// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How often each rule that adapts to the load has fired, and for how long it has made a thread wait. For users that
// look for the rule behind an observation; no decision depends on it. Each thread counts for itself, without atomic
// read-modify-writes; the asking thread adds up. zlink_load_counter() of zlink.h shows it to programs.
//
// Any thread.
#pragma once

#include "base/thread_state.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace zlink::load {

/// The rules that are counted: rows of the table in counters.cpp.
enum class rule : std::uint8_t {
    held,
    held_late,
    held_excused,
    held_due,
    not_held,
    held_left,
    yield_found,
    yield_in_vain,
    yield_for_little,
    yield_left_out,
    nap,
    gather,
    gather_in_vain,
    other_programs,
    own_write,
    own_write_left,
    own_write_busy,
    lease_parked,
    lease_returned,
    lease_denied,
    lease_ended,
    lease_sparse,
    look,
    look_wrote,
    look_gone,
    fences_learned,
    fences_spared,
    pause,
    pause_in_vain,
    read_pause,
    io_wait,
    io_wait_in_vain,
    datagrams_malformed,
    datagrams_lost,
    datagrams_refused,
};
inline constexpr std::size_t rules = std::size_t(rule::datagrams_refused) + 1;

struct count_of {
    std::uint64_t times = 0;
    std::chrono::nanoseconds waited{};
};

/// The description of a rule.
struct rule_text {
    const char* name;
    const char* description;
};
[[nodiscard]] const rule_text& text_of(rule what) noexcept;

/// The sum over all threads, those that ended included.
[[nodiscard]] count_of total(rule what) noexcept;

/// Belongs to one thread, and then to another: the counts of the first stay. Only that thread writes, any thread reads.
/// Relaxed: figures.
class thread_counters {
public:
    void add(rule what, std::uint64_t times, std::chrono::nanoseconds waited) noexcept
    {
        grow(times_[std::size_t(what)], times);
        if (waited.count() != 0) grow(waited_[std::size_t(what)], std::uint64_t(waited.count()));
    }

    /// Null: memory is short.
    [[nodiscard]] static thread_counters* of_this_thread() noexcept
    {
        return one_of_each_thread<thread_slot::load_counters, thread_counters, take, give>::get();
    }

private:
    friend count_of total(rule what) noexcept;
    using numbers = std::array<std::atomic<std::uint64_t>, rules>;

    static void grow(std::atomic<std::uint64_t>& number, std::uint64_t by) noexcept
    {
        number.store(number.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
    [[nodiscard]] static thread_counters* take() noexcept;
    static void give(thread_counters& of) noexcept;

    numbers times_{};
    numbers waited_{};
    std::atomic<bool> taken_{true};  ///< give() releases its thread's counts to the take() that acquires
    thread_counters* next_ = nullptr;
};

/// The rule has fired, and has made a thread wait for `waited`.
inline void count(rule what, std::uint64_t times = 1, std::chrono::nanoseconds waited = {}) noexcept
{
    if (auto* const mine = thread_counters::of_this_thread()) [[likely]]
        mine->add(what, times, waited);
}

}  // namespace zlink::load
