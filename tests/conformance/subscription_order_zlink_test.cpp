// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A subscription takes effect before what the program that made it sends afterwards, by whatever socket. That holds
// even though messages may be sent and received past the I/O threads. libzmq keeps that order by handling everything in
// one I/O thread, but loses it when a publisher sends again within a millisecond.
#include "support/zmq_fixture.hpp"

#include <zlink.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

// How the other program waits for what it is asked.
enum class wait { in_recv, in_poll, in_poll_with_xpub };

struct setup {
    const char* transport;
    wait how;
};

// Two programs: this one subscribes, then asks; the other one publishes what it is asked for.
class subscription_order_test : public ::testing::TestWithParam<setup> {
protected:
    static constexpr const char* end = "end";

    void SetUp() override
    {
        sub_.subscribe("sync");
        program_ = std::thread([this, asked = ask_.bind(GetParam().transport), news = sub_.bind(GetParam().transport)] {
            socket in = there_.open(ZMQ_PAIR);
            in.connect(asked);
            socket pub = there_.open(GetParam().how == wait::in_poll_with_xpub ? ZMQ_XPUB : ZMQ_PUB);
            pub.connect(news);
            publish(in, pub);
        });
        // The other program publishes it until it is told that it has come.
        EXPECT_EQ("sync", sub_.recv());
        ask_.send("go");
        EXPECT_EQ("ready", ask_.recv());
    }

    void TearDown() override
    {
        ask_.send(end);
        program_.join();
    }

    static void publish(socket& in, socket& pub)
    {
        do {
            pub.send("sync");
        } while (!in.readable(10) && !HasFailure());
        EXPECT_EQ("go", in.recv());
        in.send("ready");
        while (true) {
            await_question(in, pub);
            const std::string wanted = in.recv();
            if (wanted == end || HasFailure()) {
                return;
            }
            pub.send(wanted);
        }
    }

    static void await_question(socket& in, socket& pub)
    {
        if (GetParam().how == wait::in_poll) {
            EXPECT_TRUE(in.readable(patience_ms));
        } else if (GetParam().how == wait::in_poll_with_xpub) {
            zmq_pollitem_t items[] = {{in, 0, ZMQ_POLLIN, 0}, {pub, 0, ZMQ_POLLIN, 0}};
            while (items[0].revents == 0 && !HasFailure()) {
                EXPECT_LT(0, zmq_poll(items, 2, patience_ms));
                pub.drain();  // the notices of subscriptions
            }
        }
    }

    void ask_for(const std::string& topic)
    {
        ask_.send(topic);
        // An earlier "sync" may still be on its way.
        std::string got = sub_.recv();
        while (got == "sync") {
            got = sub_.recv();
        }
        EXPECT_EQ(topic, got);
    }

    context here_;
    context there_;
    socket ask_ = here_.open(ZMQ_PAIR);
    socket sub_ = here_.open(ZMQ_SUB);
    std::thread program_;
};

TEST_P(subscription_order_test, asking_does_not_overtake_subscribing)
{
    for (int i = 0; i < 300 && !HasFailure(); ++i) {
        const std::string topic = "topic" + std::to_string(i) + ".";
        sub_.subscribe(topic);
        ask_for(topic);
    }
}

TEST_P(subscription_order_test, asking_does_not_overtake_subscribing_where_cores_are_short)
{
    std::atomic<bool> over{false};
    std::vector<std::jthread> others;
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
        others.emplace_back([&over] {
            while (!over.load(std::memory_order_relaxed)) {
            }
        });
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    for (int i = 0; std::chrono::steady_clock::now() < until && !HasFailure(); ++i) {
        const std::string topic = "topic" + std::to_string(i) + ".";
        sub_.subscribe(topic);
        ask_for(topic);
    }
    over = true;
}

TEST_P(subscription_order_test, several_subscriptions_are_all_told_before_asking)
{
    for (int i = 0; i < 100 && !HasFailure(); ++i) {
        const std::string topic = "topic" + std::to_string(i) + ".";
        for (const char* kind : {"a", "b", "c", "d", "e"}) {
            sub_.subscribe(topic + kind);
        }
        ask_for(topic + "e");
    }
}

// More than one that subscribes writes itself: the I/O thread has most of them when it asks.
TEST_P(subscription_order_test, a_burst_of_subscriptions_is_all_told_before_asking)
{
    for (int i = 0; i < 30 && !HasFailure(); ++i) {
        const std::string topic = "topic" + std::to_string(i) + ".";
        for (int k = 0; k < 300; ++k) sub_.subscribe(topic + std::to_string(k));
        ask_for(topic + "299");
    }
}

std::string name_of(const setup& s)
{
    const char* const hows[] = {"", "_polling", "_polling_xpub"};
    const std::string transport = s.transport;
    return transport.substr(0, transport.find(':')) + hows[int(s.how)];
}

INSTANTIATE_TEST_SUITE_P(
    all, subscription_order_test,
    ::testing::Values(setup{"tcp://127.0.0.1:*", wait::in_recv}, setup{"tcp://127.0.0.1:*", wait::in_poll},
                      setup{"tcp://127.0.0.1:*", wait::in_poll_with_xpub}, setup{"ipc://*", wait::in_recv},
                      setup{"ipc://*", wait::in_poll}, setup{"ipc://*", wait::in_poll_with_xpub},
                      setup{"ws://127.0.0.1:*", wait::in_recv}, setup{"ws://127.0.0.1:*", wait::in_poll},
                      setup{"ws://127.0.0.1:*", wait::in_poll_with_xpub}),
    [](const auto& p) { return name_of(p.param); });

