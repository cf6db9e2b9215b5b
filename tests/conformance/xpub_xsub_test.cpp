// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The contract of XPUB and XSUB: subscriptions are messages that the application sees and may decide upon (RFC 29).
#include "support/zmq_fixture.hpp"

#include <set>
#include <string>

namespace zlink::test {
namespace {

std::string subscription(const std::string& topic)
{
    return "\x01" + topic;
}

std::string cancellation(const std::string& topic)
{
    return std::string(1, '\0') + topic;
}

// Each test runs over inproc and over tcp: in one case subscriptions pass between queues, in the other over the wire.
class xpub_xsub_test : public ::testing::TestWithParam<const char*> {
protected:
    std::string bind(socket& bound)
    {
        return bound.bind(std::string_view(GetParam()) == "tcp" ? "tcp://127.0.0.1:*" : unique_inproc());
    }

    // Binds the publisher and joins the subscriber.
    void join() { sub_.connect(bind(pub_)); }

    context ctx_;
    socket pub_ = ctx_.open(ZMQ_XPUB);
    socket sub_ = ctx_.open(ZMQ_XSUB);
};

TEST_P(xpub_xsub_test, subscriptions_and_cancellations_arrive_as_messages)
{
    join();
    sub_.send(subscription("a"));
    sub_.send(subscription(""));
    sub_.send(cancellation("a"));
    EXPECT_EQ(subscription("a"), pub_.recv());
    EXPECT_EQ(subscription(""), pub_.recv());
    EXPECT_EQ(cancellation("a"), pub_.recv());
    EXPECT_FALSE(pub_.more());
}

TEST_P(xpub_xsub_test, subscriptions_of_a_sub_socket_arrive_too)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("before");
    sub.connect(bind(pub_));
    EXPECT_EQ(subscription("before"), pub_.recv());
    sub.subscribe("after");
    EXPECT_EQ(subscription("after"), pub_.recv());
    sub.unsubscribe("before");
    EXPECT_EQ(cancellation("before"), pub_.recv());
}

TEST_P(xpub_xsub_test, messages_follow_the_subscriptions)
{
    join();
    sub_.send(subscription("a"));
    EXPECT_EQ(subscription("a"), pub_.recv());
    pub_.send("b");
    pub_.send_parts({"abc", "second"});
    EXPECT_EQ((parts{"abc", "second"}), sub_.recv_parts());
    sub_.send(cancellation("a"));
    EXPECT_EQ(cancellation("a"), pub_.recv());
    pub_.send("abc");
    sub_.send(subscription("marker"));
    EXPECT_EQ(subscription("marker"), pub_.recv());
    expect_only(pub_, sub_, {"marker"});
}

TEST_P(xpub_xsub_test, subscriptions_and_cancellations_of_any_length_pass)
{
    join();
    for (std::size_t size : {0u, 1u, 28u, 29u, 30u, 31u, 32u, 33u, 64u, 254u, 255u, 256u, 5000u, 100000u}) {
        const std::string topic(size, 't');
        sub_.send(subscription(topic));
        EXPECT_EQ(subscription(topic), pub_.recv());
        sub_.send(cancellation(topic));
        EXPECT_EQ(cancellation(topic), pub_.recv());
    }
}

TEST_P(xpub_xsub_test, thousands_of_subscriptions_work)
{
    sub_.set(ZMQ_SNDHWM, 0);  // libzmq loses subscriptions beyond the mark
    pub_.set(ZMQ_RCVHWM, 0);
    join();
    constexpr int count = 3000;
    for (int i = 0; i < count; ++i) {
        sub_.send(subscription("topic/" + std::to_string(i) + "/"));
    }
    for (int i = 0; i < count; ++i) {
        ASSERT_EQ(subscription("topic/" + std::to_string(i) + "/"), pub_.recv());
    }
    for (int i = 0; i < count; i += 100) {
        const std::string topic = "topic/" + std::to_string(i) + "/";
        pub_.send("topic/no/" + topic);
        pub_.send(topic + "x");
        ASSERT_EQ(topic + "x", sub_.recv());
    }
}

TEST_P(xpub_xsub_test, subscriptions_beyond_the_mark_are_kept_in_zlink)
{
    sub_.set(ZMQ_SNDHWM, 10);
    constexpr int count = 3000;
    for (int i = 0; i < count; ++i) sub_.send(subscription(std::to_string(i)));
    join();
    for (int i = 0; i < count; ++i) sub_.send(subscription(std::to_string(count + i)));
    std::set<std::string> told;
    for (int i = 0; i < 2 * count; ++i) told.insert(pub_.recv());
    for (int i = 0; i < 2 * count; ++i) ASSERT_TRUE(told.contains(subscription(std::to_string(i)))) << i;
}

TEST_P(xpub_xsub_test, repeated_subscriptions_are_told_once)
{
    join();
    sub_.send(subscription("a"));
    sub_.send(subscription("a"));
    sub_.send(cancellation("a"));
    sub_.send(subscription("end"));
    EXPECT_EQ(subscription("a"), pub_.recv());
    EXPECT_EQ(subscription("end"), pub_.recv());
    sub_.send(cancellation("a"));
    EXPECT_EQ(cancellation("a"), pub_.recv());
    sub_.send(cancellation("a"));  // no longer subscribed
    sub_.send(subscription("end2"));
    EXPECT_EQ(subscription("end2"), pub_.recv());
}

TEST_P(xpub_xsub_test, subscriptions_of_several_peers_are_told_as_one)
{
    socket other = ctx_.open(ZMQ_XSUB);
    const std::string endpoint = bind(pub_);
    sub_.connect(endpoint);
    other.connect(endpoint);
    sub_.send(subscription("a"));
    EXPECT_EQ(subscription("a"), pub_.recv());
    other.send(subscription("a"));
    other.send(subscription("other"));
    EXPECT_EQ(subscription("other"), pub_.recv());
    sub_.send(cancellation("a"));
    sub_.send(subscription("sub"));
    EXPECT_EQ(subscription("sub"), pub_.recv());
    other.send(cancellation("a"));
    EXPECT_EQ(cancellation("a"), pub_.recv());
}

TEST_P(xpub_xsub_test, verbose_tells_every_subscription_but_only_the_last_cancellation)
{
    pub_.set(ZMQ_XPUB_VERBOSE, 1);
    socket other = ctx_.open(ZMQ_XSUB);
    const std::string endpoint = bind(pub_);
    sub_.connect(endpoint);
    other.connect(endpoint);
    sub_.send(subscription("a"));
    EXPECT_EQ(subscription("a"), pub_.recv());
    sub_.send(subscription("a"));
    EXPECT_EQ(subscription("a"), pub_.recv());
    other.send(subscription("a"));
    EXPECT_EQ(subscription("a"), pub_.recv());
    other.send(cancellation("a"));
    other.send(subscription("end"));
    EXPECT_EQ(subscription("end"), pub_.recv());
    sub_.send(cancellation("a"));
    sub_.send(cancellation("a"));
    EXPECT_EQ(cancellation("a"), pub_.recv());
    sub_.send(subscription("end2"));
    EXPECT_EQ(subscription("end2"), pub_.recv());
}

TEST_P(xpub_xsub_test, verboser_tells_every_subscription_and_cancellation)
{
    pub_.set(ZMQ_XPUB_VERBOSER, 1);
    socket other = ctx_.open(ZMQ_XSUB);
    const std::string endpoint = bind(pub_);
    sub_.connect(endpoint);
    other.connect(endpoint);
    sub_.send(subscription("a"));
    EXPECT_EQ(subscription("a"), pub_.recv());
    other.send(subscription("a"));
    EXPECT_EQ(subscription("a"), pub_.recv());
    other.send(cancellation("a"));
    EXPECT_EQ(cancellation("a"), pub_.recv());
    sub_.send(cancellation("a"));
    EXPECT_EQ(cancellation("a"), pub_.recv());
}

TEST_P(xpub_xsub_test, a_peer_that_leaves_cancels_its_subscriptions)
{
    socket other = ctx_.open(ZMQ_XSUB);
    const std::string endpoint = bind(pub_);
    sub_.connect(endpoint);
    other.connect(endpoint);
    sub_.send(subscription("shared"));
    EXPECT_EQ(subscription("shared"), pub_.recv());
    other.send(subscription("shared"));
    other.send(subscription("own"));
    EXPECT_EQ(subscription("own"), pub_.recv());
    other.close();
    EXPECT_EQ(cancellation("own"), pub_.recv());
    sub_.send(subscription("end"));
    EXPECT_EQ(subscription("end"), pub_.recv());
}

TEST_P(xpub_xsub_test, other_messages_of_a_subscriber_pass_upstream)
{
    join();
    sub_.send("hello");
    EXPECT_EQ("hello", pub_.recv());
    sub_.send_parts({"several", "frames"});
    EXPECT_EQ((parts{"several", "frames"}), pub_.recv_parts());
    sub_.send("");
    EXPECT_EQ("", pub_.recv());
    sub_.send(subscription("a"));
    EXPECT_EQ(subscription("a"), pub_.recv());
}

TEST_P(xpub_xsub_test, subscriptions_are_first_frames_alone_if_the_socket_says_so)
{
    sub_.set(ZMQ_ONLY_FIRST_SUBSCRIBE, 1);
    pub_.set(ZMQ_ONLY_FIRST_SUBSCRIBE, 1);
    join();
    sub_.send_parts({"first", subscription("a")});
    EXPECT_EQ((parts{"first", subscription("a")}), pub_.recv_parts());
    sub_.send(subscription("b"));
    EXPECT_EQ(subscription("b"), pub_.recv());
    pub_.send("a: nobody has subscribed");
    pub_.send("b: one has");
    EXPECT_EQ("b: one has", sub_.recv());
}

TEST_P(xpub_xsub_test, a_publisher_greets_with_its_welcome_message)
{
    pub_.set(ZMQ_XPUB_WELCOME_MSG, "W");
    socket welcomed = ctx_.open(ZMQ_SUB);
    welcomed.subscribe("W");
    const std::string endpoint = bind(pub_);
    welcomed.connect(endpoint);
    EXPECT_EQ(subscription("W"), pub_.recv());
    EXPECT_EQ("W", welcomed.recv());
    pub_.send("World");
    EXPECT_EQ("World", welcomed.recv());
    pub_.set(ZMQ_XPUB_WELCOME_MSG, "");
    sub_.connect(endpoint);
    sub_.send(subscription(""));
    EXPECT_EQ(subscription(""), pub_.recv());
    expect_only(pub_, sub_, {"no welcome any more"});
}

TEST_P(xpub_xsub_test, manual_mode_leaves_the_decision_to_the_application)
{
    pub_.set(ZMQ_XPUB_MANUAL, 1);
    join();
    sub_.send(subscription("asked"));
    EXPECT_EQ(subscription("asked"), pub_.recv());
    pub_.set(ZMQ_SUBSCRIBE, "granted");
    pub_.send("asked");
    pub_.send("granted");
    EXPECT_EQ("granted", sub_.recv());
    sub_.send(cancellation("asked"));
    EXPECT_EQ(cancellation("asked"), pub_.recv());
    pub_.send("granted");
    EXPECT_EQ("granted", sub_.recv());
    pub_.set(ZMQ_UNSUBSCRIBE, "granted");
    pub_.set(ZMQ_SUBSCRIBE, "marker");
    pub_.send("granted");
    expect_only(pub_, sub_, {"marker"});
}

TEST_P(xpub_xsub_test, manual_decisions_concern_the_peer_heard_last)
{
    pub_.set(ZMQ_XPUB_MANUAL, 1);
    socket other = ctx_.open(ZMQ_XSUB);
    const std::string endpoint = bind(pub_);
    sub_.connect(endpoint);
    other.connect(endpoint);
    sub_.send(subscription("A"));
    EXPECT_EQ(subscription("A"), pub_.recv());
    pub_.set(ZMQ_SUBSCRIBE, "XA");
    other.send(subscription("B"));
    EXPECT_EQ(subscription("B"), pub_.recv());
    pub_.set(ZMQ_SUBSCRIBE, "XB");
    pub_.send("XA");
    pub_.send("XB");
    EXPECT_EQ("XA", sub_.recv());
    EXPECT_EQ("XB", other.recv());
    other.send(cancellation("B"));
    EXPECT_EQ(cancellation("B"), pub_.recv());
    pub_.set(ZMQ_UNSUBSCRIBE, "XB");
    pub_.set(ZMQ_SUBSCRIBE, "end");
    pub_.send("XB");
    expect_only(pub_, other, {"end"});
    expect_only(pub_, sub_, {"XA again"});
}

TEST_P(xpub_xsub_test, a_sub_socket_filters_what_a_publisher_sends_unasked)
{
    pub_.set(ZMQ_XPUB_MANUAL, 1);
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("A");
    sub.connect(bind(pub_));
    EXPECT_EQ(subscription("A"), pub_.recv());
    pub_.set(ZMQ_SUBSCRIBE, "");
    pub_.send("B");
    pub_.send_parts({"Bx", "A"});
    expect_only(pub_, sub, {"A", "B"});
}

TEST_P(xpub_xsub_test, nodrop_reports_a_full_subscriber)
{
    pub_.set(ZMQ_XPUB_NODROP, 1);
    pub_.set(ZMQ_SNDHWM, 10);
    pub_.set(ZMQ_SNDBUF, 65536);  // less than a segment, and TCP stalls for as long as its timers take
    sub_.set(ZMQ_RCVHWM, 10);
    sub_.set(ZMQ_RCVBUF, 65536);
    join();
    sub_.send(subscription(""));
    EXPECT_EQ(subscription(""), pub_.recv());
    const std::string padding(20000, 'x');
    pub_.set(ZMQ_SNDTIMEO, 200);
    int sent = 0;
    while (sent < 10000 && zmq_send(pub_, (std::to_string(sent) + padding).data(), padding.size(), 0) != -1) {
        ++sent;
    }
    ASSERT_LT(sent, 10000);
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_GE(sent, 20);
    for (int i = 0; i < sent; ++i) {
        ASSERT_TRUE(sub_.recv().starts_with(std::to_string(i) + "x")) << i;
    }
    pub_.set(ZMQ_SNDTIMEO, patience_ms);
    expect_only(pub_, sub_, {"flows again"});
}

TEST_P(xpub_xsub_test, inverted_matching_delivers_what_was_not_subscribed)
{
    pub_.set(ZMQ_INVERT_MATCHING, 1);
    sub_.set(ZMQ_INVERT_MATCHING, 1);
    join();
    sub_.send(subscription("no"));
    EXPECT_EQ(subscription("no"), pub_.recv());
    pub_.send("no thanks");
    expect_only(pub_, sub_, {"yes please"});
}

TEST_P(xpub_xsub_test, a_forwarder_of_both_passes_all_on)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    socket &front = sub_, &back = pub_;
    front.connect(bind(pub));
    sub.connect(bind(back));
    sub.subscribe("topic");
    EXPECT_EQ(subscription("topic"), back.recv());
    front.send(subscription("topic"));
    front.send(subscription("sync"));
    sync_subscription(pub, front);
    pub.send_parts({"topic", "body"});
    const parts message = front.recv_parts();
    back.send_parts(message);
    EXPECT_EQ((parts{"topic", "body"}), sub.recv_parts());
}

