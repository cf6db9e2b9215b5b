// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What inproc has of its own: those who connect before anybody has bound.

#include "support/zmq_fixture.hpp"

namespace zlink::test {
namespace {

using zlink::test::socket;

class inproc_test : public zmq_test {
protected:
    const std::string name_ = unique_inproc();
};

TEST_F(inproc_test, a_publisher_that_binds_last_loses_nothing)
{
    socket subscribers[3];
    for (socket& sub : subscribers) {
        sub = ctx_.open(ZMQ_SUB);
        sub.subscribe("a");
        sub.connect(name_);
    }
    socket pub = ctx_.open(ZMQ_PUB);
    pub.bind(name_);
    pub.send("a1");
    for (socket& sub : subscribers) EXPECT_EQ("a1", sub.recv());
}

// Nothing but zmq_bind is called on the socket that binds.
TEST_F(inproc_test, a_bind_takes_up_those_who_connected_before)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("");
    sub.connect(name_);
    socket dealer = ctx_.open(ZMQ_DEALER);
    const std::string other = unique_inproc();
    dealer.connect(other);

    socket xpub = ctx_.open(ZMQ_XPUB);
    xpub.set(ZMQ_XPUB_WELCOME_MSG, "welcome");
    xpub.bind(name_);
    EXPECT_EQ("welcome", sub.recv());

    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_PROBE_ROUTER, 1);
    router.bind(other);
    EXPECT_EQ("", dealer.recv());
}

TEST_F(inproc_test, messages_of_one_who_has_closed_reach_a_later_binder)
{
    for (const int linger : {-1, 0, 1000}) {
        const std::string name = unique_inproc();
        socket push = ctx_.open(ZMQ_PUSH);
        push.set(ZMQ_LINGER, linger);
        push.connect(name);
        push.send_parts({"one", "tail"});
        push.send("two");
        push.send("unfinished", ZMQ_SNDMORE);
        push.close();
        socket pull = ctx_.open(ZMQ_PULL);
        pull.bind(name);
        EXPECT_EQ((parts{"one", "tail"}), pull.recv_parts()) << linger;
        EXPECT_EQ("two", pull.recv()) << linger;
        expect_no_message_for(pull, 20);
    }
}

TEST_F(inproc_test, messages_of_one_who_has_disconnected_reach_a_later_binder)
{
    socket push = ctx_.open(ZMQ_PUSH), stranger = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(name_);
    stranger.connect(name_);
    push.send("one");
    push.disconnect(name_);
    stranger.send("two");
    pull.bind(name_);
    EXPECT_EQ("one", pull.recv());
    EXPECT_EQ("two", pull.recv());
    EXPECT_EQ(EAGAIN, push.try_send("three"));
    push.connect(name_);
    push.send("four");
    EXPECT_EQ("four", pull.recv());
}

TEST_F(inproc_test, a_later_binder_learns_who_sent_what)
{
    socket dealer = ctx_.open(ZMQ_DEALER), router = ctx_.open(ZMQ_ROUTER);
    dealer.set(ZMQ_ROUTING_ID, "me");
    dealer.connect(name_);
    dealer.send("hello");
    dealer.close();
    router.bind(name_);
    EXPECT_EQ((parts{"me", "hello"}), router.recv_parts());
}

TEST_F(inproc_test, a_subscriber_that_has_come_and_gone_is_told_to_a_later_publisher)
{
    socket sub = ctx_.open(ZMQ_SUB), xpub = ctx_.open(ZMQ_XPUB);
    sub.subscribe("a");
    sub.connect(name_);
    sub.close();
    xpub.bind(name_);
    EXPECT_EQ("\1a", xpub.recv());
    EXPECT_EQ(std::string("\0a", 2), xpub.recv());
}

TEST_F(inproc_test, messages_that_nobody_binds_for_keep_no_context)
{
    context other;
    socket push = other.open(ZMQ_PUSH);
    push.set(ZMQ_LINGER, -1);
    push.connect(name_);
    push.send("for nobody");
    push.close();
    other.terminate();
}

// A call looks at so many peers that have news, and at no more if it has found a message.
TEST_F(inproc_test, a_message_behind_those_of_hundreds_of_peers_is_there)
{
    for (const std::size_t count : {127u, 128u, 129u, 255u, 256u, 257u, 384u}) {
        socket pull = ctx_.open(ZMQ_PULL);
        const std::string name = unique_inproc();
        pull.bind(name);
        std::vector<socket> peers;
        while (peers.size() <= count) {
            peers.push_back(ctx_.open(ZMQ_PUSH));
            peers.back().connect(name);
        }
        expect_no_message(pull);
        for (std::size_t i = 0; i < count; ++i) peers[i].send("one");
        EXPECT_EQ("one", pull.recv());
        peers[count].send("last");
        bool found = false;
        for (std::size_t i = 0; i < count; ++i) {
            const auto message = pull.recv_frame(ZMQ_DONTWAIT);
            ASSERT_TRUE(message) << i << " of " << count;
            found |= *message == "last";
        }
        EXPECT_TRUE(found);
        expect_no_message(pull);
    }
}

TEST_F(inproc_test, subscriptions_of_hundreds_of_peers_count_before_the_next_message)
{
    constexpr std::size_t count = 300;
    socket pub = ctx_.open(ZMQ_PUB);
    pub.bind(name_);
    std::vector<socket> peers;
    for (std::size_t i = 0; i < count; ++i) {
        peers.push_back(ctx_.open(ZMQ_SUB));
        peers.back().connect(name_);
    }
    pub.send("nobody wants this");
    for (socket& peer : peers) peer.subscribe("");
    pub.send("for all");
    for (socket& peer : peers) EXPECT_EQ("for all", peer.recv());
}

}  // namespace
}  // namespace zlink::test
