// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What all threads and processes of a workload share: phases, counters and latencies, in memory that a fork inherits.
#pragma once

#include "harness/fail.hpp"

#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace explore {

// meet: greetings go to and fro until every socket has seen one; settle: what is under way arrives; run; stop: nothing
// new is sent.
enum class phase : std::uint32_t { meet, settle, run, stop };

// Latencies, each to 0.8 %: 128 steps an octave. One thread adds.
class histogram {
public:
    static constexpr unsigned step_bits = 7;
    static constexpr unsigned cells = 36 << step_bits;

    void add(std::uint64_t ns)
    {
        std::atomic<std::uint32_t>& cell = counts_[cell_of(ns)];
        cell.store(cell.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint32_t count(unsigned cell) const { return counts_[cell].load(std::memory_order_relaxed); }

    // The middle of a cell.
    [[nodiscard]] static double ns_of(unsigned cell)
    {
        const unsigned octave = cell >> step_bits;
        const unsigned step = cell & ((1U << step_bits) - 1);
        if (octave == 0) return step;
        return (static_cast<double>((1U << step_bits) + step) + 0.5) *
               static_cast<double>(std::uint64_t{1} << (octave - 1));
    }

private:
    static unsigned cell_of(std::uint64_t ns)
    {
        const unsigned width = static_cast<unsigned>(std::bit_width(ns));
        if (width <= step_bits) return static_cast<unsigned>(ns);
        const unsigned shift = width - step_bits - 1;
        const unsigned cell =
            ((shift + 1) << step_bits) + static_cast<unsigned>((ns >> shift) & ((1U << step_bits) - 1));
        return cell < cells ? cell : cells - 1;
    }

    std::atomic<std::uint32_t> counts_[cells];
};

// A thread's own; others read.
struct alignas(64) tally {
    std::atomic<std::uint64_t> sent;      // deliveries that are to come of it
    std::atomic<std::uint64_t> received;  // messages, or answers of asking actors
    std::atomic<std::uint64_t> octets_sent;
    std::atomic<std::uint64_t> octets_received;
    std::atomic<std::uint64_t> work_ns;  // CPU of the workload's own computing
    histogram latencies;

    static void add(std::atomic<std::uint64_t>& counter, std::uint64_t more)
    {
        counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }
};

struct board {
    static constexpr unsigned most_sockets = 1000;

    std::atomic<phase> now;
    std::atomic<std::uint64_t> start_ns;  // when messages begin to be due
    std::atomic<std::uint64_t> from_ns;   // the window that is measured
    std::atomic<std::uint64_t> until_ns;

    std::atomic<std::uint32_t> bound[2];  // how many endpoints are told; of a proxy: 0 to the front, 1 to the back
    char endpoints[2][most_sockets][96];
    std::atomic<std::uint64_t> greeted[most_sockets];  // greetings that reached this back, or answers to this front
    std::atomic<std::uint64_t> greetings;              // deliveries that are to come of them
    std::atomic<bool> seen[most_sockets];              // fronts of which a greeting arrived
    std::atomic<std::uint32_t> met;                    // threads of the front whose sockets have all greeted
    std::atomic<std::uint32_t> finished;               // threads of the front that send no more
    tally front[most_sockets];
    tally back[most_sockets];

    [[nodiscard]] bool running() const { return now.load(std::memory_order_acquire) >= phase::run; }
    [[nodiscard]] bool stopping() const { return now.load(std::memory_order_relaxed) >= phase::stop; }
    [[nodiscard]] bool measured(std::uint64_t due) const
    {
        return due >= from_ns.load(std::memory_order_relaxed) && due < until_ns.load(std::memory_order_relaxed);
    }
};

// All zero, as the kernel gives it. Pages that nobody touches take no memory.
inline board& new_board()
{
    void* memory =
        ::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) bench::fail(bench::exit_status::failed, "mmap failed");
    return *static_cast<board*>(memory);
}

}  // namespace explore
