// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/event_loop.hpp"

#include "base/cancellation.hpp"
#include "base/invariant.hpp"
#include "load/thread_rests.hpp"
#include "runtime/asio_driver.hpp"
#include "runtime/deadline_timer.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace zlink::runtime {

namespace {

static_assert(events::readable == EPOLLIN && events::writable == EPOLLOUT && events::failed == EPOLLERR &&
              events::hung_up == EPOLLHUP && events::ended == EPOLLRDHUP);

// Rounds of work between two looks at descriptors, timers and DNS answers.
constexpr unsigned rounds_between_polls = 32;

// How long the loop sleeps when it cannot have the set watched.
constexpr std::chrono::milliseconds without_watching{10};

// How often a loop without a thread of its own looks for the answer to a look-up.
constexpr std::chrono::milliseconds between_looks_for_answers{10};

}  // namespace

// What the loop does in the turns of its classes.
class event_loop::turns {
public:
    turns(event_loop& loop, work_source& what) noexcept : loop_(loop), what_(what) {}

    bool begin(work_class c) noexcept
    {
        switch (c) {
        case work_class::tasks: return loop_.begin_tasks();
        case work_class::pipe_ends: return what_.begin();
        case work_class::descriptors: return loop_.begin_descriptors();
        case work_class::waiting_calls: return loop_.begin_awaited();
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
        case work_class::waiting_calls: return loop_.do_awaited();
        case work_class::timers: return loop_.do_timer();
        }
        return false;
    }
    [[nodiscard]] bool is_overtaken(work_class c) const noexcept
    {
        return c != work_class::waiting_calls && loop_.waiting_.load(std::memory_order_relaxed) != 0;
    }
    // Pipe ends have their time from the last look at descriptors on: what they write is read at once where its reader lives here.
    [[nodiscard]] clock::time_point turn_began(work_class c) const noexcept
    {
        return c == work_class::pipe_ends ? loop_.looked_at_ : clock::now();
    }
    [[nodiscard]] static clock::time_point now() noexcept { return clock::now(); }

private:
    event_loop& loop_;
    work_source& what_;
};

event_loop::event_loop(bool spin)
    : asio_(std::make_unique<asio_driver>()),
      spin_(yield_spin::that_naps(spin)),
      gathering_(spin)
{}

event_loop::~event_loop() = default;

result<void> event_loop::open()
{
    unique_fd set(::epoll_create1(EPOLL_CLOEXEC));
    if (!set) return from_errno(errno);
    interrupt_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!interrupt_) return from_errno(errno);
    alarm_clock_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!alarm_clock_) return from_errno(errno);
    awaited_set_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!awaited_set_) return from_errno(errno);
    epoll_event inner{};
    inner.events = EPOLLIN;
    inner.data.ptr = static_cast<descriptor_handler*>(&inner_);
    if (::epoll_ctl(set.get(), EPOLL_CTL_ADD, awaited_set_.get(), &inner) != 0) return from_errno(errno);
    set_ = set.get();
    if (!listen_to(interrupt_.get()) || !listen_to(alarm_clock_.get())) return from_errno(errno);
    if (const auto error = asio_->open(std::move(set))) return from_errno(error.value());
    return {};
}

// Nobody reads it, nobody is told but the loop.
bool event_loop::listen_to(int fd) noexcept
{
    epoll_event each_time{};
    each_time.events = EPOLLIN | EPOLLET;
    return ::epoll_ctl(set_, EPOLL_CTL_ADD, fd, &each_time) == 0 || errno == EEXIST;
}

void event_loop::run(work_source& what) noexcept
{
    begin_here();
    has_thread_ = true;
    // A nap is a time that was chosen; the kernel's 50 us on top are not for it.
    (void)::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    while (!stopped_.load(std::memory_order_acquire)) {
        const auto pause = step(what, unlimited);
        if (pause <= pause.zero()) continue;
        sleep(pause);
        gather();
    }
    asleep_.store(false, std::memory_order_relaxed);
    while (begin_tasks()) (void)do_task();
}

// In the set itself, where the alarm ends it; in Asio's, which contains that, while Asio owes an answer.
void event_loop::sleep(std::chrono::nanoseconds pause) noexcept
{
    if (look_ups_ != 0) {
        asio_->sleep(std::min<std::chrono::nanoseconds>(pause, without_watching));
        quiet_ = false;
        return;
    }
    if (ready_.wait(set_)) quiet_ = false;
}

