// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers that crash and come back. libzmq is killed and started again, or our socket is closed and reopened. Then what
// the contract says happens to queued messages and subscriptions.
#include "interop_fixture.hpp"

#include <set>

namespace zlink::test {
namespace {

class restart_interop_test : public interop_test, public ::testing::WithParamInterface<transport> {
protected:
    // A peer bound where one was before.
    std::unique_ptr<peer_process> start_again(const std::string& type, const std::string& endpoint)
    {
        auto theirs = std::make_unique<peer_process>(type);
        secure(*theirs, true);
        theirs->ask("bind " + endpoint);
        return theirs;
    }

    void lose(monitor& events, peer_process& theirs)
    {
        theirs.kill();
        events.await(ZMQ_EVENT_DISCONNECTED);
    }

    // A socket of ours bound where one was before; its predecessor's listener closes on another thread.
    socket open_again(int type, const std::string& endpoint)
    {
        socket ours = ctx_.open(type);
        secure(ours, true);
        EXPECT_TRUE(eventually([&] { return zmq_bind(ours, endpoint.c_str()) == 0; })) << zmq_strerror(zmq_errno());
        return ours;
    }
};

TEST_P(restart_interop_test, messages_sent_while_the_peer_is_down_are_delivered_after)
{
    constexpr std::uint64_t count = 500;
    const frame_sizes sizes{16, 0, 9000};
    for (const auto& [type, foreign] : {std::pair(ZMQ_PUSH, "PULL"), std::pair(ZMQ_DEALER, "DEALER"),
                                        std::pair(ZMQ_PAIR, "PAIR"), std::pair(ZMQ_PUSH, "PULL")}) {
        SCOPED_TRACE(foreign);
        auto theirs = std::make_unique<peer_process>(foreign);
        socket ours = ctx_.open(type);
        monitor events(ctx_, ours);
        const std::string endpoint = join(ours, *theirs, GetParam(), false);
        theirs->tell("recv " + seeded_arguments(1, 0, 10, sizes));
        for (std::uint64_t number = 0; number < 10; ++number) {
            ours.send_parts(seeded_message(1, number, sizes));
        }
        theirs->reply();
        for (int round = 0; round < 3; ++round) {
            lose(events, *theirs);
            for (std::uint64_t number = 0; number < count; ++number) {
                ASSERT_TRUE(ours.send_parts(seeded_message(2, number, sizes), ZMQ_DONTWAIT)) << number;
            }
            theirs = start_again(foreign, endpoint);
            theirs->ask("recv " + seeded_arguments(2, 0, count, sizes));
        }
    }
}

TEST_P(restart_interop_test, a_crash_amid_traffic_leaves_whole_messages_in_order)
{
    const frame_sizes sizes{16, 3000, 0, 20000};
    auto theirs = std::make_unique<peer_process>("PULL");
    theirs->set(ZMQ_RCVHWM, 20);
    socket ours = ctx_.open(ZMQ_PUSH);
    ours.set(ZMQ_SNDHWM, 100);
    monitor events(ctx_, ours);
    const std::string endpoint = join(ours, *theirs, GetParam(), false);
    std::uint64_t number = 0;
    const auto fill = [&](int timeout_ms) {
        while (ours.wait(ZMQ_POLLOUT, timeout_ms)) {
            ASSERT_TRUE(ours.send_parts(seeded_message(3, number++, sizes), ZMQ_DONTWAIT));
        }
    };
    for (int round = 0; round < 4; ++round) {
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        fill(50);
        lose(events, *theirs);
        fill(0);  // without a connection, the queue stays full
        theirs = std::make_unique<peer_process>("PULL");
        secure(*theirs, true);
        theirs->set(ZMQ_RCVHWM, 20);
        theirs->ask("bind " + endpoint);
    }
    theirs->tell("run 3 " + std::to_string(number + 500) + " " + sizes_text(sizes));
    for (int i = 0; i <= 500; ++i) {
        ASSERT_TRUE(ours.send_parts(seeded_message(3, number++, sizes)));
    }
    std::istringstream answer(theirs->reply());
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    answer >> first >> count;
    EXPECT_EQ(number, first + count) << "none may be missing after the first that arrives";
    EXPECT_GE(count, 501u + 50u) << "what waited in our queue is not lost";
}

TEST_P(restart_interop_test, we_resend_the_subscriptions_in_force)
{
    for (const int type : {ZMQ_SUB, ZMQ_XSUB}) {
        auto theirs = std::make_unique<peer_process>("XPUB");
        socket ours = ctx_.open(type);
        monitor events(ctx_, ours);
        const auto change = [&](const char* action, const std::string& topic) {
            const bool add = *action == '+';
            if (type == ZMQ_SUB) {
                add ? ours.subscribe(topic) : ours.unsubscribe(topic);
            } else {
                ours.send((add ? std::string("\1") : std::string(1, '\0')) + topic);
            }
        };
        change("+", "a");
        change("+", "b");
        const std::string endpoint = join(ours, *theirs, GetParam(), false);
        EXPECT_EQ("\\x01a", theirs->ask("take"));
        EXPECT_EQ("\\x01b", theirs->ask("take"));
        lose(events, *theirs);
        change("-", "a");
        change("+", "c");
        theirs = start_again("XPUB", endpoint);
        // A reconnected SUB sends its subscriptions when its own thread gets to it.
        theirs->tell("take");
        EXPECT_TRUE(eventually([&] { return ours.readable(10) || theirs->answered(); }));
        // The new peer may hear of the changes in between as well; what counts is the outcome.
        std::string heard = theirs->reply();
        std::set<std::string> in_force;
        while (!HasFailure()) {
            if (heard.starts_with("\\x01")) {
                in_force.insert(heard.substr(4));
            } else {
                in_force.erase(heard.substr(4));
            }
            if (in_force == std::set<std::string>{"b", "c"}) {
                break;
            }
            heard = theirs->ask("take");
        }
        theirs->ask("post a");
        theirs->ask("post c");
        EXPECT_EQ("c", ours.recv());
    }
}

TEST_P(restart_interop_test, a_bound_subscriber_subscribes_at_each_publisher_that_comes)
{
    socket ours = ctx_.open(ZMQ_SUB);
    secure(ours, true);
    const std::string endpoint = ours.bind(wildcard(GetParam()));
    ours.subscribe("a");
    for (int round = 0; round < 3; ++round) {
        peer_process theirs("XPUB");
        secure(theirs, false);
        theirs.ask("connect " + endpoint);
        theirs.tell("take");
        EXPECT_TRUE(eventually([&] { return ours.readable(10) || theirs.answered(); }));
        EXPECT_EQ("\\x01a", theirs.reply());
        theirs.ask("post a" + std::to_string(round));
        EXPECT_EQ("a" + std::to_string(round), ours.recv());
        theirs.kill();
    }
}

TEST_P(restart_interop_test, a_bound_publisher_serves_each_subscriber_that_comes)
{
    socket ours = ctx_.open(ZMQ_XPUB);
    secure(ours, true);
    const std::string endpoint = ours.bind(wildcard(GetParam()));
    for (int round = 0; round < 3; ++round) {
        peer_process theirs("SUB");
        secure(theirs, false);
        theirs.text(ZMQ_SUBSCRIBE, "a");
        theirs.ask("connect " + endpoint);
        EXPECT_EQ("\1a", ours.recv());
        ours.send("b nobody wants this");
        ours.send("a");
        EXPECT_EQ("a", theirs.ask("take"));
        theirs.kill();
        EXPECT_EQ(std::string("\0a", 2), ours.recv());
    }
}

TEST_P(restart_interop_test, what_peers_send_while_we_are_down_arrives_after)
{
    constexpr std::uint64_t count = 500;
    const frame_sizes sizes{16, 0, 9000};
    for (const auto& [type, foreign] : {std::pair(ZMQ_PULL, "PUSH"), std::pair(ZMQ_DEALER, "DEALER")}) {
        SCOPED_TRACE(foreign);
        peer_process theirs(foreign);
        socket ours = ctx_.open(type);
        const std::string endpoint = join(ours, theirs, GetParam(), true);
        theirs.tell("send " + seeded_arguments(4, 0, 10, sizes));
        for (std::uint64_t number = 0; number < 10; ++number) {
            ASSERT_TRUE(recv_exactly(ours, seeded_message(4, number, sizes)));
        }
        theirs.reply();
        ours.close();
        ours = open_again(type, endpoint);
        // What goes while the connection breaks is lost, so the peer counts on only after it has met us again.
        ASSERT_TRUE(eventually([&] {
            theirs.ask("send " + seeded_arguments(5, 0, 1, sizes));
            return ours.readable(10);
        }));
        theirs.tell("send " + seeded_arguments(6, 0, count, sizes));
        const parts early = seeded_message(5, 0, sizes);
        parts got = ours.recv_parts();
        while (got == early) {
            got = ours.recv_parts();
        }
        ASSERT_EQ(seeded_message(6, 0, sizes), got);
        for (std::uint64_t number = 1; number < count; ++number) {
            ASSERT_TRUE(recv_exactly(ours, seeded_message(6, number, sizes))) << number;
        }
        theirs.reply();
    }
}

TEST_P(restart_interop_test, subscribers_resend_their_subscriptions_to_our_new_publisher)
{
    peer_process theirs("SUB");
    theirs.text(ZMQ_SUBSCRIBE, "a");
    theirs.text(ZMQ_SUBSCRIBE, "b");
    socket ours = ctx_.open(ZMQ_XPUB);
    const std::string endpoint = join(ours, theirs, GetParam(), true);
    EXPECT_EQ("\1a", ours.recv());
    EXPECT_EQ("\1b", ours.recv());
    ours.close();
    ours = open_again(ZMQ_XPUB, endpoint);
    theirs.tell("take");  // libzmq's SUB subscribes again from within a call of its own thread
    const parts got{ours.recv(), ours.recv()};
    EXPECT_EQ((parts{"\1a", "\1b"}), got);
    ours.send("b");
    EXPECT_EQ("b", theirs.reply());
}

TEST_P(restart_interop_test, a_relaxed_req_asks_again_when_the_server_died)
{
    auto theirs = std::make_unique<peer_process>("REP");
    socket ours = ctx_.open(ZMQ_REQ);
    ours.set(ZMQ_REQ_RELAXED, 1);
    ours.set(ZMQ_REQ_CORRELATE, 1);
    monitor events(ctx_, ours);
    const std::string endpoint = join(ours, *theirs, GetParam(), false);
    ours.send("question");
    EXPECT_EQ("question", theirs->ask("take"));
    lose(events, *theirs);
    ours.send("again");
    theirs = start_again("REP", endpoint);
    EXPECT_EQ("again", theirs->ask("take"));
    theirs->ask("post answer");
    EXPECT_EQ("answer", ours.recv());
}

TEST_P(restart_interop_test, with_immediate_nothing_is_queued_for_a_peer_that_is_down)
{
    auto theirs = std::make_unique<peer_process>("PULL");
    socket ours = ctx_.open(ZMQ_PUSH);
    ours.set(ZMQ_IMMEDIATE, 1);
    monitor events(ctx_, ours);
    const std::string endpoint = join(ours, *theirs, GetParam(), false);
    ours.send("one");
    EXPECT_EQ("one", theirs->ask("take"));
    lose(events, *theirs);
    EXPECT_TRUE(eventually([&] { return !ours.writable(); }));
    EXPECT_EQ(EAGAIN, ours.try_send("lost"));
    theirs = start_again("PULL", endpoint);
    ours.send("two");
    EXPECT_EQ("two", theirs->ask("take"));
}

INSTANTIATE_TEST_SUITE_P(, restart_interop_test, ::testing::Values(transport::tcp, transport::ipc),
                         [](const ::testing::TestParamInfo<transport>& one) {
                             return one.param == transport::tcp ? "tcp" : "ipc";
                         });

}  // namespace
}  // namespace zlink::test
