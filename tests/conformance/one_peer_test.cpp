// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket with a single peer sends and receives by a shortcut once some messages have passed. Whatever happens to the
// socket then counts from the next message on.
#include "support/zmq_fixture.hpp"

#include <thread>

namespace zlink::test {
namespace {

// Well past the number of messages after which sockets take the shortcut.
constexpr int warm = 300;

class one_peer_test : public zmq_test {
protected:
    static void exchange(socket& from, socket& to)
    {
        for (int i = 0; i < warm; ++i) {
            from.send(std::to_string(i));
            ASSERT_EQ(std::to_string(i), to.recv());
            ASSERT_EQ(0, to.get_int(ZMQ_RCVMORE));
        }
    }
};

TEST_F(one_peer_test, a_second_peer_gets_its_share)
{
    socket push = ctx_.open(ZMQ_PUSH), one = ctx_.open(ZMQ_PULL), other = ctx_.open(ZMQ_PULL);
    push.connect(one.bind(unique_inproc()));
    exchange(push, one);
    push.connect(other.bind(unique_inproc()));
    for (int i = 0; i < 10; ++i) push.send("shared");
    EXPECT_EQ(5u, one.drain().size());
    EXPECT_EQ(5u, other.drain().size());
}

TEST_F(one_peer_test, messages_of_a_second_peer_are_received_in_turn)
{
    socket pull = ctx_.open(ZMQ_PULL), one = ctx_.open(ZMQ_PUSH), other = ctx_.open(ZMQ_PUSH);
    const std::string where = pull.bind(unique_inproc());
    one.connect(where);
    exchange(one, pull);
    other.connect(where);
    for (int i = 0; i < 4; ++i) one.send("one"), other.send("other");
    std::string before;
    for (int i = 0; i < 8; ++i) {
        const std::string got = pull.recv();
        EXPECT_NE(before, got);
        before = got;
    }
}

TEST_F(one_peer_test, messages_of_several_frames_come_between_single_ones)
{
    const std::pair<int, int> types[] = {{ZMQ_PAIR, ZMQ_PAIR}, {ZMQ_DEALER, ZMQ_DEALER}, {ZMQ_PUSH, ZMQ_PULL},
                                         {ZMQ_XPUB, ZMQ_SUB},  {ZMQ_PUB, ZMQ_XSUB},      {ZMQ_PUB, ZMQ_SUB}};
    for (const auto& [out, in] : types) {
        socket from = ctx_.open(out), to = ctx_.open(in);
        to.connect(from.bind(unique_inproc()));
        if (in == ZMQ_SUB) to.subscribe("");
        if (in == ZMQ_XSUB) to.send(std::string(1, '\1'));
        exchange(from, to);
        for (int i = 0; i < 2 * warm; ++i) {
            from.send("single");
            from.send_parts({"a", "", std::string(300, 'b'), std::string(100000, 'c')});
            EXPECT_EQ("single", to.recv());
            EXPECT_EQ((parts{"a", "", std::string(300, 'b'), std::string(100000, 'c')}), to.recv_parts());
        }
    }
}

TEST_F(one_peer_test, a_cancelled_subscription_to_everything_is_cancelled)
{
    socket pub = ctx_.open(ZMQ_XPUB), sub = ctx_.open(ZMQ_SUB);
    sub.connect(pub.bind(unique_inproc()));
    sub.subscribe("");
    sub.subscribe("wanted");
    EXPECT_EQ(std::string("\1", 1), pub.recv());
    EXPECT_EQ("\1wanted", pub.recv());
    exchange(pub, sub);
    sub.unsubscribe("");
    EXPECT_EQ(std::string("\0", 1), pub.recv());
    pub.send("unwanted");
    pub.send("wanted");
    EXPECT_EQ("wanted", sub.recv());
    expect_no_message(sub);
}

TEST_F(one_peer_test, a_subscriber_filters_again_after_its_cancellation)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    sub.connect(pub.bind(unique_inproc()));
    sub.subscribe("");
    exchange(pub, sub);
    pub.send("in the queue");
    pub.send("b, in the queue as well");
    sub.subscribe("b");
    sub.unsubscribe("");
    EXPECT_EQ("b, in the queue as well", sub.recv());
    expect_no_message(sub);
}

TEST_F(one_peer_test, a_high_water_mark_holds_to_the_message)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.set(ZMQ_SNDHWM, 40);
    pull.set(ZMQ_RCVHWM, 60);
    push.connect(pull.bind(unique_inproc()));
    exchange(push, pull);
    int sent = 0;
    while (push.try_send("x") == 0) ++sent;
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_LE(50, sent);  // credits come in steps of half the mark
    EXPECT_GE(100, sent);
    EXPECT_EQ(std::size_t(sent), pull.drain().size());
}

TEST_F(one_peer_test, inverted_matching_set_later_takes_effect)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    sub.connect(pub.bind(unique_inproc()));
    sub.subscribe("");
    exchange(pub, sub);
    pub.set(ZMQ_INVERT_MATCHING, 1);
    pub.send("matches, so it does not go out");
    expect_no_message(sub);
}

TEST_F(one_peer_test, after_a_disconnect_nothing_goes_to_the_peer)
{
    socket dealer = ctx_.open(ZMQ_DEALER), peer = ctx_.open(ZMQ_DEALER);
    const std::string where = peer.bind(unique_inproc());
    dealer.connect(where);
    exchange(dealer, peer);
    exchange(peer, dealer);
    dealer.disconnect(where);
    EXPECT_EQ(EAGAIN, dealer.try_send("nobody there"));
    EXPECT_FALSE(dealer.recv_frame(ZMQ_DONTWAIT));
    expect_no_message(peer);
}

TEST_F(one_peer_test, the_last_messages_of_a_peer_that_closes_are_received)
{
    for (const char* where : {"inproc://last", "tcp://127.0.0.1:*", "ipc://*"}) {
        socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
        push.set(ZMQ_LINGER, -1);
        push.connect(pull.bind(where));
        exchange(push, pull);
        for (int i = 0; i < warm; ++i) push.send(std::to_string(i));
        push.close();
        for (int i = 0; i < warm; ++i) EXPECT_EQ(std::to_string(i), pull.recv()) << where;
        expect_no_message(pull);
    }
}

TEST_F(one_peer_test, the_end_of_the_context_stops_both_ways)
{
    context ctx;
    socket one = ctx.open(ZMQ_PAIR), other = ctx.open(ZMQ_PAIR);
    other.connect(one.bind(unique_inproc()));
    exchange(one, other);
    one.send("unread");
    zmq_ctx_shutdown(ctx);
    EXPECT_EQ(ETERM, one.try_send("x"));
    EXPECT_FALSE(other.recv_frame(ZMQ_DONTWAIT));
    EXPECT_EQ(ETERM, zmq_errno());
}

TEST_F(one_peer_test, frames_of_messages_and_of_buffers_mix)
{
    socket one = ctx_.open(ZMQ_PAIR), other = ctx_.open(ZMQ_PAIR);
    other.connect(one.bind(unique_inproc()));
    exchange(one, other);
    for (int i = 0; i < warm; ++i) {
        one.send(std::string(std::size_t(i), 'x'));
        char small[10];
        if (i % 2) {
            EXPECT_EQ(i, zmq_recv(other, small, sizeof small, 0));  // cut, with its whole size told
        } else {
            EXPECT_EQ(std::string(std::size_t(i), 'x'), other.recv());
        }
    }
}

}  // namespace
}  // namespace zlink::test
