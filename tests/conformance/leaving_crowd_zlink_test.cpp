// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Thousands of inproc peers leave at once. A call takes in some of them, and nothing that it does or answers depends on
// the others.
#include "monitor.hpp"
#include "support/zmq_fixture.hpp"

#include <poll.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

class leaving_crowd_test : public zmq_test {
protected:
    static constexpr int crowd = 2000;

    leaving_crowd_test() { EXPECT_EQ(0, zmq_ctx_set(ctx_, ZMQ_MAX_SOCKETS, 30'000)); }

    [[nodiscard]] socket join(int type, const std::string& name = {})
    {
        socket peer = ctx_.open(type);
        if (!name.empty()) peer.set(ZMQ_ROUTING_ID, name);
        peer.connect(name_);
        return peer;
    }
    [[nodiscard]] std::vector<socket> join_all(int type, int count = crowd)
    {
        std::vector<socket> peers;
        for (int i = 0; i < count; ++i) peers.push_back(join(type, "peer " + std::to_string(i)));
        return peers;
    }
    // Without a message, which would be taken in first.
    static void take_in(socket& own) { EXPECT_EQ(0, own.get_int(ZMQ_EVENTS) & ZMQ_POLLIN); }

    // Each pipe of the socket is an event.
    [[nodiscard]] socket count_pipes_of(socket& own)
    {
        const std::string where = unique_inproc();
        EXPECT_EQ(0, zmq_socket_monitor_versioned(own, where.c_str(), ZMQ_EVENT_PIPES_STATS, 2, ZMQ_PAIR));
        socket events = ctx_.open(ZMQ_PAIR);
        events.set(ZMQ_RCVHWM, 0);
        events.connect(where);
        return events;
    }
    [[nodiscard]] static int pipes_of(socket& own, socket& events)
    {
        if (zmq_socket_monitor_pipes_stats(own) != 0) return 0;
        int count = 0;
        while (events.readable(0)) count += !events.recv_parts().empty();
        return count;
    }

    const std::string name_ = unique_inproc();
};

TEST_F(leaving_crowd_test, a_call_takes_in_some_and_further_calls_the_others)
{
    for (const int type : {ZMQ_PULL, ZMQ_ROUTER, ZMQ_DEALER}) {
        socket own = ctx_.open(type);
        own.bind(name_);
        std::vector<socket> peers = join_all(type == ZMQ_PULL ? ZMQ_PUSH : ZMQ_DEALER);
        take_in(own);
        socket events = count_pipes_of(own);
        const auto pipes = [&] { return pipes_of(own, events); };
        EXPECT_EQ(crowd, pipes());
        socket stays = join(type == ZMQ_PULL ? ZMQ_PUSH : ZMQ_DEALER);
        peers.clear();
        take_in(own);
        const int after_one_call = pipes();
        EXPECT_LT(crowd / 2, after_one_call);
        EXPECT_GT(crowd, after_one_call);
        EXPECT_TRUE(eventually([&] {
            for (int i = 0; i < crowd; ++i) take_in(own);
            return pipes() == 1;
        }));
        ASSERT_EQ(0, zmq_socket_monitor_versioned(own, nullptr, 0, 2, ZMQ_PAIR));
        own.close();
    }
}

// They leave before the publisher has taken in what they subscribed to.
TEST_F(leaving_crowd_test, a_publisher_takes_in_some_a_call_and_sends_to_those_who_stay)
{
    socket xpub = ctx_.open(ZMQ_XPUB);
    xpub.bind(name_);
    socket events = count_pipes_of(xpub);
    const auto pipes = [&] { return pipes_of(xpub, events); };
    std::vector<socket> peers;
    for (int i = 0; i < crowd; ++i) {
        peers.push_back(ctx_.open(ZMQ_SUB));
        peers.back().set(ZMQ_SUBSCRIBE, "topic");
        peers.back().connect(name_);
    }
    EXPECT_EQ(crowd, pipes());
    peers.clear();
    (void)xpub.get_int(ZMQ_EVENTS);
    EXPECT_LT(crowd / 2, pipes());
    socket stays = ctx_.open(ZMQ_SUB);
    stays.set(ZMQ_SUBSCRIBE, "topic");
    stays.connect(name_);
    EXPECT_TRUE(eventually([&] {
        xpub.send("topic");
        return pipes() == 1;
    }));
    xpub.send("topic, the last");
    std::string last;
    while (last != "topic, the last") last = stays.recv();
    std::vector<std::string> heard;
    while (xpub.get_int(ZMQ_EVENTS) & ZMQ_POLLIN) heard.push_back(xpub.recv());
    ASSERT_FALSE(heard.empty());
    EXPECT_EQ("\1topic", heard.front());
    EXPECT_EQ("\1topic", heard.back());  // if all had left before it came; the first one, else
    ASSERT_EQ(0, zmq_socket_monitor_versioned(xpub, nullptr, 0, 2, ZMQ_PAIR));
}

TEST_F(leaving_crowd_test, who_waits_waits_for_messages_and_hears_of_all_who_left)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_NOTIFY, ZMQ_NOTIFY_DISCONNECT);
    router.bind(name_);
    std::vector<socket> peers = join_all(ZMQ_DEALER);
    take_in(router);
    peers.clear();
    std::set<std::string> gone;
    for (int i = 0; i < crowd; ++i) {
        const parts told = router.recv_parts();
        ASSERT_EQ(2u, told.size());
        EXPECT_EQ("", told[1]);
        gone.insert(told[0]);
    }
    EXPECT_EQ(std::size_t{crowd}, gone.size());
}

TEST_F(leaving_crowd_test, an_event_loop_is_signalled_until_all_are_taken_in)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_NOTIFY, ZMQ_NOTIFY_DISCONNECT);
    router.bind(name_);
    std::vector<socket> peers = join_all(ZMQ_DEALER);
    pollfd loop{router.get_int(ZMQ_FD), POLLIN, 0};
    take_in(router);
    peers.clear();
    int told = 0;
    while (told < crowd) {
        ASSERT_EQ(1, ::poll(&loop, 1, patience_ms)) << told;
        while (router.get_int(ZMQ_EVENTS) & ZMQ_POLLIN) told += router.recv_parts().size() == 2;
    }
    EXPECT_EQ(crowd, told);
}

