// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The contract of PUB and SUB: every subscriber gets what it asked for, a slow one loses and holds nobody up (RFC 29).
#include "support/zmq_fixture.hpp"

#include <thread>

namespace zlink::test {
namespace {

class pub_sub_test : public zmq_test {
protected:
    // A subscriber of `topics` and of "sync", whose subscriptions have taken effect.
    socket subscriber(const std::vector<std::string>& topics)
    {
        socket sub = ctx_.open(ZMQ_SUB);
        sub.connect(endpoint_);
        for (const std::string& topic : topics) {
            sub.subscribe(topic);
        }
        sub.subscribe("sync");  // comes after the others, so its effect proves theirs
        sync_subscription(pub_, sub);
        return sub;
    }

    socket pub_ = ctx_.open(ZMQ_PUB);
    std::string endpoint_ = pub_.bind("tcp://127.0.0.1:*");
};

TEST_F(pub_sub_test, each_side_goes_one_way)
{
    socket sub = ctx_.open(ZMQ_SUB);
    EXPECT_EQ(ENOTSUP, sub.try_send("x"));
    EXPECT_FALSE(pub_.recv_frame(ZMQ_DONTWAIT));
    EXPECT_EQ(ENOTSUP, zmq_errno());
    EXPECT_EQ(-1, zmq_setsockopt(pub_, ZMQ_SUBSCRIBE, "x", 1));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST_F(pub_sub_test, delivers_by_prefix_of_the_first_frame)
{
    socket sub = subscriber({"weather.", "news"});
    pub_.send("weather.berlin");
    pub_.send("weather");
    pub_.send("newspaper");
    pub_.send("News");
    pub_.send_parts({"other", "news"});
    pub_.send_parts({"news", "other", ""});
    pub_.send("");
    EXPECT_EQ("weather.berlin", sub.recv());
    EXPECT_EQ("newspaper", sub.recv());
    EXPECT_EQ((parts{"news", "other", ""}), sub.recv_parts());
    expect_only(pub_, sub, {"sync"});
}

TEST_F(pub_sub_test, both_sides_tell_how_many_topics_are_subscribed_to)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    for (const char* topic : {"a", "b", "b"}) sub.subscribe(topic);
    EXPECT_EQ(2, sub.get_int(ZMQ_TOPICS_COUNT));
    EXPECT_EQ(0, pub.get_int(ZMQ_TOPICS_COUNT));
    sub.connect(pub.bind(unique_inproc()));
    EXPECT_TRUE(eventually([&] { return pub.get_int(ZMQ_TOPICS_COUNT) == 2; }));
    sub.unsubscribe("a");
    EXPECT_EQ(1, sub.get_int(ZMQ_TOPICS_COUNT));
    EXPECT_TRUE(eventually([&] { return pub.get_int(ZMQ_TOPICS_COUNT) == 1; }));
}

TEST_F(pub_sub_test, the_empty_prefix_matches_all)
{
    socket sub = subscriber({""});
    pub_.send("anything");
    pub_.send("");
    pub_.send_parts({"", "with an empty first frame"});
    EXPECT_EQ("anything", sub.recv());
    EXPECT_EQ("", sub.recv());
    EXPECT_EQ((parts{"", "with an empty first frame"}), sub.recv_parts());
}

TEST_F(pub_sub_test, without_subscription_nothing_comes)
{
    socket silent = ctx_.open(ZMQ_SUB);
    silent.connect(endpoint_);
    socket sub = subscriber({""});
    pub_.send("x");
    EXPECT_EQ("x", sub.recv());
    silent.subscribe("late");
    sync_subscription(pub_, silent, "late");
    expect_no_message(silent);
}

TEST_F(pub_sub_test, prefixes_may_hold_any_bytes)
{
    const std::string binary("\x00\xff\x01 x\x00", 6);
    socket sub = subscriber({binary, std::string("\x00\x00", 2), std::string(300, 'l')});
    pub_.send(std::string("\x00\xff\x01 x", 5));
    pub_.send(binary + "tail");
    pub_.send(std::string("\x00", 1));
    pub_.send(std::string("\x00\x00\x00", 3));
    pub_.send(std::string(299, 'l'));
    pub_.send(std::string(301, 'l'));
    EXPECT_EQ(binary + "tail", sub.recv());
    EXPECT_EQ(std::string("\x00\x00\x00", 3), sub.recv());
    EXPECT_EQ(std::string(301, 'l'), sub.recv());
}

TEST_F(pub_sub_test, every_subscriber_gets_a_copy_of_its_own)
{
    std::vector<socket> subs;
    for (int i = 0; i < 5; ++i) {
        subs.push_back(subscriber({"all", "only" + std::to_string(i)}));
    }
    const std::string large(200000, 'L');
    for (socket& sub : subs) {
        sub.drain();  // the synchronisation of the later ones reached the earlier ones
    }
    pub_.send_parts({"all", large, "tail"});
    pub_.send("only3");
    pub_.send("all done");
    for (std::size_t i = 0; i < subs.size(); ++i) {
        parts frames = subs[i].recv_parts();
        while (frames.front().starts_with("sync")) {
            frames = subs[i].recv_parts();
        }
        EXPECT_EQ((parts{"all", large, "tail"}), frames);
        if (i == 3) {
            EXPECT_EQ("only3", subs[i].recv());
        }
        EXPECT_EQ("all done", subs[i].recv());
    }
}

TEST_F(pub_sub_test, overlapping_subscriptions_deliver_once)
{
    socket sub = subscriber({"a", "ab", "abc", "a", ""});
    pub_.send("abcd");
    EXPECT_EQ("abcd", sub.recv());
    expect_only(pub_, sub, {"sync"});
}

TEST_F(pub_sub_test, a_subscription_made_twice_is_ended_twice)
{
    socket sub = subscriber({"twice", "twice"});
    sub.unsubscribe("twice");
    sub.subscribe("first");
    sync_subscription(pub_, sub, "first");
    pub_.send("twice as long");
    EXPECT_EQ("twice as long", sub.recv());
    sub.unsubscribe("twice");
    sub.subscribe("second");
    sync_subscription(pub_, sub, "second");
    pub_.send("twice as long");
    expect_only(pub_, sub, {"sync"});
}

TEST_F(pub_sub_test, ending_one_of_several_subscriptions_leaves_the_others)
{
    socket sub = subscriber({"a", "ab", "b"});
    sub.unsubscribe("ab");
    sub.unsubscribe("b");
    sub.subscribe("after");
    sync_subscription(pub_, sub, "after");
    pub_.send("b");
    pub_.send("abc");
    EXPECT_EQ("abc", sub.recv());
    expect_only(pub_, sub, {"sync"});
}

TEST_F(pub_sub_test, subscriptions_made_before_connect_count)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("early");
    sub.subscribe("dropped");
    sub.unsubscribe("dropped");
    sub.connect(endpoint_);
    sync_subscription(pub_, sub, "early");
    pub_.send("dropped");
    expect_only(pub_, sub, {"early"});
}

TEST_F(pub_sub_test, subscriptions_go_to_every_publisher)
{
    socket other = ctx_.open(ZMQ_PUB);
    socket sub = subscriber({"topic"});
    sub.connect(other.bind(unique_inproc()));
    sync_subscription(other, sub);
    pub_.send("topic one");
    EXPECT_EQ("topic one", sub.recv());
    other.send("topic two");
    EXPECT_EQ("topic two", sub.recv());
}

TEST_F(pub_sub_test, the_subscriber_may_bind)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("sync");
    socket pub = ctx_.open(ZMQ_PUB);
    pub.connect(sub.bind("tcp://127.0.0.1:*"));
    sync_subscription(pub, sub);
    expect_only(pub, sub, {"sync"});
}

