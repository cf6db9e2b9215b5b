// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Subscriptions between zlink and libzmq. They take effect at the publisher, come and go under traffic, and reach XPUB
// as the application at the other end meant them.
#include "interop_fixture.hpp"

namespace zlink::test {
namespace {

class pub_sub_interop_test : public interop_test, public ::testing::WithParamInterface<transport> {
protected:
    // Asks the peer for `command` and publishes all topics until it has answered.
    static std::string publish_until_answered(socket& ours, peer_process& theirs, const std::string& command)
    {
        theirs.tell(command);
        for (int number = 0; !theirs.answered(); ++number) {
            for (const char* topic : {"always", "t1", "t2", "t3"}) {
                if (!ours.send(std::string(topic) + " " + std::to_string(number))) {
                    break;
                }
            }
        }
        return theirs.reply();
    }
};

TEST_P(pub_sub_interop_test, a_subscriber_adds_and_removes_subscriptions_under_traffic)
{
    for (const int type : {ZMQ_PUB, ZMQ_XPUB}) {
        peer_process theirs("SUB");
        socket ours = ctx_.open(type);
        join(ours, theirs, GetParam(), true);
        theirs.text(ZMQ_SUBSCRIBE, "always");
        publish_until_answered(ours, theirs, "until always t");
        for (int round = 0; round < 30 && !HasFailure(); ++round) {
            const std::string topic = "t" + std::to_string(round % 3 + 1);
            theirs.text(ZMQ_SUBSCRIBE, topic);
            publish_until_answered(ours, theirs, "until " + topic);
            theirs.text(ZMQ_UNSUBSCRIBE, topic);
            publish_until_answered(ours, theirs, "until always t");
        }
    }
}

TEST_P(pub_sub_interop_test, we_add_and_remove_subscriptions_under_traffic)
{
    for (const char* type : {"PUB", "XPUB"}) {
        peer_process theirs(type);
        socket ours = ctx_.open(ZMQ_SUB);
        join(ours, theirs, GetParam(), false);
        ours.subscribe("always");
        theirs.tell("publish always t1 t2 t3");
        for (int round = 0; round < 30 && !HasFailure(); ++round) {
            const std::string topic = "t" + std::to_string(round % 3 + 1);
            ours.subscribe(topic);
            int previous = -1;
            std::string got;
            while (!HasFailure() && !(got = ours.recv()).starts_with(topic)) {
                EXPECT_TRUE(got.starts_with("always")) << got;
                const int number = std::stoi(got.substr(got.find(' ')));
                EXPECT_GT(number, previous);
                previous = number;
            }
            ours.unsubscribe(topic);
            for (int i = 0; i < 20 && !HasFailure(); ++i) {
                EXPECT_TRUE((got = ours.recv()).starts_with("always")) << got;
            }
        }
        theirs.ask("library");  // ends the publishing; its answer is the one read here
        theirs.reply();
    }
}

TEST_P(pub_sub_interop_test, our_xpub_learns_of_each_subscription_once)
{
    peer_process theirs("SUB");
    theirs.text(ZMQ_SUBSCRIBE, "early");
    socket ours = ctx_.open(ZMQ_XPUB);
    join(ours, theirs, GetParam(), true);
    EXPECT_EQ("\1early", ours.recv());
    theirs.text(ZMQ_SUBSCRIBE, "a");
    theirs.text(ZMQ_SUBSCRIBE, "a");
    theirs.text(ZMQ_SUBSCRIBE, "b");
    EXPECT_EQ("\1a", ours.recv());
    EXPECT_EQ("\1b", ours.recv());
    theirs.text(ZMQ_UNSUBSCRIBE, "a");
    theirs.text(ZMQ_UNSUBSCRIBE, "b");
    EXPECT_EQ(std::string("\0b", 2), ours.recv());
    theirs.text(ZMQ_UNSUBSCRIBE, "a");
    EXPECT_EQ(std::string("\0a", 2), ours.recv());
    theirs.kill();
    EXPECT_EQ(std::string("\0early", 6), ours.recv());
}

TEST_P(pub_sub_interop_test, their_xpub_learns_of_each_of_our_subscriptions_once)
{
    peer_process theirs("XPUB");
    socket ours = ctx_.open(ZMQ_SUB);
    ours.subscribe("early");
    join(ours, theirs, GetParam(), false);
    EXPECT_EQ("\\x01early", theirs.ask("take"));
    ours.subscribe("a");
    ours.subscribe("a");
    ours.subscribe("b");
    EXPECT_EQ("\\x01a", theirs.ask("take"));
    EXPECT_EQ("\\x01b", theirs.ask("take"));
    ours.unsubscribe("a");
    ours.unsubscribe("b");
    EXPECT_EQ("\\x00b", theirs.ask("take"));
    ours.unsubscribe("a");
    EXPECT_EQ("\\x00a", theirs.ask("take"));
    ours.close();
    EXPECT_EQ("\\x00early", theirs.ask("take"));
}

TEST_P(pub_sub_interop_test, messages_of_xsub_that_are_no_subscriptions_pass_both_ways)
{
    {
        peer_process theirs("XSUB");
        socket ours = ctx_.open(ZMQ_XPUB);
        join(ours, theirs, GetParam(), true);
        theirs.ask("post upstream word");
        EXPECT_EQ((parts{"upstream", "word"}), ours.recv_parts());
    }
    peer_process theirs("XPUB");
    socket ours = ctx_.open(ZMQ_XSUB);
    join(ours, theirs, GetParam(), false);
    ours.send_parts({"upstream", "word"});
    EXPECT_EQ("upstream word", theirs.ask("take"));
}

TEST_P(pub_sub_interop_test, ten_thousand_subscriptions_each_get_their_message)
{
    constexpr int topics = 10000;
    peer_process theirs("XPUB");
    theirs.set(ZMQ_RCVHWM, 0);
    theirs.set(ZMQ_SNDHWM, 0);
    socket ours = ctx_.open(ZMQ_SUB);
    ours.set(ZMQ_RCVHWM, 0);
    join(ours, theirs, GetParam(), false);
    for (int i = 0; i < topics; ++i) {
        ours.subscribe("topic-" + std::to_string(i) + ".");
    }
    ours.subscribe("end");
    theirs.ask("until \\x01end");
    for (int i = 0; i < topics; i += 97) {
        theirs.ask("post topic-" + std::to_string(i) + ".");
    }
    theirs.ask("post end");
    for (int i = 0; i < topics && !HasFailure(); i += 97) {
        EXPECT_EQ("topic-" + std::to_string(i) + ".", ours.recv());
    }
    EXPECT_EQ("end", ours.recv());
}

INSTANTIATE_TEST_SUITE_P(, pub_sub_interop_test, ::testing::Values(transport::tcp, transport::ipc),
                         [](const ::testing::TestParamInfo<transport>& one) {
                             return one.param == transport::tcp ? "tcp" : "ipc";
                         });

}  // namespace
}  // namespace zlink::test
