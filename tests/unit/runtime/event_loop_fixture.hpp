// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A loop that runs, with work for it, for tests of what it does.
#pragma once

#include "runtime/event_loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace zlink::runtime::test {

/// Queues a function object, which goes when it has run.
template <class Function>
void post(event_loop& loop, Function function)
{
    class call final : public task {
    public:
        explicit call(Function what) : what_(std::move(what)) {}
        void run() noexcept override
        {
            const std::unique_ptr<call> self(this);
            what_();
        }

    private:
        Function what_;
    };
    loop.post(*new call(std::move(function)));
}

using namespace std::chrono_literals;

/// Fails a test that would hang.
inline constexpr auto patience = 20s;

/// Opened by one thread, awaited by another, which may let it go right after.
class gate {
public:
    void open()
    {
        const std::lock_guard lock(mutex_);
        open_ = true;
        opened_.notify_one();
    }
    bool wait()
    {
        std::unique_lock lock(mutex_);
        return opened_.wait_for(lock, patience, [this] { return open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    bool open_ = false;
};

/// Work that any thread adds and the loop takes off.
class countable_work final : public work_source {
public:
    void add(event_loop& loop)
    {
        pending_.fetch_add(1, std::memory_order_seq_cst);
        loop.wake();
    }

    [[nodiscard]] bool begin() noexcept override
    {
        taken_ = pending_.exchange(0, std::memory_order_seq_cst);
        return taken_ != 0 || always_busy.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool piece() noexcept override
    {
        if (taken_ == 0) return false;
        if (at_work) at_work();
        ++done;
        if (--taken_ != 0) return true;
        finished_.store(done, std::memory_order_release);
        return false;
    }
    [[nodiscard]] bool has_work() noexcept override { return pending_.load(std::memory_order_relaxed) != 0; }
    [[nodiscard]] bool prepare_to_sleep() noexcept override
    {
        if (at_settle) at_settle();
        return pending_.load(std::memory_order_seq_cst) != 0;
    }

    [[nodiscard]] int finished() const { return finished_.load(std::memory_order_acquire); }

    int done = 0;  ///< loop's thread
    std::atomic<bool> always_busy{false};
    std::function<void()> at_settle;  ///< set before the loop runs
    std::function<void()> at_work;    ///< in each piece; set before the loop runs

private:
    std::atomic<int> pending_{0};
    std::atomic<int> finished_{0};
    int taken_ = 0;
};

/// A loop on a thread of its own; the parameter: whether it spins.
class event_loop_fixture : public testing::TestWithParam<bool> {
protected:
    event_loop_fixture() : loop_(GetParam()) { EXPECT_TRUE(loop_.open()); }
    ~event_loop_fixture() override { stop(); }

    void start()
    {
        thread_ = std::thread([this] { loop_.run(work_); });
    }
    void stop()
    {
        if (!thread_.joinable()) return;
        loop_.stop();
        thread_.join();
    }

    // Runs `body` on the loop's thread and waits for it.
    void on_loop(const std::function<void()>& body)
    {
        gate done;
        post(loop_, [&] {
            body();
            done.open();
        });
        ASSERT_TRUE(done.wait());
    }

    countable_work work_;
    event_loop loop_;
    std::thread thread_;
};

inline std::string way_of_waiting(const testing::TestParamInfo<bool>& p)
{
    return p.param ? "spinning" : "sleeping";
}

}  // namespace zlink::runtime::test
