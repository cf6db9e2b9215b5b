// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Descriptors with input that other threads may have to wait for, and how those threads wait. The descriptors are in a
// set of their own inside the loop's set. So one system call tells a thread whether any of them is ready.
//
// The loop reads them in batches (readings.hpp). A thread waits for a reading that begins after its call, and each
// round of the loop sees that a thread waits.
#pragma once

#include "base/result.hpp"
#include "runtime/clock.hpp"
#include "runtime/descriptor_handler.hpp"
#include "runtime/descriptor_set.hpp"
#include "runtime/readings.hpp"

#include <atomic>
#include <cstdint>

namespace zlink::runtime {

/// In the outer set it is the handler of the inner one.
class awaited_input final : private descriptor_handler {
public:
    // Loop's thread

    /// Makes the set, inside `outer`; too_many_files and the like.
    [[nodiscard]] result<void> open(descriptor_set& outer) noexcept;
    /// Adds a descriptor without interest.
    [[nodiscard]] result<void> add(int fd, descriptor_handler& handler) noexcept;
    /// See descriptor_set::arm(); like that for any thread that owns the descriptor for the moment.
    void arm(int fd, descriptor_handler& handler, std::uint32_t events) const noexcept
    {
        set_.arm(fd, handler, events);
    }
    /// `fd` need not be one of these. A system call if there are any.
    void remove(int fd, descriptor_handler& handler) noexcept;
    /// See descriptor_set::requeue(). If this is called in a reading, waiting threads go on waiting until the handler
    /// has been told.
    void requeue(descriptor_handler& handler) noexcept;

    /// Reports, or handlers that were requeued, wait.
    [[nodiscard]] bool any() const noexcept { return set_.any_reports() || set_.any_requeued(); }

    /// Begins a reading if there is input or a thread waits. False: there is none.
    [[nodiscard]] bool begin() noexcept;
    /// Tells the next handler. False: the reading has ended.
    [[nodiscard]] bool piece() noexcept;
    /// Called in a waiting thread's place, between two steps of a loop that this thread drives. Ends the reading under
    /// way if `under_way`, and does a whole one.
    void read_all(bool under_way) noexcept;

    // Any thread

    /// Readable while a descriptor is ready.
    [[nodiscard]] int descriptor() const noexcept { return set_.descriptor(); }
    [[nodiscard]] const readings& counted() const noexcept { return readings_; }
    /// There was a moment in which nothing was ready and no reading was under way. One system call, or none.
    [[nodiscard]] bool nothing_there() const noexcept;
    /// A thread waits. Relaxed: a hint.
    [[nodiscard]] bool awaited() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }
    /// A descriptor does not run dry: threads do not wait long for that.
    void note_flood() noexcept { last_flood_.store(clock::now(), std::memory_order_relaxed); }
    /// Not called by the loop's thread; `loop_thread` is that thread's clock. See event_loop::catch_up().
    void await_reading(clock::time_point until, const thread_clock& loop_thread) noexcept;

private:
    void on_ready(std::uint32_t) noexcept override { is_ready_ = true; }
    [[nodiscard]] bool poll() noexcept;
    [[nodiscard]] bool flooded() const noexcept;

    descriptor_set set_;
    int count_ = 0;          ///< descriptors in it
    int polls_left_ = 0;     ///< in the reading under way
    bool is_ready_ = false;  ///< the outer set has said so
    readings readings_;
    std::atomic<clock::time_point> last_flood_{};  ///< no partner: waits are shorter or longer
    std::atomic<int> waiting_{0};                  ///< threads. No partner: a later round sees it
};

}  // namespace zlink::runtime
