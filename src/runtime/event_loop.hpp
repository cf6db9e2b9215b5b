// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One I/O thread's loop. It has one descriptor, the private epoll set that holds the connections, its interrupter and
// its alarm, and sleeps on that. While the answer to a DNS look-up is owed, the sleep is the look-up service's: in
// Asio's set, which holds the loop's, or on two descriptors. Connection descriptors stay out of Asio's set. Its
// permanent edge-triggered registration would wake this thread for every byte that an application thread reads itself
// (inline I/O).
//
// The loop gives each kind of work its turn (work_classes.hpp) for as long as there is any; otherwise it sleeps. The
// kinds are posted tasks, its work source (lanes and pipes that need attention), ready descriptors, awaited input and
// due timers. It is driven in steps: by a thread of its own, run(), or by a thread that takes that place (driver.hpp).
#pragma once

#include "base/invariant.hpp"
#include "base/result.hpp"
#include "runtime/alarm.hpp"
#include "runtime/awaited_input.hpp"
#include "runtime/clock.hpp"
#include "runtime/descriptor_handler.hpp"
#include "runtime/descriptor_set.hpp"
#include "runtime/dns_answers.hpp"
#include "runtime/events.hpp"
#include "runtime/interrupter.hpp"
#include "runtime/poll_pacing.hpp"
#include "runtime/task.hpp"
#include "runtime/task_queue.hpp"
#include "runtime/timer_queue.hpp"
#include "runtime/work_classes.hpp"
#include "runtime/yield_spin.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace zlink::runtime {

/// The loop's work other than descriptors, tasks and timers.
class work_source {
public:
    /// Begins a batch: the work that is there now. False: there is nothing. The batch before is done.
    [[nodiscard]] virtual bool begin() noexcept = 0;
    /// The next piece of it. True: there is another one.
    [[nodiscard]] virtual bool piece() noexcept = 0;
    /// The last batch was worth the wait for it: several pieces in a row. A single piece would have been left to the
    /// thread that had it if the loop had slept.
    [[nodiscard]] virtual bool carried_batch() noexcept { return true; }
    /// Whether begin() would find work; looks at memory only.
    [[nodiscard]] virtual bool has_work() noexcept = 0;
    /// Before sleeping: makes sure that wake() is called for all later work. True: some came already. The loop has
    /// stored that it sleeps; before the look comes a full fence (partner: wake()).
    [[nodiscard]] virtual bool prepare_to_sleep() noexcept = 0;

protected:
    ~work_source() = default;
};

/// Whether other threads may wait for the input of a descriptor.
enum class input : std::uint8_t { unawaited, awaited };

/// How a step ends. `once`: descriptors that become ready during its work are left to the next step, which is due then:
/// for a caller that waits at descriptor(), and so looks itself.
enum class looks : std::uint8_t { until_nothing, once };

class event_loop {
public:
    explicit event_loop(bool spin);
    event_loop(const event_loop&) = delete;
    event_loop& operator=(const event_loop&) = delete;
    ~event_loop();

    /// Creates the descriptors; too_many_files and the like.
    [[nodiscard]] result<void> open();

    /// The body of a thread of its own; returns after stop(). The constructor's `spin` is for such a thread.
    void run(work_source& what) noexcept;

    static constexpr std::chrono::nanoseconds unlimited = std::chrono::nanoseconds::max();

    /// In place of run(), by one thread at a time, which is then the loop's thread. Does rounds of work until there is
    /// none, or `budget` is over; at least one. Returns how long the caller may leave the loop alone. Zero: there is
    /// more to do. Else the caller may wait until descriptor() is readable, at most for the returned time. After stop()
    /// it does nothing.
    [[nodiscard]] std::chrono::nanoseconds step(work_source& what, std::chrono::nanoseconds budget,
                                                looks how = looks::until_nothing) noexcept;
    /// The loop's thread leaves a loop that it has stepped out of turn: descriptor() is readable if the last step has
    /// left something to do, or if another step is wanted (`always`).
    void leave(bool always) noexcept
    {
        if (always || interrupter_.awake()) interrupter_.insist();
    }
    /// In place of the end of run(): no step follows. Runs the tasks that are left.
    void end_steps() noexcept;
    /// After a step that found nothing more to do, readable when another one is due: a wake-up, a ready descriptor, a
    /// timer.
    [[nodiscard]] int descriptor() const noexcept { return descriptors_.descriptor(); }

    /// Any thread.
    void stop() noexcept;
    /// Any thread: `work` runs on the loop's thread. It is not queued anywhere now.
    void post(task& work) noexcept;
    /// Any thread: calls `what` on `target`, unless that call is queued already.
    template <class Target>
    void post(call_on<Target>& what, std::shared_ptr<Target> target) noexcept
    {
        if (what.take_up(std::move(target))) post(what);
    }
    /// Any thread: the work source has some. A store must not follow its announcement unfenced: callers publish their
    /// work by a sequentially consistent operation first.
    void wake() noexcept { interrupter_.wake(); }

    /// Any thread: threads may yield for a moment before they wait (`spin`).
    [[nodiscard]] bool yields() const noexcept { return spin_.enabled(); }