// After a sleep: of several descriptors that are about to be ready one may have ended it.
void event_loop::gather() noexcept
{
    const auto start = clock::now();
    if (!gathering_.woken(start) || spin_.displaced()) return;
    yield();
    const auto end = clock::now();
    gathering_.yielded(end, end - start);
    spin_.note_yield(end - start);
    if (ready_.look(set_)) quiet_ = false;
}

std::chrono::nanoseconds event_loop::step(work_source& what, std::chrono::nanoseconds budget) noexcept
{
    constexpr std::chrono::nanoseconds none{};
    asleep_.store(false, std::memory_order_relaxed);
    const auto end = budget == unlimited ? clock::time_point::max() : clock::now() + budget;
    const auto called_for = [&] {
        return what.has_work() || has_tasks_.load(std::memory_order_relaxed) ||
               waiting_.load(std::memory_order_relaxed) != 0;
    };
    bool yielded = false;
    while (!stopped_.load(std::memory_order_acquire)) {
        const bool did = round(what);
        if (std::exchange(yielded, false) && !what.carried_batch()) spin_.was_in_vain();
        if (!did) {
            quiet_ = true;
            if (has_thread_ && (yielded = spin_(called_for))) continue;
            if (look_ups_ != 0) asio_->poll();
            if (const auto pause = fall_asleep(what); pause > none) return pause;
        }
        if (budget != unlimited && clock::now() >= end) break;
    }
    return none;
}

// True: there was something to do.
bool event_loop::round(work_source& what) noexcept
{
    due_ = ++rounds_ % rounds_between_polls == 0 || classes_.left_over(work_class::tasks);
    const bool did = classes_.round(turns(*this, what));
    if (did && due_ && look_ups_ != 0) asio_->poll();
    return did;
}

// How long nothing needs to be done; nothing if it turns out that there is something.
std::chrono::nanoseconds event_loop::fall_asleep(work_source& what) noexcept
{
    asleep_.store(true, std::memory_order_seq_cst);
    const bool called = what.prepare_to_sleep() || has_tasks_.load(std::memory_order_seq_cst) ||
                        stopped_.load(std::memory_order_seq_cst);
    auto pause = called ? std::chrono::nanoseconds{} : until_next_timer();
    // Asio's answers come by way of its own sleep.
    if (look_ups_ != 0 && !has_thread_) pause = std::min<std::chrono::nanoseconds>(pause, between_looks_for_answers);
    if (pause <= pause.zero()) asleep_.store(false, std::memory_order_relaxed);
    return pause;
}