TEST_F(leaving_crowd_test, a_wait_for_a_message_ends_with_it)
{
    socket pull = ctx_.open(ZMQ_PULL);
    pull.bind(name_);
    for (const bool polls : {false, true}) {
        std::vector<socket> peers = join_all(ZMQ_PUSH);
        socket stays = join(ZMQ_PUSH);
        take_in(pull);
        peers.clear();
        std::thread late([&] { stays.send("late"); });
        if (polls) {
            EXPECT_TRUE(pull.wait(ZMQ_POLLIN));
        }
        EXPECT_EQ("late", pull.recv());
        late.join();
    }
}

// What they had sent before stays.
TEST_F(leaving_crowd_test, last_words_are_heard)
{
    socket pull = ctx_.open(ZMQ_PULL);
    pull.bind(name_);
    std::vector<socket> peers = join_all(ZMQ_PUSH);
    take_in(pull);
    for (socket& peer : peers) peer.send("bye");
    peers.clear();
    for (int i = 0; i < crowd; ++i) ASSERT_EQ("bye", pull.recv());
    take_in(pull);
}

TEST_F(leaving_crowd_test, nothing_is_sent_to_those_who_left)
{
    for (const int type : {ZMQ_PUSH, ZMQ_DEALER}) {
        socket own = ctx_.open(type);
        own.bind(name_);
        std::vector<socket> peers = join_all(type == ZMQ_PUSH ? ZMQ_PULL : ZMQ_DEALER, 3 * crowd);
        socket stays = join(type == ZMQ_PUSH ? ZMQ_PULL : ZMQ_DEALER);
        (void)own.get_int(ZMQ_EVENTS);
        peers.clear();
        for (int i = 0; i < 100; ++i) own.send(std::to_string(i));
        for (int i = 0; i < 100; ++i) ASSERT_EQ(std::to_string(i), stays.recv());
        own.close();
    }
}

TEST_F(leaving_crowd_test, a_router_does_not_reach_those_who_left)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    router.bind(name_);
    std::vector<socket> peers = join_all(ZMQ_DEALER);
    take_in(router);
    for (int i = 0; i < 100; ++i) {
        const std::string name = "peer " + std::to_string(i);
        EXPECT_EQ(int(name.size()), zmq_send(router, name.data(), name.size(), ZMQ_SNDMORE));
        EXPECT_TRUE(router.send("you are there"));
    }
    peers.clear();
    for (int i = 0; i < crowd; ++i) {
        const std::string name = "peer " + std::to_string(i);
        EXPECT_EQ(-1, zmq_send(router, name.data(), name.size(), ZMQ_SNDMORE)) << name;
        EXPECT_EQ(EHOSTUNREACH, zmq_errno());
    }
}

TEST_F(leaving_crowd_test, the_names_of_those_who_left_are_free)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    router.bind(name_);
    std::vector<socket> peers = join_all(ZMQ_DEALER);
    take_in(router);
    peers[0].send("a last word of the first of that name");
    EXPECT_EQ((parts{"peer 0", "a last word of the first of that name"}), router.recv_parts());
    peers[1].send("unread when the second of that name comes");
    peers.clear();
    for (const int i : {0, 1, 1000, crowd - 1}) {
        const std::string name = "peer " + std::to_string(i);
        socket again = join(ZMQ_DEALER, name);
        if (i == 1) {
            EXPECT_EQ((parts{name, "unread when the second of that name comes"}), router.recv_parts());
        }
        again.send("it is me");
        EXPECT_EQ((parts{name, "it is me"}), router.recv_parts());
        router.send_parts({name, "welcome"});
        EXPECT_EQ("welcome", again.recv());
    }
}

// All but one of them are refused. Peers that leave, and the news that inproc peers have of each other, are looked up
// and not looked for.
TEST_F(leaving_crowd_test, twenty_thousand_of_one_name_come_and_go)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    router.bind(name_);
    std::vector<socket> peers;
    for (int i = 0; i < 20'000; ++i) peers.push_back(join(ZMQ_DEALER, "the name"));
    take_in(router);
    peers.clear();
    socket last = join(ZMQ_DEALER, "the name");
    last.send("it is me");
    EXPECT_EQ((parts{"the name", "it is me"}), router.recv_parts());
}

// A socket that closes, or ends, in the middle of it.
TEST_F(leaving_crowd_test, a_socket_that_closes_takes_in_the_others)
{
    for (const int type : {ZMQ_PULL, ZMQ_XPUB}) {
        socket own = ctx_.open(type);
        own.bind(name_);
        std::vector<socket> peers = join_all(type == ZMQ_PULL ? ZMQ_PUSH : ZMQ_SUB);
        take_in(own);
        peers.clear();
        take_in(own);
        own.close();
    }
}

TEST_F(leaving_crowd_test, both_sides_leave_at_once)
{
    for (int round = 0; round < 5; ++round) {
        socket own = ctx_.open(ZMQ_ROUTER);
        own.bind(name_);
        std::vector<socket> peers = join_all(ZMQ_DEALER);
        take_in(own);
        std::thread other([&] { peers.clear(); });
        take_in(own);
        own.close();
        other.join();
    }
}

}  // namespace
}  // namespace zlink::test
