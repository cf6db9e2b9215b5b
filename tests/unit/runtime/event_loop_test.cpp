// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The loop of an I/O thread. Commands, the work source and timers each get their turn, idle or busy, and nothing that
// is announced while it falls asleep is slept through. Descriptors: event_loop_descriptors_test.cpp.
#include "event_loop_fixture.hpp"

#include "runtime/deadline_timer.hpp"

#include <sys/resource.h>

#include <semaphore>
#include <vector>

namespace zlink::runtime::test {
namespace {

class event_loop_test : public event_loop_fixture {};

INSTANTIATE_TEST_SUITE_P(event_loop, event_loop_test, testing::Bool(), way_of_waiting);

TEST_P(event_loop_test, runs_commands_on_its_thread_in_their_order)
{
    start();
    std::vector<int> order;
    std::thread::id by;
    for (int i = 0; i < 100; ++i) post(loop_, [&order, i] { order.push_back(i); });
    on_loop([&] { by = std::this_thread::get_id(); });
    ASSERT_EQ(100u, order.size());
    for (int i = 0; i < 100; ++i) EXPECT_EQ(i, order[std::size_t(i)]);
    EXPECT_EQ(thread_.get_id(), by);
}

TEST_P(event_loop_test, commands_may_post_commands)
{
    start();
    gate end;
    std::function<void(int)> next = [&](int n) {
        if (n == 50) return end.open();
        post(loop_, [&next, n] { next(n + 1); });
    };
    post(loop_, [&] { next(0); });
    EXPECT_TRUE(end.wait());
}

TEST_P(event_loop_test, a_call_is_queued_once_and_keeps_its_target_until_it_has_run)
{
    struct counter {
        explicit counter(bool& gone) : gone_(gone) {}
        ~counter() { gone_ = true; }
        void count() noexcept { ++counted; }
        bool& gone_;
        int counted = 0;
        call_on<counter> counting{&counter::count};
        call_on<counter> letting_go{nullptr};
    };
    bool gone = false;
    auto c = std::make_shared<counter>(gone);
    EXPECT_TRUE(c->counting.take_up(c));
    loop_.post(c->counting);
    EXPECT_FALSE(c->counting.take_up(c));
    start();
    on_loop([] {});
    EXPECT_EQ(1, c->counted);
    EXPECT_TRUE(c->counting.take_up(c));
    loop_.post(c->counting);
    on_loop([] {});
    EXPECT_EQ(2, c->counted);
    task& last = c->letting_go;
    auto* letting_go = &c->letting_go;
    EXPECT_TRUE(letting_go->take_up(std::move(c)));
    EXPECT_FALSE(gone);
    loop_.post(last);
    on_loop([] {});
    EXPECT_TRUE(gone);
}

TEST_P(event_loop_test, commands_from_before_the_start_and_before_the_stop_are_run)
{
    int ran = 0;
    post(loop_, [&] { ++ran; });
    start();
    on_loop([] {});
    EXPECT_EQ(1, ran);
    on_loop([&] {
        post(loop_, [&] { ++ran; });
        loop_.stop();
    });
    thread_.join();
    EXPECT_EQ(2, ran);
}

TEST_P(event_loop_test, stopped_before_it_runs_it_returns_at_once)
{
    loop_.stop();
    start();
    thread_.join();
}

TEST_P(event_loop_test, wakes_for_its_work)
{
    start();
    for (int i = 1; i <= 100; ++i) {
        work_.add(loop_);
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (work_.finished() != i && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
        ASSERT_EQ(i, work_.finished());
    }
}

// Something comes between the last look and the sleep, on the loop's own thread and so unseen by wake().
TEST_P(event_loop_test, looks_again_when_its_work_did_not_let_it_sleep)
{
    gate done;
    int settled = 0;
    work_.at_settle = [&] {
        if (++settled <= 3) {
            work_.add(loop_);
        } else if (settled == 4) {
            done.open();
        }
    };
    start();
    EXPECT_TRUE(done.wait());
    stop();
    EXPECT_EQ(3, work_.done);
}

TEST_P(event_loop_test, timers_fire_while_it_is_idle)
{
    start();
    gate fired;
    deadline_timer timer(loop_);
    on_loop([&] { EXPECT_TRUE(timer.start_after(5ms, [&] { fired.open(); })); });
    EXPECT_TRUE(fired.wait());
}

TEST_P(event_loop_test, timers_fire_while_it_is_busy)
{
    start();
    for (int round = 0; round < 10; ++round) {
        gate fired;
        deadline_timer timer(loop_);
        on_loop([&] {
            EXPECT_TRUE(timer.start_after(2ms, [&] { fired.open(); }));
            work_.always_busy = true;
        });
        ASSERT_TRUE(fired.wait()) << round;
        on_loop([&] { work_.always_busy = false; });
    }
}

TEST_P(event_loop_test, a_timer_fires_in_time_whatever_the_alarm_is_set_to)
{
    start();
    deadline_timer far(loop_);
    deadline_timer taken_back(loop_);
    on_loop([&] { EXPECT_TRUE(far.start_after(1h, [] {})); });
    for (int round = 0; round < 10; ++round) {
        gate fired;
        deadline_timer timer(loop_);
        // It is earlier than what the loop was going to sleep for, and later than what that became.
        on_loop([&] { EXPECT_TRUE(taken_back.start_after(1ms, [] {})); });
        on_loop([&] { EXPECT_TRUE(timer.start_after(2ms, [&] { fired.open(); })); });
        on_loop([&] { taken_back.cancel(); });
        ASSERT_TRUE(fired.wait()) << round;
    }
    on_loop([&] { far.cancel(); });
}

TEST_P(event_loop_test, commands_run_while_it_is_busy)
{
    work_.always_busy = true;
    start();
    for (int i = 0; i < 10; ++i) on_loop([] {});
}

TEST(event_loop_opening_test, says_when_there_are_no_descriptors_left)
{
    event_loop loop(false);
    rlimit before{};
    ASSERT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before));
    rlimit none = before;
    none.rlim_cur = 0;
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &none));
    const errc error = loop.open().error();
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &before));
    EXPECT_EQ(errc::too_many_files, error);
    EXPECT_TRUE(loop.open());
}

