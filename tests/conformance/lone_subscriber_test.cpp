// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Subscribers in a context that does not publish: the receiving thread reads their connection itself. Everything has to
// be as if it had not.
#include "support/zmq_fixture.hpp"

#include <thread>

namespace zlink::test {
namespace {

class lone_subscriber_test : public zmq_test, public testing::WithParamInterface<const char*> {
protected:
    void SetUp() override
    {
        pub_.set(ZMQ_XPUB_NODROP, 1);
        pub_.set(ZMQ_SNDTIMEO, patience_ms);
        sub_.set(ZMQ_RCVTIMEO, patience_ms);
        sub_.connect(pub_.bind(GetParam()));
        subscribe("a");
    }

    // The publisher knows of it when this returns.
    void subscribe(const std::string& topic)
    {
        sub_.subscribe(topic);
        EXPECT_EQ("\1" + topic, pub_.recv());
    }

    context other_;
    socket pub_ = other_.open(ZMQ_XPUB);
    socket sub_ = ctx_.open(ZMQ_SUB);
};

TEST_P(lone_subscriber_test, gets_all_it_asked_for_in_order_and_nothing_else)
{
    const std::string large(150'000, 'x');
    std::jthread publisher([&] {
        for (int i = 0; i < 2000; ++i) {
            pub_.send("b" + std::to_string(i));
            pub_.send_parts({"a" + std::to_string(i), i % 100 == 0 ? large : "body"});
        }
    });
    for (int i = 0; i < 2000; ++i) {
        ASSERT_EQ((parts{"a" + std::to_string(i), i % 100 == 0 ? large : "body"}), sub_.recv_parts());
    }
}

TEST_P(lone_subscriber_test, subscriptions_change_while_it_receives)
{
    for (int i = 0; i < 100; ++i) {
        pub_.send("b unwanted");
        subscribe("b");
        pub_.send("b wanted");
        EXPECT_EQ("b wanted", sub_.recv());
        sub_.unsubscribe("b");
        EXPECT_EQ(std::string("\0b", 2), pub_.recv());
    }
}

TEST_P(lone_subscriber_test, waits_no_longer_than_asked_for_what_does_not_come)
{
    sub_.set(ZMQ_RCVTIMEO, 30);
    pub_.send("b unwanted");
    char octet = 0;
    EXPECT_EQ(-1, zmq_recv(sub_, &octet, 1, 0));
    EXPECT_EQ(EAGAIN, zmq_errno());
    pub_.send("a");
    sub_.set(ZMQ_RCVTIMEO, patience_ms);
    EXPECT_EQ("a", sub_.recv());
}

TEST_P(lone_subscriber_test, goes_on_when_its_context_begins_to_publish)
{
    pub_.send("a first");
    EXPECT_EQ("a first", sub_.recv());
    socket forwarder = ctx_.open(ZMQ_XPUB), end = other_.open(ZMQ_SUB);
    forwarder.set(ZMQ_XPUB_NODROP, 1);
    forwarder.set(ZMQ_SNDTIMEO, patience_ms);
    end.set(ZMQ_RCVTIMEO, patience_ms);
    end.subscribe("a");
    end.connect(forwarder.bind(GetParam()));
    EXPECT_EQ("\1a", forwarder.recv());
    std::jthread publisher([&] {
        for (int i = 0; i < 1000; ++i) pub_.send("a" + std::to_string(i));
    });
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ("a" + std::to_string(i), sub_.recv());
        forwarder.send("a" + std::to_string(i));
    }
    for (int i = 0; i < 1000; ++i) ASSERT_EQ("a" + std::to_string(i), end.recv());
}

INSTANTIATE_TEST_SUITE_P(transports, lone_subscriber_test, testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
