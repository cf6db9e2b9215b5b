#include "runtime/event_loop.hpp"

#include "runtime/brief_wait.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace zlink::runtime {

namespace {

// Rounds of work between two looks at timers and DNS answers.
constexpr unsigned rounds_between_polls = 32;

// A duty with many pieces of work looks at the descriptors in between: as often as there are descriptors in one look, so
// that neither has to wait for all of the other. Figures: docs/decisions/0008.
constexpr int pieces_between_polls = 64;

// Errands run in one round: a program that opens and closes sockets as fast as it can does not hold up the others.
constexpr std::size_t most_errands = 64;

// How long the loop sleeps when it cannot have the set watched.
constexpr std::chrono::milliseconds without_watching{10};

// How long others wait for what a flood may hide, and how long it counts as one after it was noted.
constexpr std::chrono::microseconds longest_in_flood{50};
constexpr std::chrono::milliseconds flood_lasts{20};

// How long this thread may run until then, beside whatever else it does. (Usual are some microseconds; what the host of a virtual
// machine takes from the thread looks the same.)
constexpr std::chrono::milliseconds longest_catching_up{10};

// A longer step of a thread's clock counts as this much: to a virtual machine, what its host took from it looks the same.
constexpr std::chrono::microseconds longest_at_once{100};

// One reading of the awaited set: makes the counter, which has one writer, odd while it lives.
class counted_reading {
public:
    // Sequentially consistent: whoever misses what this takes out of the set sees that it has begun.
    explicit counted_reading(std::atomic<std::uint64_t>& counter) noexcept : counter_(counter)
    {
        counter_.store(counter_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    }
    counted_reading(const counted_reading&) = delete;
    counted_reading& operator=(const counted_reading&) = delete;
    ~counted_reading() { counter_.store(counter_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

private:
    std::atomic<std::uint64_t>& counter_;
};

}  // namespace

event_loop::event_loop(bool spin) : set_(context_), spin_(spin) {}

result<void> event_loop::open()
{
    unique_fd set(::epoll_create1(EPOLL_CLOEXEC));
    if (!set) return from_errno(errno);
    alarm_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!alarm_) return from_errno(errno);
    epoll_event each_time{};  // nobody reads it, nobody is told but the loop
    each_time.events = EPOLLIN | EPOLLET;
    if (::epoll_ctl(set.get(), EPOLL_CTL_ADD, alarm_.get(), &each_time) != 0) return from_errno(errno);
    awaited_set_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!awaited_set_) return from_errno(errno);
    epoll_event inner{};
    inner.events = EPOLLIN;
    inner.data.ptr = static_cast<descriptor_handler*>(&inner_);
    if (::epoll_ctl(set.get(), EPOLL_CTL_ADD, awaited_set_.get(), &inner) != 0) return from_errno(errno);
    boost::system::error_code error;
    set_.assign(set.get(), error);
    if (error) return from_errno(error.value());
    (void)set.release();
    return {};
}

void event_loop::run(duty& what) noexcept
{
    if (clockid_t mine{}; ::pthread_getcpuclockid(::pthread_self(), &mine) == 0) {
        cpu_clock_.store(mine, std::memory_order_relaxed);
    }
    auto work = boost::asio::make_work_guard(context_);
    unsigned rounds = 0;
    while (!stopped_.load(std::memory_order_acquire)) {
        const bool errands_run = run_errands();
        bool did = what.run() || errands_run;
        if (waiting_.load(std::memory_order_seq_cst) != 0 || awaited_requeued_.first) did |= read_awaited();
        // While Asio watches the set and has not spoken up there is nothing in it, unless we have been busy for long.
        const bool due = errands_run || ++rounds % rounds_between_polls == 0;
        if (!watching_ || due || more_ready_ || requeued_.first || turn_is_over()) did |= poll_descriptors();
        try {
            if (did) {
                if (due) context_.poll();
                continue;
            }
            watch_set();
            const auto called_for = [&] {
                return what.has_work() || has_errands_.load(std::memory_order_relaxed) ||
                       waiting_.load(std::memory_order_relaxed) != 0;
            };
            if (spin_(called_for)) continue;
            asleep_.store(true, std::memory_order_seq_cst);
            if (what.settle() || has_errands_.load(std::memory_order_seq_cst) ||
                stopped_.load(std::memory_order_seq_cst)) {
                asleep_.store(false, std::memory_order_relaxed);
                continue;
            }
            if (watching_) {
                context_.run_one();
            } else {
                context_.run_one_for(without_watching);
            }
            asleep_.store(false, std::memory_order_relaxed);
        } catch (...) {
            // A handler of ours does not throw; Asio itself may when memory is short. Go on: the next round retries.
            asleep_.store(false, std::memory_order_relaxed);
        }
    }
    while (run_errands()) {
    }
}

void event_loop::stop() noexcept
{
    stopped_.store(true, std::memory_order_seq_cst);
    wake();
}

void event_loop::post(errand& work) noexcept
{
    work.next_ = nullptr;
    {
        const std::lock_guard lock(mutex_);
        (last_ ? last_->next_ : first_) = &work;
        last_ = &work;
    }
    has_errands_.store(true, std::memory_order_seq_cst);
    wake();
}

bool event_loop::run_errands() noexcept
{
    if (!taken_) {
        if (!has_errands_.load(std::memory_order_acquire)) return false;
        const std::lock_guard lock(mutex_);
        has_errands_.store(false, std::memory_order_relaxed);
        taken_ = std::exchange(first_, nullptr);
        last_ = nullptr;
    }
    for (std::size_t i = 0; taken_ && i < most_errands && (i == 0 || !turn_is_over()); ++i) {
        // It may go, or be posted again, while it runs.
        errand& work = *taken_;
        taken_ = work.next_;
        work.run();
    }
    return true;
}

// Makes run_one() return. Through Asio's own queue, which costs one system call here and none there; without memory for
// an empty handler, by way of the set.
void event_loop::interrupt() noexcept
{
    try {
        boost::asio::post(context_, [] {});
    } catch (...) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(alarm_.get(), &one, sizeof one);
    }
}

