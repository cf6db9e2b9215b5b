// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/event_loop.hpp"

#include "base/cancellation.hpp"
#include "runtime/deadline_timer.hpp"
#include "runtime/driver.hpp"
#include "runtime/pause.hpp"

#include <poll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <utility>

namespace zlink::runtime {

namespace {

// How often a loop without a thread of its own looks for the answer to a look-up.
constexpr std::chrono::milliseconds between_checks_for_answers{10};

}  // namespace

// The work of the loop in the turns of its classes.
class event_loop::turns {
public:
    turns(event_loop& loop, work_source& what) noexcept : loop_(loop), what_(what) {}

    bool begin(work_class c) noexcept
    {
        switch (c) {
        case work_class::tasks: return loop_.begin_tasks();
        case work_class::pipe_ends: return what_.begin();
        case work_class::descriptors: return loop_.begin_descriptors();
        case work_class::waiting_calls: return loop_.awaited_.begin();
        case work_class::timers: return loop_.begin_timers();
        }
        return false;
    }
    bool piece(work_class c) noexcept
    {
        switch (c) {
        case work_class::tasks: return loop_.do_task();
        case work_class::pipe_ends: return what_.piece();
        case work_class::descriptors: return loop_.do_descriptor();
        case work_class::waiting_calls: return loop_.awaited_.piece();
        case work_class::timers: return loop_.do_timer();
        }
        return false;
    }
    [[nodiscard]] bool is_overtaken(work_class c) const noexcept
    {
        return c != work_class::waiting_calls && loop_.awaited_.awaited();
    }
    // The time of pipe ends counts from the last poll. So if the reader of their output is on this loop, it reads that
    // at once.
    [[nodiscard]] clock::time_point slice_began(work_class c) const noexcept
    {
        return c == work_class::pipe_ends ? loop_.pacing_.polled_at() : clock::now();
    }
    [[nodiscard]] static clock::time_point now() noexcept { return clock::now(); }

private:
    event_loop& loop_;
    work_source& what_;
};

event_loop::event_loop(bool spin) : spin_(yield_spin::that_naps(spin)) {}

event_loop::~event_loop() = default;

result<void> event_loop::open()
{
    if (const auto opened = descriptors_.open(); !opened) return opened;
    if (const auto opened = interrupter_.open(); !opened) return opened;
    if (const auto opened = alarm_.open(); !opened) return opened;
    if (const auto opened = awaited_.open(descriptors_); !opened) return opened;
    if (const auto added = descriptors_.add_wake_up(interrupter_.descriptor()); !added) return added;
    if (const auto added = descriptors_.add_wake_up(alarm_.descriptor()); !added) return added;
    return answers_.open(descriptors_.descriptor());
}

void event_loop::run(work_source& what) noexcept
{
    begin_here();
    has_thread_ = true;
    // The length of a nap was chosen: the kernel must not add its 50 us.
    (void)::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    while (!stopped_.load(std::memory_order_acquire)) {
        const auto pause = step(what, unlimited);
        if (pause <= pause.zero()) continue;
        sleep(pause);
    }
    end_steps();
    end_here();
}

void event_loop::end_steps() noexcept
{
    invariant([this] { return on_loop_thread(); });
    stopped_.store(true, std::memory_order_seq_cst);
    interrupter_.stay_awake();
    while (begin_tasks()) (void)do_task();
}

// Sleeps in the loop's own set, where the alarm ends the sleep. While an answer to a look-up is owed, the sleep is the
// look-up service's, which watches the loop's set.
void event_loop::sleep(std::chrono::nanoseconds pause) noexcept
{
    if (answers_.owed()) {
        answers_.sleep(pause);
        pacing_.note_reports();
        return;
    }
    if (descriptors_.sleep()) pacing_.note_reports();
}

std::chrono::nanoseconds event_loop::step(work_source& what, std::chrono::nanoseconds budget, looks how) noexcept
{
    invariant([this] { return on_loop_thread(); });
    constexpr std::chrono::nanoseconds none{};
    interrupter_.stay_awake();
    if (!has_thread_) pacing_.note_reports();  // those that have ended the host's sleep
    const auto end = budget == unlimited ? clock::time_point::max() : clock::now() + budget;
    const auto called_for = [&] { return what.has_work() || tasks_.posted() || awaited_.awaited(); };
    bool yielded = false;
    while (!stopped_.load(std::memory_order_acquire)) {
        const bool did = round(what);
        if (std::exchange(yielded, false) && !what.carried_batch()) spin_.was_in_vain();
        if (!did) {
            pacing_.note_idle();
            if (has_thread_ && (yielded = spin_(called_for))) continue;
            if (answers_.owed()) answers_.poll();
            if (const auto pause = fall_asleep(what); pause > none) return pause;
        } else if (how == looks::once && !anything_left()) {
            if (const auto pause = fall_asleep(what); pause > none) return pause;
        }
        if (budget != unlimited && clock::now() >= end) break;
    }
    return none;
}

// Of what this thread knows of; fall_asleep() looks for the rest.
bool event_loop::anything_left() const noexcept
{
    return classes_.left_over() || descriptors_.was_full() || descriptors_.any_reports() ||
           descriptors_.any_requeued() || awaited_.any();
}

// True: there was something to do.
bool event_loop::round(work_source& what) noexcept
{
    pacing_.begin_round(classes_.left_over(work_class::tasks));
    const bool did = classes_.round(turns(*this, what));
    if (did && pacing_.due() && answers_.owed()) answers_.poll();
    return did;
}

// How long there is nothing to do; zero if it turns out that there is something.
std::chrono::nanoseconds event_loop::fall_asleep(work_source& what) noexcept
{
    interrupter_.fall_asleep();
    const bool called =
        what.prepare_to_sleep() || tasks_.posted_before_sleep() || stopped_.load(std::memory_order_seq_cst);
    auto pause = called ? std::chrono::nanoseconds{} : until_next_timer();
    // Answers to look-ups come by way of a sleep of a thread of its own.
    if (answers_.owed() && !has_thread_) pause = std::min<std::chrono::nanoseconds>(pause, between_checks_for_answers);
    if (pause <= pause.zero()) interrupter_.stay_awake();
    return pause;
}

// The time until the next timer's deadline, for which the alarm is set.
std::chrono::nanoseconds event_loop::until_next_timer() noexcept
{
    const auto next = timers_.next();
    if (next == clock::time_point::max()) return unlimited;
    const auto now = clock::now();
    if (next > now) alarm_.set(next, now);
    return next - now;
}

bool event_loop::begin_timers() noexcept
{
    return timers_.size() != 0 && timers_.begin_batch(clock::now());
}

bool event_loop::do_timer() noexcept
{
    if (timer_queue::entry* const due = timers_.take_from_batch()) static_cast<deadline_timer*>(due)->expire();
    return timers_.any_in_batch();
}

void event_loop::stop() noexcept
{
    stopped_.store(true, std::memory_order_seq_cst);
    wake();
}

void event_loop::post(task& work) noexcept
{
    tasks_.push(work);
    wake();
}

// Tasks may ask for anything, so the round polls.
bool event_loop::begin_tasks() noexcept
{
    if (!tasks_.any()) return false;
    pacing_.make_due();
    return tasks_.begin_batch();
}

bool event_loop::do_task() noexcept
{
    tasks_.run_next();
    return tasks_.any_in_batch();
}

result<void> event_loop::add(int fd, descriptor_handler& handler, input kind) noexcept
{
    invariant([this] { return on_loop_thread(); });
    const auto added = descriptors_.add(fd, handler);
    if (!added || kind == input::unawaited) return added;
    const auto awaited = awaited_.add(fd, handler);
    if (!awaited) (void)descriptors_.remove(fd);
    return awaited;
}

void event_loop::remove(int fd, descriptor_handler& handler) noexcept
{
    invariant([this] { return on_loop_thread(); });
    (void)descriptors_.remove(fd);
    descriptors_.forget(handler);
    awaited_.remove(fd, handler);
}

void event_loop::requeue(descriptor_handler& handler, input kind) noexcept
{
    invariant([this] { return on_loop_thread(); });
    if (kind == input::awaited) return awaited_.requeue(handler);
    (void)descriptors_.requeue(handler);
}

bool event_loop::is_called_for() noexcept
{
    invariant([this] { return on_loop_thread(); });
    if (descriptors_.any_reports() || descriptors_.any_requeued() || awaited_.any() || tasks_.any()) return true;
    pollfd ready{descriptor(), POLLIN, 0};
    if (::poll(&ready, 1, 0) != 0) return true;
    const auto now = clock::now();
    if (timers_.next() <= now) return true;
    classes_.renew_slice(now);
    return false;
}

// The reports that the sleep has found come first. If a poll may be skipped, nothing is likely to be ready: the loop
// has been idle, and has not worked for long since.
bool event_loop::begin_descriptors() noexcept
{
    const auto now = clock::now();
    const bool slept = descriptors_.any_reports();
    if (!slept && !descriptors_.was_full() && !descriptors_.any_requeued() && pacing_.may_skip(now)) return false;
    pacing_.note_poll(now);
    descriptors_.begin_batch();
    if (!slept && descriptors_.poll()) pacing_.note_reports();
    return descriptors_.any_in_batch();
}

bool event_loop::do_descriptor() noexcept
{
    descriptors_.pass_on();
    return descriptors_.any_in_batch();
}

void event_loop::catch_up(clock::time_point until) noexcept
{
    const cancellation_held_off hold;
    if (awaited_.nothing_there()) return;
    if (const driver* d = driver::of_this_thread(); d && d->drives(*this)) {
        const bool under_way = classes_.left_over(work_class::waiting_calls);
        classes_.nothing_left_over(work_class::waiting_calls);
        return awaited_.read_all(under_way);
    }
    awaited_.await_reading(until, thread_);
}

}  // namespace zlink::runtime
