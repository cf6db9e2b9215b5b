// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One I/O thread's loop. It has one descriptor, the private epoll set that holds the connections, its wake-ups and its timers'
// alarm, and sleeps on that. Asio answers DNS look-ups; while one is under way the loop sleeps in Asio's set, which holds ours.
// Connection descriptors stay out of Asio's set, whose edge-triggered registration for good would wake this thread for every
// octet that an application thread reads itself (inline I/O).
//
// Descriptors whose input other threads may have to wait for (catch_up) are in a set of their own, inside that one, so that
// such a thread sees with one system call whether any of them is ready, whatever else goes on.
//
// The loop gives each kind of work its turn (work_classes.hpp): posted tasks, its work source (lanes and pipes that need
// attention), ready descriptors and due timers, for as long as any of them has some, and sleeps otherwise. It is driven in steps:
// by a thread of its own, run(), or by whoever takes that place (driver.hpp).
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "load/gathering.hpp"
#include "runtime/clock.hpp"
#include "runtime/descriptor_handler.hpp"
#include "runtime/events.hpp"
#include "runtime/task.hpp"
#include "runtime/timer_queue.hpp"
#include "runtime/work_classes.hpp"
#include "runtime/yield_spin.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace zlink::runtime {

class asio_driver;

/// What the loop does besides descriptors.
class work_source {
public:
    /// Begins a batch: what there is now. False: there is nothing. The one before is through.
    [[nodiscard]] virtual bool begin() noexcept = 0;
    /// The next piece of it. True: there is another one.
    [[nodiscard]] virtual bool piece() noexcept = 0;
    /// The last batch was worth the wait for it: several pieces in a row, not a lone one that a sleeping loop would have left to
    /// whoever had it.
    [[nodiscard]] virtual bool carried_batch() noexcept { return true; }
    /// Whether begin() would find work; looks at memory only.
    [[nodiscard]] virtual bool has_work() noexcept = 0;
    /// Before sleeping: makes sure that wake() is called for whatever comes from now on. True: something came already. The loop
    /// has stored that it sleeps; before the look comes a full fence (partner: wake()).
    [[nodiscard]] virtual bool prepare_to_sleep() noexcept = 0;

protected:
    ~work_source() = default;
};

/// Who may wait for the input of a descriptor.
enum class input : std::uint8_t { unawaited, awaited };

class event_loop {
public:
    explicit event_loop(bool spin);
    event_loop(const event_loop&) = delete;
    event_loop& operator=(const event_loop&) = delete;
    ~event_loop();

    /// Creates the descriptors; too_many_files and the like.
    [[nodiscard]] result<void> open();

    /// The body of a thread of its own; returns after stop(). `spin` is for such a one.
    void run(work_source& what) noexcept;

    static constexpr std::chrono::nanoseconds unlimited = std::chrono::nanoseconds::max();

    /// In place of run(), by one thread at a time, which is the loop's thread then: rounds of work until there is none, or
    /// `budget` is over; at least one. Returns for how long the caller may leave the loop alone: not at all if there is more to
    /// do; else until descriptor() is readable, and no longer than that. After stop() it does nothing.
    [[nodiscard]] std::chrono::nanoseconds step(work_source& what, std::chrono::nanoseconds budget) noexcept;
    /// Readable, after a step that found nothing more to do, when another one is due: a wake-up, a ready descriptor, a timer.
    [[nodiscard]] int descriptor() const noexcept { return set_; }

    /// Any thread.
    void stop() noexcept;
    /// Any thread: `work` runs on the loop's thread. It is not queued anywhere now.
    void post(task& work) noexcept;
    /// Any thread: calls `what` on `target`, unless that is queued already.
    template <class Target>
    void post(call_on<Target>& what, std::shared_ptr<Target> target) noexcept
    {
        if (what.take_up(std::move(target))) post(what);
    }
    /// Any thread: the work source has some. A store must not follow its announcement unfenced: callers publish their work by
    /// a sequentially consistent operation first.
    void wake() noexcept
    {
        if (asleep_.load(std::memory_order_seq_cst) && asleep_.exchange(false, std::memory_order_seq_cst)) interrupt();
    }

    /// Any thread: threads may yield for a moment before they wait (`spin`).
    [[nodiscard]] bool yields() const noexcept { return spin_.enabled(); }

    /// Any thread: it is at work, so that telling it costs no system call.
    [[nodiscard]] bool awake() const noexcept { return !asleep_.load(std::memory_order_relaxed); }

    /// Any thread: returns once the handlers of those descriptors whose input is awaited, and which have input now,
    /// have dealt with it; or when this loop's thread has run for 10 ms meanwhile; or at `until`; or, shortly after
    /// note_flood(), in some 50 us. One system call if there are none. On the loop's thread, between two steps, it does that itself.
    void catch_up(clock::time_point until) noexcept;

    // For whoever looks at several loops at once, see socket/hearing.hpp.

    /// Readable while a descriptor whose input is awaited is.
    [[nodiscard]] int awaited_descriptor() const noexcept { return awaited_set_.get(); }
    /// Any thread: counts the beginnings and ends of readings of such descriptors; odd while one is under way.
    [[nodiscard]] std::uint64_t readings() const noexcept { return readings_.load(std::memory_order_seq_cst); }
    /// The same: a reading has left some of their input behind, which their set does not tell of (a stream that wraps another had it).
    [[nodiscard]] bool input_left_behind() const noexcept
    {
        return awaited_is_requeued_.load(std::memory_order_seq_cst);
    }

    // Loop's thread (arm also any thread that owns the descriptor for the moment, see pipe/io_token.hpp)