// How long it is until the next timer's deadline. Who sleeps is told by the alarm, which stays set from sleep to sleep: a sleep with a limit of
// its own sets a timer of the kernel and takes it back each time, which costs 5 us on a virtual machine if it is the processor's next
// one (docs/decisions/0020-no-cliffs.md). One that comes too early does no harm and is left.
std::chrono::nanoseconds event_loop::until_next_timer() noexcept
{
    const auto next = timers_.next();
    if (next == clock::time_point::max()) return unlimited;
    const auto now = clock::now();
    if (next > now && (alarm_at_ <= now || next < alarm_at_)) {
        const auto at = std::chrono::nanoseconds(next.time_since_epoch()).count();
        const itimerspec when{{}, {time_t(at / 1'000'000'000), long(at % 1'000'000'000)}};
        [[maybe_unused]] const int set = ::timerfd_settime(alarm_clock_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
        invariant([set] { return set == 0; });
        alarm_at_ = next;
    }
    return next - now;
}

// Those that are due, as many as there are at most: one that starts again with an early deadline holds nobody up.
bool event_loop::begin_timers() noexcept
{
    if (timers_.size() == 0) return false;
    due_by_ = clock::now();
    most_timers_ = timers_.size();
    return timers_.next() <= due_by_;
}

bool event_loop::do_timer() noexcept
{
    if (timer_queue::entry* const due = timers_.take_due(due_by_)) static_cast<deadline_timer*>(due)->expire();
    return --most_timers_ != 0 && timers_.next() <= due_by_;
}

void event_loop::stop() noexcept
{
    stopped_.store(true, std::memory_order_seq_cst);
    wake();
}

void event_loop::post(task& work) noexcept
{
    work.next_ = nullptr;
    {
        const std::lock_guard lock(mutex_);
        (last_ ? last_->next_ : first_) = &work;
        last_ = &work;
    }
    has_tasks_.store(true, std::memory_order_seq_cst);
    wake();
}

bool event_loop::begin_tasks() noexcept
{
    if (!taken_) {
        if (!has_tasks_.load(std::memory_order_acquire)) return false;
        const std::lock_guard lock(mutex_);
        has_tasks_.store(false, std::memory_order_relaxed);
        taken_ = std::exchange(first_, nullptr);
        last_ = nullptr;
    }
    due_ = true;
    return taken_ != nullptr;
}

bool event_loop::do_task() noexcept
{
    // It may go, or be posted again, while it runs.
    task& work = *taken_;
    taken_ = work.next_;
    work.run();
    return taken_ != nullptr;
}

void event_loop::interrupt() noexcept
{
    const cancellation_held_off hold;
    const std::uint64_t one = 1;
    const auto start = clock::now();
    [[maybe_unused]] const ssize_t written = ::write(interrupt_.get(), &one, sizeof one);
    load::note_telling_of_this_thread(clock::now() - start);
}

result<void> event_loop::add(int fd, descriptor_handler& handler, input kind) noexcept
{
    epoll_event e{};
    e.events = EPOLLONESHOT;
    e.data.ptr = &handler;
    if (::epoll_ctl(set_, EPOLL_CTL_ADD, fd, &e) != 0) return from_errno(errno);
    if (kind == input::unawaited) return {};
    if (::epoll_ctl(awaited_set_.get(), EPOLL_CTL_ADD, fd, &e) != 0) {
        const errc error = from_errno(errno);
        ::epoll_ctl(set_, EPOLL_CTL_DEL, fd, &e);
        return error;
    }
    ++awaited_count_;
    return {};
}

void event_loop::arm_in(int set, int fd, descriptor_handler& handler, std::uint32_t events) noexcept
{
    epoll_event e{};
    e.events = events | EPOLLONESHOT;
    e.data.ptr = &handler;
    ::epoll_ctl(set, EPOLL_CTL_MOD, fd, &e);
}

void event_loop::remove(int fd, descriptor_handler& handler) noexcept
{
    if (handler.requeued_in_) {
        handler.requeued_in_->remove(handler);
        if (!awaited_requeued_.any()) awaited_is_requeued_.store(false, std::memory_order_relaxed);
    }
    epoll_event e{};
    ::epoll_ctl(set_, EPOLL_CTL_DEL, fd, &e);
    if (awaited_count_ != 0 && ::epoll_ctl(awaited_set_.get(), EPOLL_CTL_DEL, fd, &e) == 0) --awaited_count_;
    ready_.forget(handler);
    awaited_ready_.forget(handler);
}

void event_loop::requeue(descriptor_handler& handler, input kind) noexcept
{
    if (handler.requeued_in_) return;
    if (kind == input::unawaited) return requeued_.push(handler);
    awaited_requeued_.push(handler);
    // Before the reading ends that left octets behind: whoever finds that it has ended finds this.
    awaited_is_requeued_.store(true, std::memory_order_seq_cst);
}

bool event_loop::is_called_for() noexcept
{
    if (ready_.any() || awaited_ready_.any() || requeued_.any() || awaited_requeued_.any() || taken_ ||
        has_tasks_.load(std::memory_order_relaxed))
        return true;
    pollfd ready{set_, POLLIN, 0};
    if (::poll(&ready, 1, 0) != 0) return true;
    const auto now = clock::now();
    if (timers_.next() <= now) return true;
    classes_.begin_turn_again(now);
    return false;
}

// What the sleep has found comes first. Since nothing was found there is nothing, unless we have been busy for long.
bool event_loop::begin_descriptors() noexcept
{
    const auto now = clock::now();
    const bool slept = ready_.any();
    if (!slept && quiet_ && !due_ && !ready_.was_full() && !requeued_.any() &&
        now - looked_at_ < work_classes::longest_piece)
        return false;
    looked_at_ = now;
    requeued_.begin_batch();
    if (!slept && ready_.look(set_)) quiet_ = false;
    gathering_.found(ready_.size());
    return ready_.any() || requeued_.any_in_batch();
}

bool event_loop::do_descriptor() noexcept
{
    if (requeued_.any_in_batch()) {
        requeued_.pass_on();
    } else {
        ready_.pass_on();
    }
    return requeued_.any_in_batch() || ready_.any();
}

}  // namespace zlink::runtime