TEST_F(pub_sub_test, keeps_the_order_of_a_stream)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    sub.set(ZMQ_RCVHWM, 0);
    pub.set(ZMQ_SNDHWM, 0);
    sub.subscribe("");
    sub.connect(pub.bind("tcp://127.0.0.1:*"));
    sync_subscription(pub, sub);
    constexpr int count = 50000;
    for (int i = 0; i < count; ++i) {
        pub.send(std::to_string(i));
    }
    for (int i = 0; i < count; ++i) {
        ASSERT_EQ(std::to_string(i), sub.recv());
    }
}

TEST_F(pub_sub_test, a_publisher_without_subscribers_drops_and_never_waits)
{
    for (int i = 0; i < 5000; ++i) {
        ASSERT_EQ(0, pub_.try_send("into the void"));
    }
    EXPECT_TRUE(pub_.writable());
    socket sub = subscriber({""});
    expect_only(pub_, sub, {"only what comes later"});
}

TEST_F(pub_sub_test, a_full_subscriber_gets_the_first_messages_and_later_ones_once_it_has_read)
{
    socket pub = ctx_.open(ZMQ_XPUB), sub = ctx_.open(ZMQ_SUB);
    pub.set(ZMQ_SNDHWM, 10);
    sub.set(ZMQ_RCVHWM, 20);
    sub.subscribe("");
    sub.connect(pub.bind(unique_inproc()));
    EXPECT_EQ("\x01", pub.recv());
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(0, pub.try_send(std::to_string(i)));
    }
    for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(std::to_string(i), sub.recv());
    }
    expect_no_message(sub);
    sync_subscription(pub, sub);
}