    /// Adds a descriptor without interest.
    [[nodiscard]] result<void> add(int fd, descriptor_handler& handler, input kind = input::unawaited) noexcept;
    /// Reports the next readiness for any of `events`, once; 0 switches reports off, but for a hang-up or an error, which
    /// is still reported once.
    void arm(int fd, descriptor_handler& handler, std::uint32_t events) noexcept { arm_in(set_, fd, handler, events); }
    /// The same for the input of a descriptor that was added as awaited; arm() is for its output then.
    void arm_input(int fd, descriptor_handler& handler, std::uint32_t events) noexcept
    {
        arm_in(awaited_set_.get(), fd, handler, events);
    }
    /// Work of another kind, or another report, waits. One system call where it takes a look; if nothing does, the turn begins
    /// once more.
    [[nodiscard]] bool is_called_for() noexcept;
    /// Loop's thread: input is reported to `handler` (added as `kind`) with the next look at descriptors, though the descriptor
    /// itself may have none: for streams that keep octets which nobody has read. Once, like a report.
    void requeue(descriptor_handler& handler, input kind) noexcept;
    /// After this no report comes, not even one that epoll had delivered already.
    void remove(int fd, descriptor_handler& handler) noexcept;

    /// A descriptor whose input is awaited does not run dry: nobody waits for that.
    void note_flood() noexcept;

    /// Whoever has several parts of a piece of work in a row (batches to write, reads, connections to accept) leaves the rest for
    /// its next turn.
    [[nodiscard]] bool turn_is_over() const noexcept { return classes_.turn_is_over(clock::now()); }

private:
    friend class deadline_timer;
    friend class driver;
    friend class resolver;

    /// Stands for the inner set in the outer one.
    struct inner_set final : descriptor_handler {
        explicit inner_set(event_loop& loop) noexcept : loop_(loop) {}
        void on_ready(std::uint32_t) noexcept override { loop_.awaited_is_ready_ = true; }
        event_loop& loop_;
    };

    void begin_here() noexcept { thread_time_.begin(); }
    bool round(work_source& what) noexcept;
    [[nodiscard]] std::chrono::nanoseconds fall_asleep(work_source& what) noexcept;
    [[nodiscard]] std::chrono::nanoseconds until_next_timer() noexcept;
    void sleep(std::chrono::nanoseconds pause) noexcept;
    void gather() noexcept;
    [[nodiscard]] bool listen_to(int fd) noexcept;
    // The classes: begin_...() begins a batch, do_...() does its next piece.
    class turns;
    bool begin_tasks() noexcept;
    bool do_task() noexcept;
    bool begin_descriptors() noexcept;
    bool do_descriptor() noexcept;
    bool begin_awaited() noexcept;
    bool do_awaited() noexcept;
    bool begin_timers() noexcept;
    bool do_timer() noexcept;
    static void arm_in(int set, int fd, descriptor_handler& handler, std::uint32_t events) noexcept;
    [[nodiscard]] bool look_at_awaited() noexcept;
    void read_awaited() noexcept;
    bool nothing_awaited() noexcept;
    [[nodiscard]] bool flooded() const noexcept;
    void interrupt() noexcept;

    std::unique_ptr<asio_driver> asio_;
    int set_ = -1;           ///< the epoll set; Asio closes it
    unique_fd awaited_set_;  ///< in the set
    inner_set inner_{*this};
    unique_fd interrupt_;    ///< in the set: ends a sleep
    unique_fd alarm_clock_;  ///< in the set
    work_classes classes_;
    timer_queue timers_;
    clock::time_point due_by_{};    ///< of the batch of timers under way
    std::size_t most_timers_ = 0;   ///< which has no more than these
    clock::time_point alarm_at_{};  ///< what alarm_clock_ is set to
    int look_ups_ = 0;              ///< answers that Asio owes
    bool has_thread_ = false;       ///< run() was called
    yield_spin spin_;
    load::gathering gathering_;  ///< after a sleep; told what the next look finds
    std::atomic<bool> asleep_{
        false};  ///< partners: what is looked at behind it: work_source::prepare_to_sleep(), and the next two
    std::atomic<bool> stopped_{false};    ///< partner: asleep_, in wake()
    std::atomic<bool> has_tasks_{false};  ///< partner: asleep_, in wake()
    std::mutex mutex_;
    task* first_ = nullptr;  ///< posted, the oldest
    task* last_ = nullptr;
    task* taken_ = nullptr;  ///< taken out of those by the loop's thread, not run yet
    descriptor_reports ready_;
    descriptor_reports awaited_ready_;
    unsigned rounds_ = 0;
    bool quiet_ = false;                      ///< the last look at the set found nothing, and no sleep has since
    bool due_ = false;                        ///< in this round all sets are looked at
    clock::time_point looked_at_{};           ///< the set
    bool awaited_is_ready_ = false;           ///< the set has said so
    int looks_left_ = 0;                      ///< at the awaited set, in the reading under way
    int awaited_count_ = 0;                   ///< descriptors in the awaited set
    std::atomic<std::uint64_t> readings_{0};  ///< of the awaited set; odd while one is under way; read by catch_up()
    std::atomic<clock::time_point> last_flood_{};  ///< read by catch_up()
    thread_clock thread_time_;                     ///< of the loop's thread
    handler_queue requeued_;
    handler_queue awaited_requeued_;
    std::atomic<bool> awaited_is_requeued_{false};  ///< partner: readings_, in nothing_awaited()
    std::atomic<int> waiting_{0};                   ///< threads that catch up: every round looks at the awaited set
};

}  // namespace zlink::runtime