#ifdef ZMQ_XPUB_MANUAL_LAST_VALUE
TEST_P(xpub_xsub_test, last_value_mode_sends_to_the_peer_heard_last_alone)
{
    pub_.set(ZMQ_XPUB_MANUAL_LAST_VALUE, 1);
    socket other = ctx_.open(ZMQ_XSUB);
    const std::string endpoint = bind(pub_);
    sub_.connect(endpoint);
    other.connect(endpoint);
    sub_.send(subscription("A"));
    EXPECT_EQ(subscription("A"), pub_.recv());
    pub_.set(ZMQ_SUBSCRIBE, "A");
    pub_.send("A1");
    EXPECT_EQ("A1", sub_.recv());
    other.send(subscription("A"));
    EXPECT_EQ(subscription("A"), pub_.recv());
    pub_.set(ZMQ_SUBSCRIBE, "A");
    pub_.send("A2");  // the value that the newcomer missed
    EXPECT_EQ("A2", other.recv());
    pub_.send("A3");  // from then on all get all
    EXPECT_EQ("A3", other.recv());
    EXPECT_EQ("A3", sub_.recv());
}
#endif

INSTANTIATE_TEST_SUITE_P(all, xpub_xsub_test, ::testing::Values("inproc", "tcp"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace zlink::test
