// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/wait_line.hpp"

#include "runtime/brief_lock.hpp"
#include "runtime/deadline.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace zlink::socket {
namespace {

using runtime::waiter;

/// A thing whose state the test sets, and that notes how the line has armed it.
struct scripted final : awaited {
    short there = 0;
    int news_at_arm = 0;  ///< so many times, something comes between the look and the arming
    waiter* leader = nullptr;
    bool watches_input = false;
    int looks = 0;

    short look(short wanted) noexcept override
    {
        ++looks;
        return short(there & (wanted | line_ended));
    }
    bool arm(waiter* who, bool input) noexcept override
    {
        leader = who;
        watches_input = input;
        return !who || news_at_arm-- <= 0;
    }
};

class wait_line_test : public ::testing::Test {
protected:
    wait_line line_;
    scripted socket_;
};

/// Runs in a thread of its own: joins, and tells whether it was called when the test asks.
class waiting_thread {
public:
    waiting_thread(wait_line& line, short wants)
    {
        runner_ = std::thread([&, wants] {
            waiter& w = waiter::of_this_thread();
            w.prepare();
            line.join(place, w, wants);
            mine.store(&w);
            called = w.sleep(runtime::deadline{}) == waiter::reason::woken;
        });
        while (!mine.load()) std::this_thread::yield();
    }
    ~waiting_thread()
    {
        if (!runner_.joinable()) return;
        mine.load()->wake();
        runner_.join();
    }
    /// It was called, and has ended.
    void await_call() { runner_.join(); }

