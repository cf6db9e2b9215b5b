// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Deadlines come out in their order, whatever was put in and taken out before.
#include "runtime/timer_queue.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace zlink::runtime {
namespace {

struct waiting final : timer_queue::entry {};

timer_queue::time_point at(int ms)
{
    return timer_queue::time_point(std::chrono::milliseconds(ms));
}

TEST(timer_queue_test, is_empty_at_first)
{
    timer_queue queue;
    EXPECT_EQ(0u, queue.size());
    EXPECT_EQ(timer_queue::time_point::max(), queue.next());
    EXPECT_EQ(nullptr, queue.take_due(timer_queue::time_point::max()));
}

TEST(timer_queue_test, gives_out_what_is_due_and_no_more)
{
    timer_queue queue;
    waiting early, late;
    ASSERT_TRUE(queue.insert(late, at(20)));
    ASSERT_TRUE(queue.insert(early, at(10)));
    EXPECT_EQ(at(10), queue.next());
    EXPECT_EQ(nullptr, queue.take_due(at(9)));
    EXPECT_EQ(&early, queue.take_due(at(10)));
    EXPECT_FALSE(early.queued());
    EXPECT_EQ(nullptr, queue.take_due(at(19)));
    EXPECT_TRUE(late.queued());
    EXPECT_EQ(&late, queue.take_due(at(100)));
    EXPECT_EQ(0u, queue.size());
}

TEST(timer_queue_test, keeps_a_place_for_one_among_others)
{
    timer_queue queue;
    waiting kept;
    ASSERT_TRUE(queue.keep_place(kept));
    std::vector<std::unique_ptr<waiting>> others;
    for (int i = 0; i < 100; ++i) {
        others.push_back(std::make_unique<waiting>());
        ASSERT_TRUE(queue.insert(*others.back(), at(10 + i)));
        ASSERT_TRUE(queue.insert(kept, at(1)));
        EXPECT_EQ(&kept, queue.take_due(at(1)));
    }
    EXPECT_EQ(100u, queue.size());
    EXPECT_EQ(others.front().get(), queue.take_due(at(1000)));
}

TEST(timer_queue_test, forgets_what_is_removed)
{
    timer_queue queue;
    waiting a, b, c;
    ASSERT_TRUE(queue.insert(a, at(1)));
    ASSERT_TRUE(queue.insert(b, at(2)));
    ASSERT_TRUE(queue.insert(c, at(3)));
    queue.remove(a);
    EXPECT_EQ(at(2), queue.next());
    queue.remove(c);
    EXPECT_EQ(&b, queue.take_due(at(5)));
    EXPECT_EQ(nullptr, queue.take_due(at(5)));
    ASSERT_TRUE(queue.insert(a, at(7)));
    EXPECT_EQ(at(7), queue.next());
}

TEST(timer_queue_test, a_batch_has_those_that_are_due_when_it_begins)
{
    timer_queue queue;
    EXPECT_FALSE(queue.begin_batch(at(100)));
    waiting a, b, late;
    ASSERT_TRUE(queue.insert(late, at(20)));
    EXPECT_FALSE(queue.begin_batch(at(19)));
    ASSERT_TRUE(queue.insert(b, at(10)));
    ASSERT_TRUE(queue.insert(a, at(5)));
    ASSERT_TRUE(queue.begin_batch(at(10)));
    EXPECT_EQ(&a, queue.take_from_batch());
    ASSERT_TRUE(queue.any_in_batch());
    EXPECT_EQ(&b, queue.take_from_batch());
    EXPECT_FALSE(queue.any_in_batch());
    EXPECT_TRUE(late.queued());
}

TEST(timer_queue_test, a_batch_ends_though_its_timers_start_again)
{
    timer_queue queue;
    waiting a, b;
    ASSERT_TRUE(queue.insert(a, at(1)));
    ASSERT_TRUE(queue.insert(b, at(2)));
    ASSERT_TRUE(queue.begin_batch(at(2)));
    int taken = 0;
    do {
        timer_queue::entry* const due = queue.take_from_batch();
        ASSERT_NE(nullptr, due);
        ASSERT_TRUE(queue.insert(*due, at(0)));
        ++taken;
    } while (queue.any_in_batch());
    EXPECT_EQ(2, taken);
    EXPECT_TRUE(queue.begin_batch(at(2)));
}

TEST(timer_queue_test, a_timer_may_leave_during_a_batch)
{
    timer_queue queue;
    waiting a, b, c;
    ASSERT_TRUE(queue.insert(a, at(1)));
    ASSERT_TRUE(queue.insert(b, at(2)));
    ASSERT_TRUE(queue.insert(c, at(9)));
    ASSERT_TRUE(queue.begin_batch(at(2)));
    EXPECT_EQ(&a, queue.take_from_batch());
    ASSERT_TRUE(queue.any_in_batch());
    queue.remove(b);
    // A loop that had more to do for other classes comes back to this batch.
    EXPECT_EQ(nullptr, queue.take_from_batch());
    EXPECT_FALSE(queue.any_in_batch());
    EXPECT_TRUE(c.queued());
}

TEST(timer_queue_test, agrees_with_a_sorted_map_on_any_sequence)
{
    std::mt19937 random(1);
    for (int run = 0; run < 50; ++run) {
        timer_queue queue;
        std::vector<waiting> all(40);
        std::multimap<timer_queue::time_point, waiting*> model;
        for (int i = 0; i < 1000; ++i) {
            waiting& w = all[random() % all.size()];
            if (w.queued()) {
                queue.remove(w);
                std::erase_if(model, [&](const auto& m) { return m.second == &w; });
            } else {
                const auto when = at(int(random() % 30));
                ASSERT_TRUE(queue.insert(w, when));
                model.emplace(when, &w);
            }
            if (random() % 4 == 0) {
                const auto now = at(int(random() % 30));
                while (timer_queue::entry* due = queue.take_due(now)) {
                    const auto expected = model.begin()->first;
                    EXPECT_LE(expected, now);
                    const auto [first, last] = model.equal_range(expected);
                    const auto found = std::find_if(first, last, [&](const auto& m) { return m.second == due; });
                    ASSERT_NE(last, found);
                    model.erase(found);
                }
                EXPECT_TRUE(model.empty() || model.begin()->first > now);
            }
            ASSERT_EQ(model.size(), queue.size());
            ASSERT_EQ(model.empty() ? timer_queue::time_point::max() : model.begin()->first, queue.next());
        }
    }
}

}  // namespace
}  // namespace zlink::runtime