result<void> event_loop::add(int fd, descriptor_handler& handler, input kind) noexcept
{
    epoll_event e{};
    e.events = EPOLLONESHOT;
    e.data.ptr = &handler;
    if (::epoll_ctl(set(), EPOLL_CTL_ADD, fd, &e) != 0) return from_errno(errno);
    if (kind == input::unawaited) return {};
    if (::epoll_ctl(awaited_set_.get(), EPOLL_CTL_ADD, fd, &e) != 0) {
        const errc error = from_errno(errno);
        ::epoll_ctl(set(), EPOLL_CTL_DEL, fd, &e);
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
    if (handler.requeued_) {
        requeued_.remove(handler);
        awaited_requeued_.remove(handler);
    }
    epoll_event e{};
    ::epoll_ctl(set(), EPOLL_CTL_DEL, fd, &e);
    if (awaited_count_ != 0 && ::epoll_ctl(awaited_set_.get(), EPOLL_CTL_DEL, fd, &e) == 0) --awaited_count_;
    for (reports* found : {&ready_, &awaited_ready_}) {
        for (int i = 0; i < found->count; ++i) {
            if (found->handlers[i] == &handler) found->handlers[i] = nullptr;
        }
    }
}

void event_loop::requeue(descriptor_handler& handler, input kind) noexcept
{
    if (std::exchange(handler.requeued_, true)) return;
    if (kind == input::unawaited) return requeued_.push(handler);
    awaited_requeued_.push(handler);
    // Before the reading ends that left octets behind: whoever finds that it has ended finds this.
    awaited_is_requeued_.store(true, std::memory_order_seq_cst);
}

void event_loop::handler_queue::push(descriptor_handler& handler) noexcept
{
    handler.requeued_behind_ = nullptr;
    (last ? last->requeued_behind_ : first) = &handler;
    last = &handler;
}

descriptor_handler* event_loop::handler_queue::pop() noexcept
{
    descriptor_handler* const oldest = first;
    if (!oldest) return nullptr;
    first = oldest->requeued_behind_;
    if (!first) last = nullptr;
    oldest->requeued_ = false;
    return oldest;
}

void event_loop::handler_queue::remove(descriptor_handler& handler) noexcept
{
    descriptor_handler* before = nullptr;
    for (descriptor_handler* at = first; at; before = at, at = at->requeued_behind_) {
        if (at != &handler) continue;
        (before ? before->requeued_behind_ : first) = handler.requeued_behind_;
        if (last == &handler) last = before;
        handler.requeued_ = false;
        return;
    }
}

// Those that are there now: who queues again meanwhile lines up for the next time.
bool event_loop::report_requeued(handler_queue& queue) noexcept
{
    std::size_t there = 0;
    for (const descriptor_handler* at = queue.first; at; at = at->requeued_behind_) ++there;
    for (std::size_t i = 0; i < there; ++i) {
        if (descriptor_handler* const handler = queue.pop()) handler->on_ready(EPOLLIN);
    }
    return there != 0;
}

// Returns how many descriptors were ready; there may be more if it was a whole batch.
int event_loop::report_ready(int set, reports& found) noexcept
{
    epoll_event events[batch];
    const int n = ::epoll_wait(set, events, batch, 0);
    if (n <= 0) return 0;
    for (int i = 0; i < n; ++i) found.handlers[i] = static_cast<descriptor_handler*>(events[i].data.ptr);
    found.count = n;
    for (int i = 0; i < n; ++i) {
        found.more = i + 1 < n;
        if (found.handlers[i]) found.handlers[i]->on_ready(events[i].events);
    }
    found.count = 0;
    return n;
}

bool event_loop::is_called_for() noexcept
{
    if (ready_.more || awaited_ready_.more || requeued_.first || awaited_requeued_.first || taken_ ||
        has_errands_.load(std::memory_order_relaxed))
        return true;
    pollfd ready{set(), POLLIN, 0};
    if (::poll(&ready, 1, 0) != 0) return true;
    looked_at_ = std::chrono::steady_clock::now();
    return false;
}

bool event_loop::poll_descriptors() noexcept
{
    pieces_ = 0;
    looked_at_ = std::chrono::steady_clock::now();
    const bool any_requeued = report_requeued(requeued_);
    const int ready = report_ready(set(), ready_);
    more_ready_ = ready == batch;
    return ready != 0 || any_requeued;
}

void event_loop::did_piece() noexcept
{
    if (waiting_.load(std::memory_order_relaxed) != 0) (void)read_awaited();
    if (++pieces_ >= pieces_between_polls || turn_is_over()) (void)poll_descriptors();
}

// All that is ready: those that are ready again line up behind the others.
bool event_loop::read_awaited() noexcept
{
    const counted_reading reading(readings_);
    bool any = report_requeued(awaited_requeued_);
    awaited_is_requeued_.store(awaited_requeued_.first != nullptr, std::memory_order_relaxed);
    for (int batches = awaited_count_ / batch + 1; batches > 0; --batches) {
        const int ready = report_ready(awaited_set_.get(), awaited_ready_);
        any |= ready != 0;
        if (ready < batch) break;
    }
    return any;
}

// Whether there was a moment in which the awaited set was not being read and there was nothing in it.
bool event_loop::nothing_awaited() noexcept
{
    const std::uint64_t reading = readings_.load(std::memory_order_seq_cst);
    if (reading % 2 != 0 || awaited_is_requeued_.load(std::memory_order_seq_cst)) return false;
    pollfd set{awaited_set_.get(), POLLIN, 0};
    return ::poll(&set, 1, 0) == 0 && readings_.load(std::memory_order_seq_cst) == reading;
}

void event_loop::note_flood() noexcept
{
    last_flood_.store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
}

bool event_loop::flooded() const noexcept
{
    return std::chrono::steady_clock::now() - last_flood_.load(std::memory_order_relaxed) < flood_lasts;
}

// A thread that has to wait for a core does not run, least of all one that was just created.
std::chrono::nanoseconds event_loop::time_run() const noexcept
{
    const clockid_t clock = cpu_clock_.load(std::memory_order_relaxed);
    timespec t{};
    if (clock != not_started) (void)::clock_gettime(clock, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

void event_loop::catch_up(std::chrono::steady_clock::time_point until) noexcept
{
    if (nothing_awaited()) return;
    // A reading under way may be through already with what it took out of the set. The first one that begins from now on
    // finds everything, and there will be one, as every round sees that somebody waits.
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    const std::uint64_t before = readings_.load(std::memory_order_seq_cst);
    const std::uint64_t enough = before + 2 + before % 2;
    if (flooded()) {
        // Without yielding: whoever floods may have the core for longer than this is worth.
        const auto limit = std::chrono::steady_clock::now() + longest_in_flood;
        while (readings_.load(std::memory_order_acquire) < enough && std::chrono::steady_clock::now() < limit) {
        }
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        return;
    }
    auto seen = time_run();
    std::chrono::nanoseconds ran{};
    const auto ran_long = [&] {
        const auto now = time_run();
        ran += std::min<std::chrono::nanoseconds>(now - seen, longest_at_once);
        seen = now;
        return ran >= longest_catching_up;
    };
    (void)brief_wait(
        until, [&] { return readings_.load(std::memory_order_acquire) >= enough || nothing_awaited() || ran_long(); });
    waiting_.fetch_sub(1, std::memory_order_relaxed);
}

// Asks Asio to return from its sleep when any descriptor of the private set is ready.
void event_loop::watch_set() noexcept
{
    if (watching_) return;
    try {
        set_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [this](const boost::system::error_code&) { watching_ = false; });
        watching_ = true;
    } catch (...) {
        // No memory for the operation: the loop looks for itself until there is.
    }
}

}  // namespace zlink::runtime
