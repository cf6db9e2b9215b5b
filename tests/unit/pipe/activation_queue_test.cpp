// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The queue of pipe ends that need attention: order, wake-ups, life time, and many threads that push.
#include "pipe/activation_queue.hpp"

#include "pipe/pipe.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace zlink::pipe {
namespace {

// Its thread sleeps until something is pushed.
class owned_queue final : public activation_queue {
public:
    explicit owned_queue(bool* destroyed = nullptr) : destroyed_(destroyed) {}
    ~owned_queue() override
    {
        if (destroyed_) *destroyed_ = true;
    }

    int wakes()
    {
        const std::lock_guard lock(mutex_);
        return wakes_;
    }

    /// False: nobody woke this thread for long.
    bool sleep()
    {
        std::unique_lock lock(mutex_);
        return awake_.wait_for(lock, std::chrono::seconds(20), [this] { return wakes_ != seen_; }) &&
               (seen_ = wakes_, true);
    }

private:
    void wake() noexcept override
    {
        {
            const std::lock_guard lock(mutex_);
            ++wakes_;
        }
        awake_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable awake_;
    int wakes_ = 0;
    int seen_ = 0;
    bool* destroyed_;
};

// Ends that report to one queue.
class attached_ends {
public:
    attached_ends(activation_queue& queue, std::size_t count) : queue_(queue)
    {
        for (std::size_t i = 0; i < count; ++i) {
            ends_.push_back(&pipe::create({0, 0, 8192})->first());
            ends_.back()->attach(queue);
        }
    }
    ~attached_ends()
    {
        for (pipe_end* end : ends_) {
            end->peer().close();
            end->close();
        }
        for (pipe_end* end = queue_.take_all(); end;) {
            pipe_end* const after = end->next_in_queue;
            end->discard();
            end = after;
        }
    }
    attached_ends(const attached_ends&) = delete;
    attached_ends& operator=(const attached_ends&) = delete;

    pipe_end& operator[](std::size_t i) { return *ends_[i]; }

private:
    activation_queue& queue_;
    std::vector<pipe_end*> ends_;
};

std::vector<pipe_end*> drain(activation_queue& queue)
{
    std::vector<pipe_end*> out;
    for (pipe_end* end = queue.take_all(); end; end = end->next_in_queue) out.push_back(end);
    return out;
}

TEST(activation_queue_test, is_empty_at_first)
{
    auto* queue = new owned_queue;
    EXPECT_TRUE(queue->empty());
    EXPECT_EQ(nullptr, queue->take_all());
    queue->release();
}

TEST(activation_queue_test, keeps_the_order_across_drains)
{
    auto* queue = new owned_queue;
    {
        attached_ends ends(*queue, 3);
        queue->push(ends[2]);
        queue->push(ends[0]);
        EXPECT_FALSE(queue->empty());
        EXPECT_EQ((std::vector<pipe_end*>{&ends[2], &ends[0]}), drain(*queue));
        EXPECT_TRUE(queue->empty());
        queue->push(ends[1]);
        queue->push(ends[2]);
        queue->push(ends[0]);
        EXPECT_EQ((std::vector<pipe_end*>{&ends[1], &ends[2], &ends[0]}), drain(*queue));
        EXPECT_TRUE(drain(*queue).empty());
    }
    queue->release();
}

TEST(activation_queue_test, wakes_its_owner_when_it_was_empty)
{
    auto* queue = new owned_queue;
    {
        attached_ends ends(*queue, 2);
        EXPECT_EQ(0, queue->wakes());
        queue->push(ends[0]);
        EXPECT_TRUE(queue->sleep());
        queue->push(ends[1]);
        EXPECT_EQ(2u, drain(*queue).size());
        const int before = queue->wakes();
        queue->push(ends[0]);
        EXPECT_LT(before, queue->wakes());
        EXPECT_EQ(1u, drain(*queue).size());
    }
    queue->release();
}

TEST(activation_queue_test, lives_while_ends_name_it)
{
    bool destroyed = false;
    auto* queue = new owned_queue(&destroyed);
    {
        const attached_ends ends(*queue, 2);
        queue->add_ref();
        queue->release();
        EXPECT_FALSE(destroyed);
    }
    EXPECT_FALSE(destroyed);
    queue->release();
    EXPECT_TRUE(destroyed);
}

// Each pusher announces numbers by its ends. Whatever the owner finds announced it takes, and the last number of every
// end is among it.
TEST(activation_queue_test, nothing_is_lost_between_many_pushers_and_the_owner_stress)
{
    constexpr std::size_t pushers = 4;
    constexpr std::size_t ends_each = 3;
    constexpr int numbers = 20'000;
    auto* queue = new owned_queue;
    {
        attached_ends ends(*queue, pushers * ends_each);
        std::vector<std::atomic<int>> announced(pushers * ends_each);
        std::map<pipe_end*, std::size_t> index;
        for (std::size_t i = 0; i < announced.size(); ++i) index[&ends[i]] = i;
        std::vector<std::jthread> threads;
        for (std::size_t p = 0; p < pushers; ++p) {
            threads.emplace_back([&, p] {
                for (int n = 1; n <= numbers; ++n) {
                    const std::size_t i = p * ends_each + std::size_t(n) % ends_each;
                    announced[i].store(n, std::memory_order_relaxed);
                    ends[i].notify(event_data);
                    if (n % 500 == 0) std::this_thread::yield();
                }
            });
        }
        std::vector<int> seen(announced.size(), 0);
        std::size_t finished = 0;
        while (finished < seen.size()) {
            ASSERT_TRUE(queue->sleep()) << finished;
            for (pipe_end* end = queue->take_all(); end;) {
                pipe_end* const after = end->next_in_queue;
                const std::size_t i = index.at(end);
                ASSERT_EQ(event_data, end->take_events());
                const int n = announced[i].load(std::memory_order_relaxed);
                ASSERT_GE(n, seen[i]);
                if (n > numbers - int(ends_each) && seen[i] <= numbers - int(ends_each)) ++finished;
                seen[i] = n;
                end = after;
            }
        }
    }
    queue->release();
}

}  // namespace
}  // namespace zlink::pipe
