// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_timers_*(): when handlers run, what they may do to the set, and the documented errors.
#include "zmq.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t far = 3600 * 1000;

class timers_test : public testing::Test {
protected:
    void SetUp() override { ASSERT_NE(set_, nullptr); }
    ~timers_test() override
    {
        if (set_ != nullptr) {
            EXPECT_EQ(zmq_timers_destroy(&set_), 0);
        }
    }

    /// Adds a timer whose handler is `action`, which must outlive it.
    int add(std::size_t interval, std::function<void(int)>& action)
    {
        return zmq_timers_add(
            set_, interval, [](int id, void* arg) { (*static_cast<std::function<void(int)>*>(arg))(id); }, &action);
    }

    /// Lets time pass: there is nothing else that timers wait for.
    static void pass(long milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

    /// Waits as long as the set says, then executes it.
    void run_next()
    {
        const long wait = zmq_timers_timeout(set_);
        ASSERT_GE(wait, 0);
        pass(wait);
        ASSERT_EQ(zmq_timers_execute(set_), 0);
    }

    void* set_ = zmq_timers_new();
    std::vector<int> ran_;
    std::function<void(int)> note_ = [this](int id) { ran_.push_back(id); };
};

TEST_F(timers_test, without_timers_there_is_nothing_to_wait_for)
{
    EXPECT_EQ(zmq_timers_timeout(set_), -1);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
}

TEST_F(timers_test, ids_start_at_1_and_differ)
{
    EXPECT_EQ(add(far, note_), 1);
    EXPECT_EQ(add(far, note_), 2);
    EXPECT_EQ(zmq_timers_cancel(set_, 2), 0);
    EXPECT_EQ(add(far, note_), 3);
}

TEST_F(timers_test, a_timer_is_not_run_before_its_time)
{
    add(far, note_);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_TRUE(ran_.empty());
    const long wait = zmq_timers_timeout(set_);
    EXPECT_GT(wait, 0);
    EXPECT_LE(wait, static_cast<long>(far));
}

TEST_F(timers_test, a_timer_is_due_after_the_timeout_and_repeats)
{
    const int id = add(5, note_);
    run_next();
    run_next();
    EXPECT_EQ(ran_, (std::vector{id, id}));
}

TEST_F(timers_test, a_late_call_runs_each_timer_once)
{
    const int id = add(1, note_);
    pass(10);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_, std::vector{id});
}

TEST_F(timers_test, due_timers_run_in_order_of_their_time)
{
    const int late = add(4, note_);
    const int early = add(1, note_);
    const int middle = add(2, note_);
    pass(10);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_, (std::vector{early, middle, late}));
}

TEST_F(timers_test, an_interval_of_0_runs_once_in_each_call)
{
    const int id = add(0, note_);
    EXPECT_EQ(zmq_timers_timeout(set_), 0);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_, (std::vector{id, id}));
}

TEST_F(timers_test, the_largest_interval_never_comes)
{
    add(std::numeric_limits<std::size_t>::max(), note_);
    EXPECT_GT(zmq_timers_timeout(set_), static_cast<long>(far));
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_TRUE(ran_.empty());
}

TEST_F(timers_test, a_cancelled_timer_does_not_run)
{
    const int id = add(0, note_);
    EXPECT_EQ(zmq_timers_cancel(set_, id), 0);
    EXPECT_EQ(zmq_timers_timeout(set_), -1);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_TRUE(ran_.empty());
}

TEST_F(timers_test, a_new_interval_counts_from_now)
{
    const int id = add(far, note_);
    EXPECT_EQ(zmq_timers_set_interval(set_, id, 1), 0);
    run_next();
    EXPECT_EQ(ran_, std::vector{id});

    EXPECT_EQ(zmq_timers_set_interval(set_, id, far), 0);
    pass(3);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_.size(), 1U);
}

TEST_F(timers_test, resetting_starts_the_interval_anew)
{
    const int id = add(far, note_);
    pass(20);
    EXPECT_LE(zmq_timers_timeout(set_), static_cast<long>(far) - 20 + 1);
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(zmq_timers_reset(set_, id), 0);
    const long wait = zmq_timers_timeout(set_);
    const auto passed = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - before);
    EXPECT_GE(wait, static_cast<long>(far) - passed.count());
}

TEST_F(timers_test, unknown_and_cancelled_ids_are_invalid)
{
    const int cancelled = add(far, note_);
    ASSERT_EQ(zmq_timers_cancel(set_, cancelled), 0);
    for (const int id : {cancelled, 0, -1, 99}) {
        errno = 0;
        EXPECT_EQ(zmq_timers_cancel(set_, id), -1) << id;
        EXPECT_EQ(errno, EINVAL) << id;
        errno = 0;
        EXPECT_EQ(zmq_timers_set_interval(set_, id, 1), -1) << id;
        EXPECT_EQ(errno, EINVAL) << id;
        errno = 0;
        EXPECT_EQ(zmq_timers_reset(set_, id), -1) << id;
        EXPECT_EQ(errno, EINVAL) << id;
    }
}

