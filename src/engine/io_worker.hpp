// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One I/O thread, or the program's own in its place: an event loop, the queue of pipe ends that need attention, and the
// lanes that just ran empty. Sessions, connections and listeners live on one worker each.
#pragma once

#include "base/invariant.hpp"
#include "engine/idle_trimmer.hpp"
#include "engine/resident.hpp"
#include "load/limits.hpp"
#include "load/own_write_budget.hpp"
#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "runtime/deadline_timer.hpp"
#include "runtime/driver.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/thread.hpp"
#include "runtime/thread_settings.hpp"
#include "wire/receive_arena.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zlink::engine {

class io_worker final : private runtime::work_source {
public:
    /// `spin`: yield for a moment before each sleep.
    explicit io_worker(bool spin);
    ~io_worker();

    /// Starts the thread. Errors: too_many_files, again (the system has no thread).
    [[nodiscard]] result<void> start(const runtime::thread_settings& settings, int index);
    /// In place of start(): no thread. A driver makes the loop's steps.
    [[nodiscard]] result<void> open();
    void drive(std::optional<runtime::driver>& by) noexcept
    {
        by.emplace(loop_, static_cast<runtime::work_source&>(*this));
    }

    /// Ends the thread, or the steps; everything that lived on it is gone.
    void stop() noexcept;

    /// Any other thread: see event_loop::catch_up().
    void catch_up(std::chrono::steady_clock::time_point until) noexcept { loop_.catch_up(until); }

    [[nodiscard]] runtime::event_loop& loop() noexcept { return loop_; }
    /// The queue to which pipe ends of this worker's sessions report.
    [[nodiscard]] pipe::activation_queue& activations() noexcept;
    [[nodiscard]] wire::receive_arena& arena() noexcept { return arena_; }
    [[nodiscard]] idle_trimmer& idle() noexcept { return idle_; }
    [[nodiscard]] resident_list& residents() noexcept { return residents_; }

    /// Worker's thread: memory is short for what a resident wants to do later. All of them are told in a while
    /// (resident::go_on_after_shortage()). This needs no memory.
    void rest_after_shortage() noexcept;

    /// Worker's thread: the inbound lane of `end` ran empty. It is looked at again until the thread sleeps, and made
    /// dormant then. New messages are told as event_data.
    void watch(pipe::pipe_end& end) noexcept;
    /// As watch(), but the lane is made dormant at once: its writer may then send by itself.
    void make_dormant(pipe::pipe_end& end) noexcept;
    /// Worker's thread: other work waits, and has waited for long enough: the rest of several pieces of work is left
    /// for the next turn.
    [[nodiscard]] bool slice_is_over() noexcept;
    /// Worker's thread: so many messages and octets went out of a lane.
    void note_written(std::uint64_t messages, std::uint64_t octets) noexcept
    {
        invariant([this] { return loop_.on_loop_thread(); });
        messages_ += messages;
        octets_ += octets;
    }
    /// Worker's thread: `end` is about to be closed.
    void forget(pipe::pipe_end& end) noexcept;

    /// The budget of threads that send to connections that live here. Any thread.
    [[nodiscard]] zlink::load::own_write_budget& own_writes() noexcept { return own_writes_; }

    /// Sessions that live here, counted from when they are made, on any thread. New sessions go to the least loaded
    /// worker.
    std::atomic<int> load{0};

private:
    class queue;

    bool begin() noexcept override;
    bool piece() noexcept override;
    bool has_work() noexcept override;
    bool prepare_to_sleep() noexcept override;
    [[nodiscard]] bool carried_batch() noexcept override
    {
        namespace limit = zlink::load::limits::yielding;
        return messages_ > limit::most_handed_on || octets_ >= limit::batch_octets;
    }
    void begin_watched() noexcept;
    [[nodiscard]] static bool has_news(pipe::pipe_end& end) noexcept;
    void pass_by_silent() noexcept;
    [[nodiscard]] bool more_ends() const noexcept { return taken_ || found_at_ < found_.size(); }
    bool make_watched_dormant() noexcept;

    runtime::event_loop loop_;
    queue* queue_;
    wire::receive_arena arena_{true};
    std::uint64_t messages_ = 0;  ///< written since the last batch of ends began
    std::uint64_t octets_ = 0;
    pipe::pipe_end* taken_ = nullptr;  ///< out of the queue, with those behind it, not told yet
    std::vector<pipe::pipe_end*> watched_;
    std::vector<pipe::pipe_end*> found_;  ///< watched_, while they are told; null: forgotten meanwhile
    std::size_t found_at_ = 0;
    idle_trimmer idle_;
    resident_list residents_;
    runtime::deadline_timer rest_;  ///< has its place in the loop
    zlink::load::own_write_budget own_writes_;
    runtime::thread thread_;
};

}  // namespace zlink::engine