struct own_publisher {
    const char* transport;
    bool in_one_context;
};

class own_publisher_test : public testing::TestWithParam<own_publisher> {
protected:
    own_publisher_test()
    {
        sub.subscribe("sync");
        const std::string transport = GetParam().transport;
        sub.connect(pub.bind(transport == "inproc" ? unique_inproc() : transport));
        do {
            pub.send("sync");
        } while (!sub.readable(10) && !HasFailure());
        sub.drain();
    }

    context here, there;
    socket pub = here.open(ZMQ_PUB), sub = (GetParam().in_one_context ? here : there).open(ZMQ_SUB);
};

// A program that subscribes at a publisher of its own, and publishes at any time. No sleep in between is needed, and no
// other thread to run while it computes.
TEST_P(own_publisher_test, has_heard_of_the_subscription_that_came_before)
{
    for (int i = 0; i < 500 && !HasFailure(); ++i) {
        const std::string topic = "topic" + std::to_string(i) + ".";
        sub.subscribe(topic);
        const auto computed = std::chrono::steady_clock::now() + std::chrono::microseconds(i % 5 * 50);
        while (std::chrono::steady_clock::now() < computed) {
        }
        pub.send(topic);
        EXPECT_EQ(topic, sub.recv());
    }
}

TEST_P(own_publisher_test, has_heard_of_a_burst_of_subscriptions_that_came_before)
{
    for (int i = 0; i < 50 && !HasFailure(); ++i) {
        const std::string topic = "topic" + std::to_string(i) + ".";
        for (int k = 0; k < 100; ++k) sub.subscribe(topic + std::to_string(k));
        pub.send(topic + "99");
        EXPECT_EQ(topic + "99", sub.recv());
    }
}

INSTANTIATE_TEST_SUITE_P(transports, own_publisher_test,
                         testing::Values(own_publisher{"tcp://127.0.0.1:*", true},
                                         own_publisher{"tcp://127.0.0.1:*", false}, own_publisher{"ipc://*", true},
                                         own_publisher{"ipc://*", false}, own_publisher{"inproc", true}),
                         [](const auto& p) {
                             return std::string(p.param.transport).substr(0, 3) +
                                    (p.param.in_one_context ? "_in_one_context" : "_in_two_contexts");
                         });

using many_publishers_test = zmq_test;

constexpr int publishers = 20;
constexpr int topics = 500;

std::uint64_t counted(const std::string& name)
{
    zlink_load_counter_t c{};
    for (std::size_t i = 0; zlink_load_counter(i, &c) == 0; ++i) {
        if (c.name == name) return c.times;
    }
    return 0;
}

class subscriptions_at_many_test : public many_publishers_test {
protected:
    void connect(socket& subscriber)
    {
        subscriber.set(ZMQ_SNDHWM, 0);
        for (int i = 0; i < publishers; ++i) {
            pubs_.push_back(there_.open(ZMQ_XPUB));
            pubs_.back().set(ZMQ_RCVHWM, 0);
            subscriber.connect(pubs_.back().bind("tcp://127.0.0.1:*"));
        }
        for (socket& pub : pubs_) ASSERT_EQ("\1first", pub.recv());
    }
    // All of them hear all, in order.
    void expect_topics()
    {
        for (socket& pub : pubs_) {
            for (int i = 0; i < topics; ++i) ASSERT_EQ("\1topic" + std::to_string(i), pub.recv());
        }
    }

    context there_;
    std::vector<socket> pubs_;
};

TEST_F(subscriptions_at_many_test, are_written_many_at_a_time)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("first");
    connect(sub);
    const std::uint64_t before = counted("own_write");
    for (int i = 0; i < topics; ++i) sub.subscribe("topic" + std::to_string(i));
    EXPECT_GT(topics * publishers / 4, counted("own_write") - before);
    expect_topics();
}

TEST_F(subscriptions_at_many_test, are_written_many_at_a_time_where_they_are_messages)
{
    socket sub = ctx_.open(ZMQ_XSUB);
    sub.send("\1first");
    connect(sub);
    const std::uint64_t before = counted("own_write");
    for (int i = 0; i < topics; ++i) sub.send("\1topic" + std::to_string(i));
    EXPECT_GT(topics * publishers / 4, counted("own_write") - before);
    expect_topics();
}

// The thread that asks is not the one that has subscribed, and the socket may be gone by then.
TEST_F(subscriptions_at_many_test, may_be_left_by_a_thread_that_hands_its_sockets_on)
{
    socket sub = ctx_.open(ZMQ_SUB), ask = ctx_.open(ZMQ_PAIR), asked = there_.open(ZMQ_PAIR);
    ask.connect(asked.bind("tcp://127.0.0.1:*"));
    sub.subscribe("first");
    connect(sub);
    std::thread([&] {
        for (int i = 0; i < topics; ++i) sub.subscribe("topic" + std::to_string(i));
    }).join();
    expect_topics();
    std::thread([&] {
        for (int i = 0; i < topics; ++i) sub.unsubscribe("topic" + std::to_string(i));
        std::thread([&] { sub.close(); }).join();
        ask.send("after");
    }).join();
    EXPECT_EQ("after", asked.recv());
}

}  // namespace
}  // namespace zlink::test