TEST_F(timers_test, a_handler_is_required)
{
    errno = 0;
    EXPECT_EQ(zmq_timers_add(set_, 1, nullptr, nullptr), -1);
    EXPECT_EQ(errno, EFAULT);
}

TEST_F(timers_test, a_handler_may_cancel_itself_and_others)
{
    int second = 0;
    std::function<void(int)> cancel = [&](int id) {
        ran_.push_back(id);
        EXPECT_EQ(zmq_timers_cancel(set_, id), 0);
        EXPECT_EQ(zmq_timers_cancel(set_, second), 0);
    };
    const int first = add(0, cancel);
    second = add(1, note_);
    pass(5);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_, std::vector{first});
    EXPECT_EQ(zmq_timers_timeout(set_), -1);
}

TEST_F(timers_test, what_a_handler_adds_waits_for_the_next_call)
{
    int added = 0;
    std::function<void(int)> grow = [&](int id) {
        ran_.push_back(id);
        zmq_timers_cancel(set_, id);
        added = add(0, note_);
    };
    const int first = add(0, grow);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_, std::vector{first});
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_, (std::vector{first, added}));
}

TEST_F(timers_test, what_a_handler_restarts_waits_for_its_new_time)
{
    int second = 0;
    std::function<void(int)> restart = [&](int id) {
        ran_.push_back(id);
        EXPECT_EQ(zmq_timers_set_interval(set_, id, far), 0);
        EXPECT_EQ(zmq_timers_set_interval(set_, second, far), 0);
    };
    const int first = add(0, restart);
    second = add(1, note_);
    pass(5);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_, std::vector{first});
    EXPECT_GT(zmq_timers_timeout(set_), 0);
}

TEST_F(timers_test, a_handler_may_execute_the_others)
{
    std::function<void(int)> nest = [&](int id) {
        ran_.push_back(id);
        zmq_timers_cancel(set_, id);
        EXPECT_EQ(zmq_timers_execute(set_), 0);
    };
    const int first = add(0, nest);
    const int second = add(1, note_);
    zmq_timers_set_interval(set_, second, 1);
    pass(5);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_, (std::vector{first, second}));
}

TEST_F(timers_test, a_handler_may_destroy_the_set)
{
    std::function<void(int)> destroy = [&](int id) {
        ran_.push_back(id);
        void* same = set_;
        EXPECT_EQ(zmq_timers_destroy(&set_), 0);
        EXPECT_EQ(set_, nullptr);
        errno = 0;
        EXPECT_EQ(zmq_timers_cancel(same, id), -1);
        EXPECT_EQ(errno, EFAULT);
    };
    const int first = add(0, destroy);
    add(0, note_);
    EXPECT_EQ(zmq_timers_execute(set_), 0);
    EXPECT_EQ(ran_, std::vector{first});
}

TEST(timers_handle_test, null_and_foreign_objects_are_refused)
{
    // Large enough to be read as a set of timers.
    std::vector<std::uint64_t> foreign(64, 1);
    for (void* handle : {static_cast<void*>(nullptr), static_cast<void*>(foreign.data())}) {
        void* copy = handle;
        for (const auto& call : std::vector<std::function<long()>>{
                 [&] { return zmq_timers_destroy(&copy); },
                 [&] { return zmq_timers_add(handle, 1, [](int, void*) {}, nullptr); },
                 [&] { return zmq_timers_cancel(handle, 1); },
                 [&] { return zmq_timers_set_interval(handle, 1, 1); },
                 [&] { return zmq_timers_reset(handle, 1); },
                 [&] { return zmq_timers_timeout(handle); },
                 [&] { return zmq_timers_execute(handle); },
             }) {
            errno = 0;
            EXPECT_EQ(call(), -1);
            EXPECT_EQ(errno, EFAULT);
        }
    }
    errno = 0;
    EXPECT_EQ(zmq_timers_destroy(nullptr), -1);
    EXPECT_EQ(errno, EFAULT);
}

TEST(timers_handle_test, destroying_nullifies_it)
{
    void* set = zmq_timers_new();
    ASSERT_NE(set, nullptr);
    EXPECT_EQ(zmq_timers_destroy(&set), 0);
    EXPECT_EQ(set, nullptr);
    EXPECT_EQ(zmq_timers_destroy(&set), -1);
}

}  // namespace
