// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The contract of PAIR: one peer at a time, messages both ways, nothing dropped (RFC 31).
#include "support/zmq_fixture.hpp"

namespace zlink::test {
namespace {

class pair_test : public zmq_test {
protected:
    /// Binds `a` and makes `b` its peer, of which `events` has told.
    static std::string join(socket& a, socket& b, monitor& events, const char* transport)
    {
        std::string endpoint = a.bind(transport);
        b.connect(endpoint);
        b.send("first");
        EXPECT_EQ("first", a.recv());
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        return endpoint;
    }

    socket a_ = ctx_.open(ZMQ_PAIR);
    socket b_ = ctx_.open(ZMQ_PAIR);
};

TEST_F(pair_test, both_sides_talk_at_will)
{
    b_.connect(a_.bind(unique_inproc()));
    a_.send("1");
    a_.send("2");
    b_.send("3");
    EXPECT_EQ("1", b_.recv());
    EXPECT_EQ("3", a_.recv());
    b_.send_parts({"4", "", "5"});
    EXPECT_EQ("2", b_.recv());
    EXPECT_EQ((parts{"4", "", "5"}), a_.recv_parts());
}

TEST_F(pair_test, waits_for_a_peer)
{
    EXPECT_EQ(EAGAIN, a_.try_send("to no one"));
    EXPECT_FALSE(a_.writable());
    expect_no_message(a_);
    a_.set(ZMQ_SNDTIMEO, 20);
    EXPECT_EQ(-1, zmq_send(a_, "x", 1, 0));
    EXPECT_EQ(EAGAIN, zmq_errno());
    b_.connect(a_.bind("tcp://127.0.0.1:*"));
    EXPECT_TRUE(a_.wait(ZMQ_POLLOUT));
    a_.send("now");
    EXPECT_EQ("now", b_.recv());
}

TEST_F(pair_test, a_connecting_socket_queues_before_the_peer_is_there)
{
    const std::string endpoint = unique_inproc();
    a_.connect(endpoint);
    EXPECT_EQ(0, a_.try_send("early"));
    b_.bind(endpoint);
    EXPECT_EQ("early", b_.recv());
}

TEST_F(pair_test, turns_a_second_peer_away_over_inproc)
{
    const std::string endpoint = a_.bind(unique_inproc());
    b_.connect(endpoint);
    socket intruder = ctx_.open(ZMQ_PAIR);
    intruder.connect(endpoint);
    intruder.try_send("intruder");
    expect_only(b_, a_, {"from the first peer"});
    a_.send("to the first peer");
    EXPECT_EQ("to the first peer", b_.recv());
    expect_no_message(intruder);
}

TEST_F(pair_test, turns_a_second_peer_away_over_tcp)
{
    const std::string endpoint = a_.bind("tcp://127.0.0.1:*");
    b_.connect(endpoint);
    b_.send("first");
    EXPECT_EQ("first", a_.recv());
    monitor events(ctx_, a_, ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    socket intruder = ctx_.open(ZMQ_PAIR);
    intruder.connect(endpoint);
    intruder.try_send("intruder");
    events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    expect_only(b_, a_, {"still there"});
    a_.send("still here");
    EXPECT_EQ("still here", b_.recv());
    expect_no_message(intruder);
}

TEST_F(pair_test, a_second_peer_stays_connected_and_unread_until_it_leaves)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*"}) {
        socket a = ctx_.open(ZMQ_PAIR), b = ctx_.open(ZMQ_PAIR), intruder = ctx_.open(ZMQ_PAIR);
        intruder.set(ZMQ_RECONNECT_IVL, 1);
        monitor events(ctx_, a, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
        const std::string endpoint = join(a, b, events, transport);
        intruder.connect(endpoint);
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        intruder.send("unread");
        expect_only(b, a, {"still there"});
        a.send("still here");
        EXPECT_EQ("still here", b.recv());
        EXPECT_FALSE(events.next(50)) << transport;
        b.close();
        events.await(ZMQ_EVENT_DISCONNECTED);
        expect_no_message_for(a, 50);  // the place is free, and not for a peer that was turned away
        EXPECT_FALSE(events.next(0)) << transport;
        intruder.close();
        b = ctx_.open(ZMQ_PAIR);
        b.connect(endpoint);
        b.send("new");
        EXPECT_EQ("new", a.recv());
    }
}

// Whatever the socket's thread did meanwhile: the order in which the peers came and left is what counts.
TEST_F(pair_test, a_second_peer_that_came_before_the_first_left_is_unread_though_nobody_looked)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*"}) {
        socket a = ctx_.open(ZMQ_PAIR), b = ctx_.open(ZMQ_PAIR), intruder = ctx_.open(ZMQ_PAIR);
        monitor events(ctx_, a, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
        const std::string endpoint = join(a, b, events, transport);
        intruder.connect(endpoint);
        intruder.send("unread");
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        b.close();
        events.await(ZMQ_EVENT_DISCONNECTED);
        expect_no_message_for(a, 50);
        EXPECT_FALSE(events.next(0)) << transport;
    }
}

TEST_F(pair_test, a_second_peer_of_ones_own_stays_connected_and_unread)
{
    socket c = ctx_.open(ZMQ_PAIR);
    monitor events(ctx_, c, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
    const std::string second = c.bind("tcp://127.0.0.1:*");
    a_.connect(b_.bind("tcp://127.0.0.1:*"));
    a_.connect(second);
    events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    c.send("unread");
    b_.send("heard");
    EXPECT_EQ("heard", a_.recv());
    expect_no_message_for(a_, 20);
    EXPECT_FALSE(events.next(0));
    a_.disconnect(second);
    events.await(ZMQ_EVENT_DISCONNECTED);
}

TEST_F(pair_test, a_second_peer_can_send_so_much_and_no_more)
{
    a_.set(ZMQ_RCVHWM, 0);
    const std::string endpoint = a_.bind("tcp://127.0.0.1:*");
    b_.connect(endpoint);
    b_.send("first");
    EXPECT_EQ("first", a_.recv());
    monitor events(ctx_, a_, ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    socket intruder = ctx_.open(ZMQ_PAIR);
    intruder.set(ZMQ_SNDHWM, 10);
    intruder.set(ZMQ_SNDBUF, 64 * 1024);
    intruder.connect(endpoint);
    events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    expect_no_message_for(a_, 20);
    const std::string body(10000, 'x');
    int sent = 0;
    while (sent < 20000 && intruder.wait(ZMQ_POLLOUT, 300)) {
        intruder.send(body);
        ++sent;
    }
    EXPECT_GT(20000, sent);
    expect_only(b_, a_, {"still there"});
}

// With libzmq the newcomer is turned away for good.
TEST_F(pair_test, a_peer_that_comes_while_the_last_words_of_another_are_read_waits_for_them_in_zlink)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "inproc"}) {
        socket a = ctx_.open(ZMQ_PAIR), b = ctx_.open(ZMQ_PAIR), c = ctx_.open(ZMQ_PAIR);
        const bool inproc = std::string_view(transport) == "inproc";
        const std::string endpoint = a.bind(inproc ? unique_inproc() : transport);
        b.set(ZMQ_LINGER, patience_ms);
        b.connect(endpoint);
        b.send_parts({"last", "words"});
        EXPECT_TRUE(a.wait(ZMQ_POLLIN));
        b.close();
        EXPECT_TRUE(eventually([&] { return !a.wait(ZMQ_POLLOUT, 0); }));
        c.connect(endpoint);
        EXPECT_TRUE(a.wait(ZMQ_POLLOUT));
        a.send("welcome");
        EXPECT_EQ("welcome", c.recv());
        c.send("hello");
        EXPECT_EQ((parts{"last", "words"}), a.recv_parts());
        EXPECT_EQ("hello", a.recv());
        a.send("again");
        EXPECT_EQ("again", c.recv());
    }
}