// --- no wake-up is lost
// -----------------------------------------------------------------------------------------------

// Every few posts the poster waits for its command: should the loop sleep through one, nothing else would wake it.
TEST_P(event_loop_test, no_posted_command_is_slept_through_stress)
{
    start();
    constexpr int posts = 50'000;
    int ran = 0;  // loop's thread
    std::vector<std::jthread> posters;
    std::atomic<bool> all_came{true};
    for (int p = 0; p < 2; ++p) {
        posters.emplace_back([&, p] {
            std::binary_semaphore came{0};
            for (int i = 0; i < posts && all_came; ++i) {
                if (i % (p ? 7 : 13) != 0) {
                    post(loop_, [&] { ++ran; });
                    continue;
                }
                post(loop_, [&] {
                    ++ran;
                    came.release();
                });
                if (!came.try_acquire_for(patience)) all_came = false;
            }
        });
    }
    posters.clear();
    ASSERT_TRUE(all_came);
    on_loop([&] { EXPECT_EQ(2 * posts, ran); });
}

TEST_P(event_loop_test, no_wake_up_for_the_work_is_slept_through_stress)
{
    start();
    constexpr int wakes = 50'000;
    std::atomic<int> added{0};
    std::vector<std::jthread> wakers;
    std::atomic<bool> all_came{true};
    for (int w = 0; w < 2; ++w) {
        wakers.emplace_back([&, w] {
            for (int i = 0; i < wakes && all_came; ++i) {
                work_.add(loop_);
                added.fetch_add(1);
                if (i % (w ? 7 : 13) != 0) continue;
                const int mine = added.load();
                const auto deadline = std::chrono::steady_clock::now() + patience;
                while (work_.finished() < mine) {
                    std::this_thread::yield();
                    if (std::chrono::steady_clock::now() > deadline) {
                        all_came = false;
                        break;
                    }
                }
            }
        });
    }
    wakers.clear();
    ASSERT_TRUE(all_came);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (work_.finished() < 2 * wakes && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_EQ(2 * wakes, work_.finished());
}

}  // namespace
}  // namespace zlink::runtime::test
