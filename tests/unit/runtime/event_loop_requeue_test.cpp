// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Handlers that are told of input though their descriptors have none: streams keep octets that nobody has read.
#include "event_loop_fixture.hpp"
#include "reporting_pair.hpp"

#include <sys/epoll.h>

namespace zlink::runtime::test {
namespace {

class event_loop_requeue_test : public event_loop_fixture {
protected:
    void add(reporting_pair& pair, input kind)
    {
        on_loop([&] { ASSERT_TRUE(loop_.add(pair.watched(), pair, kind)); });
    }
    void remove(reporting_pair& pair)
    {
        on_loop([&] { loop_.remove(pair.watched(), pair); });
    }
    // The loop looks at descriptors in between.
    void let_rounds_pass()
    {
        for (int i = 0; i < 3; ++i) on_loop([] {});
    }
    void catch_up() { loop_.catch_up(std::chrono::steady_clock::now() + patience); }
};

TEST_P(event_loop_requeue_test, input_is_reported_once)
{
    for (const input kind : {input::unawaited, input::awaited}) {
        reporting_pair pair;
        if (!thread_.joinable()) start();
        add(pair, kind);
        on_loop([&] {
            loop_.requeue(pair, kind);
            loop_.requeue(pair, kind);
        });
        ASSERT_TRUE(pair.await_report());
        EXPECT_EQ(std::uint32_t{EPOLLIN}, pair.last_events);
        let_rounds_pass();
        EXPECT_EQ(1, pair.reports);
        remove(pair);
    }
}

TEST_P(event_loop_requeue_test, who_queues_again_and_again_keeps_nobody_waiting)
{
    reporting_pair greedy, other;
    start();
    add(greedy, input::unawaited);
    add(other, input::awaited);
    greedy.action = [&](std::uint32_t) { loop_.requeue(greedy, input::unawaited); };
    on_loop([&] {
        loop_.requeue(greedy, input::unawaited);
        loop_.arm_input(other.watched(), other, EPOLLIN);
    });
    ASSERT_TRUE(greedy.await_report());
    other.write();
    EXPECT_TRUE(other.await_report());
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(greedy.await_report());
    remove(greedy);
    remove(other);
}

TEST_P(event_loop_requeue_test, no_report_comes_after_removal)
{
    reporting_pair pair;
    start();
    for (const input kind : {input::unawaited, input::awaited}) {
        add(pair, kind);
        on_loop([&] {
            loop_.requeue(pair, kind);
            loop_.remove(pair.watched(), pair);
        });
        let_rounds_pass();
        EXPECT_EQ(0, pair.reports);
        // Nor does anybody wait for it.
        const auto begin = std::chrono::steady_clock::now();
        catch_up();
        EXPECT_GT(patience, std::chrono::steady_clock::now() - begin);
    }
}

// What was read and left behind, and what was found left behind at another time, count as input.
TEST_P(event_loop_requeue_test, a_catch_up_waits_for_it)
{
    reporting_pair pair;
    start();
    add(pair, input::awaited);
    pair.action = [&](std::uint32_t) {
        if (pair.reports % 2 == 1) {
            pair.read();
            loop_.requeue(pair, input::awaited);
        } else {
            loop_.arm_input(pair.watched(), pair, EPOLLIN);
        }
    };
    on_loop([&] { loop_.arm_input(pair.watched(), pair, EPOLLIN); });
    for (int i = 1; i <= 200 && !HasFailure(); ++i) {
        pair.write();
        catch_up();
        EXPECT_EQ(2 * i, pair.reports);
    }
    pair.action = nullptr;
    const int before = pair.reports;
    for (int i = 1; i <= 200 && !HasFailure(); ++i) {
        gate queued;
        post(loop_, [&] {
            loop_.requeue(pair, input::awaited);
            queued.open();
        });
        ASSERT_TRUE(queued.wait());
        catch_up();
        EXPECT_EQ(before + i, pair.reports);
    }
    remove(pair);
}

INSTANTIATE_TEST_SUITE_P(ways, event_loop_requeue_test, testing::Bool(), way_of_waiting);

}  // namespace
}  // namespace zlink::runtime::test