    /// Any thread: the loop is at work, so that telling it costs no system call.
    [[nodiscard]] bool awake() const noexcept { return interrupter_.awake(); }

    /// Any thread: waits for the handlers of those descriptors that have awaited input now. Returns once they have
    /// dealt with it. Returns earlier at `until`, or when this loop's thread has run for 10 ms meanwhile. Shortly after
    /// note_flood(), it returns in some 50 us. One system call if there are none. On the loop's thread, between two
    /// steps, it runs the handlers itself.
    void catch_up(clock::time_point until) noexcept;

    // For a look at several loops at once, see socket/input_probe.hpp.

    /// Readable while a descriptor with awaited input is.
    [[nodiscard]] int awaited_descriptor() const noexcept { return awaited_.descriptor(); }
    /// Any thread: counts the beginnings and ends of readings of such descriptors; odd while one is under way.
    [[nodiscard]] std::uint64_t readings() const noexcept { return awaited_.counted().count(); }
    /// The same: a reading has left some of their input behind, which their set does not report (a stream that wraps
    /// another had it).
    [[nodiscard]] bool input_left_behind() const noexcept { return awaited_.counted().input_left_behind(); }

    // Loop's thread (arm also any thread that owns the descriptor for the moment, see pipe/io_token.hpp)

    /// Adds a descriptor without interest.
    [[nodiscard]] result<void> add(int fd, descriptor_handler& handler, input kind = input::unawaited) noexcept;
    /// Reports the next readiness for any of `events`, once. 0 switches reports off, except for a hang-up or an error,
    /// which is still reported once.
    void arm(int fd, descriptor_handler& handler, std::uint32_t events) noexcept
    {
        descriptors_.arm(fd, handler, events);
    }
    /// Reports readiness for any of `events` now, and each time that some comes, until the next call for the descriptor.
    void keep(int fd, descriptor_handler& handler, std::uint32_t events) noexcept
    {
        descriptors_.keep(fd, handler, events);
    }
    /// As arm(), for the input of a descriptor that was added as awaited; arm() is then for its output.
    void arm_input(int fd, descriptor_handler& handler, std::uint32_t events) noexcept
    {
        awaited_.arm(fd, handler, events);
    }
    /// Work of another kind, or another report, waits. One system call if memory does not tell; if nothing waits, the
    /// turn begins once more.
    [[nodiscard]] bool is_called_for() noexcept;
    /// Input is reported to `handler` (added as `kind`) with the next look at descriptors, though the descriptor itself
    /// may have none. For streams that keep bytes that have not been read yet. Once, like a report.
    void requeue(descriptor_handler& handler, input kind) noexcept;
    /// After this no report comes, not even one that epoll had already delivered.
    void remove(int fd, descriptor_handler& handler) noexcept;

    /// A descriptor with awaited input does not run dry: threads do not wait long for that.
    void note_flood() noexcept
    {
        invariant([this] { return on_loop_thread(); });
        awaited_.note_flood();
    }

    /// A piece of work of several parts (batches to write, reads, connections to accept) leaves the rest for its next
    /// turn.
    [[nodiscard]] bool slice_is_over() const noexcept
    {
        invariant([this] { return on_loop_thread(); });
        return classes_.slice_is_over(clock::now());
    }

    /// The caller is the loop's thread; or no thread is, as the loop has none yet, or has none any more. For
    /// invariants.
    [[nodiscard]] bool on_loop_thread() const noexcept { return thread_.is_callers_or_nobodys(); }

private:
    friend class deadline_timer;
    friend class driver;
    friend class resolver;

    void begin_here() noexcept { thread_.begin(); }
    void end_here() noexcept { thread_.end(); }
    bool round(work_source& what) noexcept;
    [[nodiscard]] bool anything_left() const noexcept;
    [[nodiscard]] std::chrono::nanoseconds fall_asleep(work_source& what) noexcept;
    [[nodiscard]] std::chrono::nanoseconds until_next_timer() noexcept;
    void sleep(std::chrono::nanoseconds pause) noexcept;
    [[nodiscard]] bool listen_to(int fd) noexcept { return descriptors_.add_wake_up(fd).has_value(); }
    // The classes: begin_...() begins a batch, do_...() does its next piece.
    class turns;
    bool begin_tasks() noexcept;
    bool do_task() noexcept;
    bool begin_descriptors() noexcept;
    bool do_descriptor() noexcept;
    bool begin_timers() noexcept;
    bool do_timer() noexcept;

    work_classes classes_;
    timer_queue timers_;
    alarm alarm_;              ///< in descriptors_
    bool has_thread_ = false;  ///< run() was called
    yield_spin spin_;
    interrupter interrupter_;           ///< in descriptors_
    std::atomic<bool> stopped_{false};  ///< partner: interrupter::asleep_
    task_queue tasks_;
    descriptor_set descriptors_;
    poll_pacing pacing_;     ///< of descriptors_
    awaited_input awaited_;  ///< in descriptors_
    dns_answers answers_;    ///< uses descriptors_
    thread_clock thread_;    ///< the loop's
};

}  // namespace zlink::runtime
