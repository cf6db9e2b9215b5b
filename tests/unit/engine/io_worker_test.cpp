// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What an I/O thread passes on to the clients behind its pipe ends, and what it does not.
#include "engine/io_worker.hpp"

#include "engine_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace zlink::engine::test {
namespace {

// Gathers what it is told.
class recording_client final : public pipe::pipe_client {
public:
    void on_pipe_events(std::uint32_t events) noexcept override
    {
        if (action) action();
        const std::lock_guard lock(mutex_);
        told_ |= events;
        changed_.notify_all();
    }
    std::function<void()> action;  ///< worker's thread; set before anything is told

    [[nodiscard]] bool wait_for(std::uint32_t events)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, [&] { return (told_ & events) == events; });
    }
    [[nodiscard]] std::uint32_t told()
    {
        const std::lock_guard lock(mutex_);
        return told_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint32_t told_ = 0;
};

class io_worker_test : public engine_fixture {
protected:
    struct served {
        recording_client& client;
        pipe::pipe_end& socket_end;
        pipe::pipe_end& end;
    };

    /// A pipe whose second end is the worker's, with a client behind it.
    [[nodiscard]] served serve()
    {
        const served s = prepare();
        s.end.attach(worker_.activations());
        return s;
    }
    /// The same, not attached yet.
    [[nodiscard]] served prepare()
    {
        pipe::pipe& p = make_pipe();
        recording_client& client = clients_.emplace_back();
        p.second().client = &client;
        ends_.push_back(&p.second());
        return {client, p.first(), p.second()};
    }

    void TearDown() override
    {
        on_worker([this] {
            for (pipe::pipe_end* end : ends_) {
                worker_.forget(*end);
                (void)end->close();
            }
        });
        engine_fixture::TearDown();
    }

    std::deque<recording_client> clients_;
    std::vector<pipe::pipe_end*> ends_;
};

TEST_F(io_worker_test, passes_notifications_on_to_the_client_behind_the_end)
{
    const served a = serve(), b = serve();
    a.end.notify(pipe::event_hwm | pipe::event_watch);
    b.end.notify(pipe::event_credit);
    EXPECT_TRUE(a.client.wait_for(pipe::event_hwm | pipe::event_watch));
    EXPECT_TRUE(b.client.wait_for(pipe::event_credit));
    EXPECT_EQ(0u, a.client.told() & pipe::event_credit);
    EXPECT_EQ(0u, b.client.told() & pipe::event_hwm);
}

TEST_F(io_worker_test, passes_on_what_came_before_the_end_was_attached)
{
    const served s = prepare();
    s.end.notify(pipe::event_hwm);
    s.end.attach(worker_.activations());
    EXPECT_TRUE(s.client.wait_for(pipe::event_hwm));
}

TEST_F(io_worker_test, tells_the_client_of_a_watched_lane_what_is_written)
{
    for (const bool dormant_at_once : {false, true}) {
        const served s = serve();
        on_worker([&] { dormant_at_once ? worker_.make_dormant(s.end) : worker_.watch(s.end); });
        EXPECT_EQ(0u, s.client.told());
        host_.send(s.socket_end, {"news"});
        EXPECT_TRUE(s.client.wait_for(pipe::event_data));
    }
}

TEST_F(io_worker_test, tells_nothing_of_a_lane_that_was_forgotten)
{
    const served forgotten = serve(), watched = serve();
    on_worker([&] {
        worker_.watch(forgotten.end);
        worker_.watch(watched.end);
        worker_.forget(forgotten.end);
    });
    host_.send(forgotten.socket_end, {"news"});
    host_.send(watched.socket_end, {"news"});
    EXPECT_TRUE(watched.client.wait_for(pipe::event_data));
    let_a_round_pass();
    EXPECT_EQ(0u, forgotten.client.told());
}

// Each end knows where it stands, so forgetting one looks at no other, however many there are.
TEST_F(io_worker_test, ends_that_are_watched_for_idleness_know_their_places)
{
    const served a = serve(), b = serve(), c = serve();
    on_worker([&] {
        idle_trimmer& idle = worker_.idle();
        for (const served* s : {&a, &b, &c}) {
            s->end.idle.watch();
            idle.add_if_unknown(s->end);
            idle.add_if_unknown(s->end);
        }
        EXPECT_EQ(0u, a.end.idle.place());
        EXPECT_EQ(1u, b.end.idle.place());
        EXPECT_EQ(2u, c.end.idle.place());
        idle.forget(a.end);
        idle.forget(a.end);
        EXPECT_FALSE(a.end.idle.has_place());
        EXPECT_EQ(0u, c.end.idle.place());
        idle.forget(c.end);
        EXPECT_EQ(0u, b.end.idle.place());
        idle.forget(b.end);
        EXPECT_FALSE(b.end.idle.has_place());
    });
}

// Its turn ends after the first lane; what comes in between makes it forget the second one.
TEST_F(io_worker_test, tells_nothing_of_a_lane_that_was_forgotten_between_two_turns)
{
    class forgetting final : public runtime::task {
    public:
        forgetting(io_worker& worker, pipe::pipe_end& end) : worker_(worker), end_(end) {}
        void run() noexcept override { worker_.forget(end_); }

    private:
        io_worker& worker_;
        pipe::pipe_end& end_;
    };
    const served slow = serve(), forgotten = serve();
    forgetting forget(worker_, forgotten.end);
    slow.client.action = [&] {
        worker_.loop().post(forget);
        const auto end = runtime::clock::now() + 2 * runtime::work_classes::longest_piece;
        while (runtime::clock::now() < end) {
        }
    };
    on_worker([&] {
        worker_.watch(slow.end);
        worker_.watch(forgotten.end);
        host_.send(slow.socket_end, {"news"});
        host_.send(forgotten.socket_end, {"news"});
    });
    EXPECT_TRUE(slow.client.wait_for(pipe::event_data));
    let_a_round_pass();
    EXPECT_EQ(0u, forgotten.client.told());
}

TEST_F(io_worker_test, tells_nothing_of_an_end_that_was_closed_in_the_queue)
{
    const served s = serve();
    on_worker([&] {
        s.end.notify(pipe::event_hwm);
        EXPECT_EQ(pipe::pipe_end::closing::in_queue, s.end.close());
    });
    ends_.clear();
    let_a_round_pass();
    EXPECT_EQ(0u, s.client.told());
    EXPECT_TRUE(host_.wait_for_close(s.socket_end));
}

}  // namespace
}  // namespace zlink::engine::test