    wait_line::place place;
    std::atomic<waiter*> mine{nullptr};
    std::atomic<bool> called{false};

private:
    std::thread runner_;
};

TEST_F(wait_line_test, an_empty_line_costs_nothing)
{
    line_.settle(socket_);
    EXPECT_EQ(0, socket_.looks);
    EXPECT_EQ(nullptr, socket_.leader);
    EXPECT_TRUE(line_.empty());
}

TEST_F(wait_line_test, the_first_thread_is_the_leader_and_the_line_watches_what_is_waited_for)
{
    waiting_thread first(line_, line_news);
    line_.settle(socket_);
    EXPECT_EQ(first.mine.load(), socket_.leader);
    EXPECT_FALSE(socket_.watches_input);
    waiting_thread second(line_, line_input);
    line_.settle(socket_);
    EXPECT_EQ(first.mine.load(), socket_.leader);
    EXPECT_TRUE(socket_.watches_input);
    line_.leave(first.place);
    line_.settle(socket_);
    EXPECT_EQ(second.mine.load(), socket_.leader);
    line_.leave(second.place);
    line_.settle(socket_);
    EXPECT_EQ(nullptr, socket_.leader);
}

TEST_F(wait_line_test, one_thread_is_called_for_input_and_the_next_when_it_has_come_and_gone)
{
    waiting_thread first(line_, line_input);
    waiting_thread second(line_, line_input);
    socket_.there = line_input;
    line_.settle(socket_);
    first.await_call();
    EXPECT_EQ(second.mine.load(), socket_.leader);
    EXPECT_FALSE(socket_.watches_input);  // the first one comes and settles
    line_.settle(socket_);
    EXPECT_FALSE(second.called);
    line_.leave(first.place);
    line_.settle(socket_);
    second.await_call();
    line_.leave(second.place);
    EXPECT_EQ(0u, line_.inside());
}

TEST_F(wait_line_test, a_thread_that_was_called_and_took_all_makes_the_line_watch_again)
{
    waiting_thread first(line_, line_input);
    waiting_thread second(line_, line_input);
    socket_.there = line_input;
    line_.settle(socket_);
    first.await_call();
    socket_.there = 0;
    line_.leave(first.place);
    line_.settle(socket_);
    EXPECT_TRUE(socket_.watches_input);
    EXPECT_FALSE(second.called);
    line_.leave(second.place);
}

TEST_F(wait_line_test, all_are_called_for_output_for_news_and_for_the_end)
{
    for (const short what : {short(line_output), short(line_news), line_ended}) {
        waiting_thread first(line_, line_output | line_news);
        waiting_thread second(line_, line_output | line_news);
        waiting_thread third(line_, line_input);
        socket_.there = what;
        line_.settle(socket_);
        first.await_call();
        second.await_call();
        line_.leave(first.place);
        line_.leave(second.place);
        if (what == line_ended) third.await_call();
        line_.leave(third.place);
        EXPECT_EQ(what == line_ended, third.called);
        socket_.there = 0;
    }
}

TEST_F(wait_line_test, a_thread_that_has_stepped_out_is_inside_and_does_not_wait)
{
    line_.step_out();
    EXPECT_TRUE(line_.empty());
    EXPECT_EQ(1u, line_.inside());
    line_.end();
    EXPECT_EQ(1u, line_.inside());
    line_.step_in();
    EXPECT_EQ(0u, line_.inside());
}

TEST_F(wait_line_test, what_comes_between_the_look_and_the_arming_is_looked_at)
{
    waiting_thread only(line_, line_input);
    socket_.news_at_arm = 3;
    line_.settle(socket_);
    EXPECT_EQ(4, socket_.looks);
    line_.leave(only.place);
}

TEST_F(wait_line_test, the_end_calls_everybody_and_counts_until_they_have_left)
{
    waiting_thread first(line_, line_input);
    waiting_thread second(line_, 0);
    line_.end();
    first.await_call();
    second.await_call();
    EXPECT_TRUE(line_.empty());
    EXPECT_EQ(2u, line_.inside());
    line_.leave(first.place);
    EXPECT_EQ(1u, line_.inside());
    line_.leave(second.place);
    EXPECT_EQ(0u, line_.inside());
}

/// A queue of numbers that a thread of its own fills, as a mailbox and its lanes are filled. The writer takes no lock
/// of the line's. It stores its news first and then looks for a sleeper; arm() stores the sleeper and then looks for
/// news.
class shared_queue final : awaited {
public:
    void put() noexcept
    {
        there_.fetch_add(1, std::memory_order_seq_cst);
        if (waiter* w = sleeper_.load(std::memory_order_seq_cst)) w->wake();
    }
    void stop() noexcept
    {
        stopped_.store(true, std::memory_order_seq_cst);
        if (waiter* w = sleeper_.load(std::memory_order_seq_cst)) w->wake();
    }
    /// Waits for one; false: stopped, and there is none.
    bool take()
    {
        lock_.lock();
        while (taken_ == there_.load(std::memory_order_seq_cst)) {
            if (stopped_.load(std::memory_order_seq_cst)) {
                line_.settle(*this);
                lock_.unlock();
                return false;
            }
            waiter& w = waiter::of_this_thread();
            wait_line::place mine;
            w.prepare();
            line_.join(mine, w, line_input);
            line_.settle(*this);
            lock_.unlock();
            (void)w.sleep(runtime::deadline{});
            lock_.lock();
            line_.leave(mine);
        }
        ++taken_;
        line_.settle(*this);
        lock_.unlock();
        return true;
    }
    [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }

private:
    short look(short) noexcept override
    {
        if (stopped_.load(std::memory_order_seq_cst)) return line_ended;
        return taken_ != there_.load(std::memory_order_seq_cst) ? line_input : 0;
    }
    // Partner: put() and stop().
    bool arm(waiter* leader, bool input) noexcept override
    {
        sleeper_.store(leader, std::memory_order_seq_cst);
        const bool news = taken_ != there_.load(std::memory_order_seq_cst);
        return !leader || !((input && news) || stopped_.load(std::memory_order_seq_cst));
    }

    std::atomic<std::uint64_t> there_{0};  ///< partner: sleeper_
    std::atomic<bool> stopped_{false};     ///< partner: sleeper_
    std::atomic<waiter*> sleeper_{nullptr};
    runtime::brief_lock lock_;
    wait_line line_;
    std::uint64_t taken_ = 0;  ///< the lock's
};

// Single items, so that each wake-up that is lost leaves the queue full and the test hanging.
TEST(wait_line_stress_test, threads_that_wait_at_one_queue_miss_nothing)
{
    constexpr std::uint64_t items = 4000;
    shared_queue queue;
    std::vector<std::thread> takers;
    std::atomic<std::uint64_t> got{0};
    for (int t = 0; t < 4; ++t) {
        takers.emplace_back([&] {
            while (queue.take()) got.fetch_add(1, std::memory_order_relaxed);
        });
    }
    for (std::uint64_t i = 0; i < items; ++i) {
        queue.put();
        if (i % 4 == 0) {
            while (got.load(std::memory_order_relaxed) < i) std::this_thread::yield();
        }
    }
    while (got.load(std::memory_order_relaxed) < items) std::this_thread::yield();
    queue.stop();
    for (std::thread& t : takers) t.join();
    EXPECT_EQ(items, queue.taken());
}

}  // namespace
}  // namespace zlink::socket