TEST_F(pub_sub_test, a_full_subscriber_does_not_disturb_another)
{
    socket pub = ctx_.open(ZMQ_XPUB), slow = ctx_.open(ZMQ_SUB), fast = ctx_.open(ZMQ_SUB);
    const std::string endpoint = unique_inproc();
    pub.set(ZMQ_SNDHWM, 5);
    pub.set(ZMQ_XPUB_VERBOSE, 1);
    pub.bind(endpoint);
    slow.set(ZMQ_RCVHWM, 5);
    fast.set(ZMQ_RCVHWM, 0);
    for (socket* sub : {&slow, &fast}) {
        sub->subscribe("");
        sub->connect(endpoint);
        EXPECT_EQ("\x01", pub.recv());
    }
    for (int i = 0; i < 1000; ++i) {
        pub.send(std::to_string(i));
        ASSERT_EQ(std::to_string(i), fast.recv());
    }
    EXPECT_EQ(10u, slow.drain().size());
}

TEST_F(pub_sub_test, subscribers_come_and_go_under_traffic)
{
    std::atomic<bool> stop{false};
    std::thread publisher([&] {
        for (int i = 0; !stop; ++i) {
            pub_.send("tick " + std::to_string(i));
        }
    });
    for (int round = 0; round < 20; ++round) {
        socket sub = ctx_.open(ZMQ_SUB);
        sub.subscribe("tick");
        sub.connect(endpoint_);
        int last = -1;
        for (int i = 0; i < 50; ++i) {
            const std::string got = sub.recv();
            EXPECT_TRUE(got.starts_with("tick ")) << got;
            const int number = std::atoi(got.c_str() + 5);
            EXPECT_LT(last, number);
            last = number;
        }
    }
    stop = true;
    publisher.join();
}

TEST_F(pub_sub_test, invert_matching_delivers_what_was_not_asked_for)
{
    pub_.set(ZMQ_INVERT_MATCHING, 1);
    socket sub = ctx_.open(ZMQ_SUB);
    sub.set(ZMQ_INVERT_MATCHING, 1);
    sub.connect(endpoint_);
    sub.subscribe("no");
    sub.subscribe("barrier");
    // With inverted matching all comes at first; "barrier" keeps coming until the subscriptions have taken effect.
    sync_subscription(pub_, sub, "sync");
    for (int tries = 0; tries < patience_ms; ++tries) {
        pub_.send("barrier");
        pub_.send("end");
        if (sub.recv() == "end") {
            break;
        }
        EXPECT_EQ("end", sub.recv());
    }
    pub_.send("no thanks");
    pub_.send("yes please");
    EXPECT_EQ("yes please", sub.recv());
    expect_only(pub_, sub, {"sync"});
}

}  // namespace
}  // namespace zlink::test