TEST_F(pair_test, takes_a_new_peer_after_the_first_has_gone)
{
    const std::string endpoint = a_.bind("tcp://127.0.0.1:*");
    for (int i = 0; i < 3; ++i) {
        const std::string name = "peer " + std::to_string(i);
        EXPECT_TRUE(eventually([&] {  // a newcomer that is too early is turned away for good
            b_ = ctx_.open(ZMQ_PAIR);
            b_.connect(endpoint);
            b_.send(name);
            return a_.readable(100);
        }));
        EXPECT_EQ(name, a_.recv());
        a_.send(name);
        EXPECT_EQ(name, b_.recv());
    }
}

TEST_F(pair_test, holds_both_high_water_marks_over_inproc)
{
    a_.set(ZMQ_SNDHWM, 3);
    b_.set(ZMQ_RCVHWM, 4);
    b_.connect(a_.bind(unique_inproc()));
    for (int i = 0; i < 7; ++i) {
        EXPECT_EQ(0, a_.try_send(std::to_string(i))) << i;
    }
    EXPECT_EQ(EAGAIN, a_.try_send("too many"));
    EXPECT_EQ(0, b_.try_send("the other way is free"));
    for (int i = 0; i < 7; ++i) {
        EXPECT_EQ(std::to_string(i), b_.recv());
    }
    expect_no_message(b_);
}

TEST_F(pair_test, ping_pong_survives_thousands_of_turns)
{
    b_.connect(a_.bind("tcp://127.0.0.1:*"));
    for (int i = 0; i < 3000; ++i) {
        const std::string ball = std::to_string(i);
        a_.send(ball);
        ASSERT_EQ(ball, b_.recv());
        b_.send(ball);
        ASSERT_EQ(ball, a_.recv());
    }
}

}  // namespace
}  // namespace zlink::test
