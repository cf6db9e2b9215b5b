// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Look-ups without Asio: a thread asks the system, and tells the loop by an eventfd. The loop sleeps on that and on its
// set meanwhile.
#include "base/unique_fd.hpp"
#include "runtime/look_up.hpp"
#include "runtime/lookup_service.hpp"
#include "runtime/thread.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <list>
#include <mutex>
#include <system_error>
#include <utility>

namespace zlink::runtime {

namespace {

/// Set by the loop's thread, read by the other one. Relaxed: a hint, which saves the system the question.
using cancelled_flag = std::atomic<bool>;

class threaded_request final : public lookup_service::request {
public:
    explicit threaded_request(std::shared_ptr<cancelled_flag> cancelled) noexcept : cancelled_(std::move(cancelled)) {}

    void cancel() noexcept override { cancelled_->store(true, std::memory_order_relaxed); }

private:
    std::shared_ptr<cancelled_flag> cancelled_;
};

/// From the question to the answer. Its handler is called, and let go, on the loop's thread.
struct question {
    std::string host;
    lookup_service::handler tell;
    std::shared_ptr<cancelled_flag> cancelled;
    lookup_answer found{errc::host_unreachable};

    void look_up_now() noexcept
    {
        if (!cancelled->load(std::memory_order_relaxed)) found = look_up(host);
    }
};

class threaded_lookups final : public lookup_service {
public:
    ~threaded_lookups() override
    {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
        }
        asked_or_stopped_.notify_one();
        thread_.join();
    }

    result<void> open(int set) noexcept override
    {
        if (::fcntl(set, F_GETFD) == -1) return from_errno(errno);
        answered_event_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        if (!answered_event_) return from_errno(errno);
        set_ = set;
        return {};
    }

    std::unique_ptr<request> ask(const std::string& host, handler tell) override
    {
        if (!thread_.joinable() && !thread_.start([this] { answer_questions(); }))
            throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
        auto cancelled = std::make_shared<cancelled_flag>(false);
        auto asked = std::make_unique<threaded_request>(cancelled);
        std::list<question> fresh;
        fresh.push_back({host, std::move(tell), std::move(cancelled)});
        {
            const std::lock_guard lock(mutex_);
            asked_.splice(asked_.end(), fresh);
        }
        asked_or_stopped_.notify_one();
        return asked;
    }

    // The event is reset before the answers are taken, so that no answer is left without one.
    void poll() noexcept override
    {
        std::uint64_t count = 0;
        if (::read(answered_event_.get(), &count, sizeof count) != ssize_t(sizeof count)) return;
        std::list<question> answers;
        {
            const std::lock_guard lock(mutex_);
            answers.swap(answered_);
        }
        for (question& q : answers) q.tell(std::move(q.found));
    }

    void sleep(std::chrono::nanoseconds at_most) noexcept override
    {
        pollfd awaited[] = {{set_, POLLIN, 0}, {answered_event_.get(), POLLIN, 0}};
        const auto length = std::clamp<std::chrono::nanoseconds>(at_most, std::chrono::nanoseconds(0), longest_sleep);
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(length);
        const timespec limit{time_t(seconds.count()), long((length - seconds).count())};
        (void)::ppoll(awaited, 2, &limit, nullptr);
        poll();
    }

private:
    static constexpr std::chrono::hours longest_sleep{1};

    /// The thread's body.
    void answer_questions() noexcept
    {
        std::unique_lock lock(mutex_);
        while (true) {
            asked_or_stopped_.wait(lock, [this] { return stopped_ || !asked_.empty(); });
            if (stopped_) return;
            std::list<question> one;
            one.splice(one.end(), asked_, asked_.begin());
            lock.unlock();
            one.front().look_up_now();
            lock.lock();
            answered_.splice(answered_.end(), one);
            const std::uint64_t count = 1;
            [[maybe_unused]] const ssize_t written = ::write(answered_event_.get(), &count, sizeof count);
        }
    }

    int set_ = -1;  ///< the loop's
    unique_fd answered_event_;
    std::mutex mutex_;
    std::condition_variable asked_or_stopped_;
    // Under mutex_:
    std::list<question> asked_;
    std::list<question> answered_;
    bool stopped_ = false;
    thread thread_;
};

}  // namespace

std::unique_ptr<lookup_service> make_lookup_service()
{
    return std::make_unique<threaded_lookups>();
}

}  // namespace zlink::runtime
