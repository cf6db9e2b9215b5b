// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Routing ids, probes, heartbeats, metadata and raw streams with libzmq as the peer.
#include "interop_fixture.hpp"

namespace zlink::test {
namespace {

class routing_interop_test : public interop_test, public ::testing::WithParamInterface<transport> {};

TEST_P(routing_interop_test, our_router_names_peers_by_their_own_id_or_by_one_it_makes)
{
    socket ours = ctx_.open(ZMQ_ROUTER);
    peer_process named("DEALER");
    named.text(ZMQ_ROUTING_ID, "name");
    peer_process nameless("DEALER");
    const std::string endpoint = join(ours, named, GetParam(), true);
    nameless.ask("connect " + endpoint);

    named.ask("post hello");
    EXPECT_EQ((parts{"name", "hello"}), ours.recv_parts());
    nameless.ask("post hello");
    const parts got = ours.recv_parts();
    ASSERT_EQ(2u, got.size());
    EXPECT_EQ(5u, got[0].size());
    EXPECT_EQ('\0', got[0][0]);

    ours.send_parts({"name", "for the named"});
    ours.send_parts({got[0], "for the other"});
    EXPECT_EQ("for\\x20the\\x20named", named.ask("take"));
    EXPECT_EQ("for\\x20the\\x20other", nameless.ask("take"));
}

TEST_P(routing_interop_test, their_router_knows_us_by_our_id)
{
    peer_process theirs("ROUTER");
    socket ours = ctx_.open(ZMQ_DEALER);
    ours.set(ZMQ_ROUTING_ID, "our-name");
    const std::string endpoint = join(ours, theirs, GetParam(), false);
    ours.send("hello");
    EXPECT_EQ("our-name hello", theirs.ask("take"));
    theirs.ask("post our-name back");
    EXPECT_EQ("back", ours.recv());

    socket longest = ctx_.open(ZMQ_REQ);
    longest.set(ZMQ_ROUTING_ID, std::string(255, 'x'));
    longest.connect(endpoint);
    longest.send("hello");
    EXPECT_EQ(std::string(100, 'x') + " - hello", theirs.ask("take"));
    theirs.ask("post " + std::string(255, 'x') + " - back");
    EXPECT_EQ("back", longest.recv());
}

TEST_P(routing_interop_test, probes_announce_a_peer)
{
    {
        socket ours = ctx_.open(ZMQ_ROUTER);
        peer_process theirs("DEALER");
        theirs.set(ZMQ_PROBE_ROUTER, 1);
        theirs.text(ZMQ_ROUTING_ID, "prober");
        join(ours, theirs, GetParam(), true);
        EXPECT_EQ((parts{"prober", ""}), ours.recv_parts());
    }
    peer_process theirs("ROUTER");
    socket ours = ctx_.open(ZMQ_ROUTER);
    ours.set(ZMQ_PROBE_ROUTER, 1);
    ours.set(ZMQ_ROUTING_ID, "zlink");
    join(ours, theirs, GetParam(), false);
    EXPECT_EQ("zlink -", theirs.ask("take"));
}

TEST_P(routing_interop_test, connect_routing_id_names_the_peer_before_it_speaks)
{
    peer_process theirs("ROUTER");
    theirs.text(ZMQ_ROUTING_ID, "libzmq");
    socket ours = ctx_.open(ZMQ_ROUTER);
    ours.set(ZMQ_ROUTING_ID, "zlink");
    ours.set(ZMQ_CONNECT_ROUTING_ID, "chosen");
    join(ours, theirs, GetParam(), false);
    ours.send_parts({"chosen", "hello"});
    EXPECT_EQ("zlink hello", theirs.ask("take"));
    theirs.ask("post zlink back");
    EXPECT_EQ((parts{"chosen", "back"}), ours.recv_parts());
}

TEST_P(routing_interop_test, handover_gives_an_id_to_the_newest_peer)
{
    socket ours = ctx_.open(ZMQ_ROUTER);
    ours.set(ZMQ_ROUTER_HANDOVER, 1);
    peer_process first("DEALER");
    peer_process second("DEALER");
    first.text(ZMQ_ROUTING_ID, "same");
    second.text(ZMQ_ROUTING_ID, "same");
    const std::string endpoint = join(ours, first, GetParam(), true);
    first.ask("post 1");
    EXPECT_EQ((parts{"same", "1"}), ours.recv_parts());
    second.ask("connect " + endpoint);
    second.ask("post 2");
    EXPECT_EQ((parts{"same", "2"}), ours.recv_parts());
    ours.send_parts({"same", "for the second"});
    EXPECT_EQ("for\\x20the\\x20second", second.ask("take"));
}

TEST_P(routing_interop_test, a_broker_of_ours_joins_clients_and_workers)
{
    socket clients = ctx_.open(ZMQ_ROUTER);
    socket workers = ctx_.open(ZMQ_DEALER);
    peer_process client("REQ");
    peer_process worker("REP");
    const std::string front = clients.bind(wildcard(transport::tcp));
    const std::string back = workers.bind(wildcard(GetParam()));
    client.ask("connect " + front);
    worker.ask("connect " + back);
    socket control = ctx_.open(ZMQ_PAIR);
    socket controlled = ctx_.open(ZMQ_PAIR);
    controlled.connect(control.bind(unique_inproc()));
    std::thread broker([&] { EXPECT_EQ(0, zmq_proxy_steerable(clients, workers, nullptr, controlled)); });
    for (std::uint64_t number = 0; number < 200 && !HasFailure(); ++number) {
        const std::string message = seeded_arguments(1, number, 1, {number, 1000, 0});
        worker.tell("echo 1");
        client.ask("send " + message);
        worker.reply();
        client.ask("recv " + message);
    }
    control.send("TERMINATE");
    broker.join();
}

TEST_P(routing_interop_test, metadata_tells_who_the_peer_is)
{
    peer_process theirs("DEALER");
    theirs.text(ZMQ_ROUTING_ID, "name");
    socket ours = ctx_.open(ZMQ_DEALER);
    join(ours, theirs, GetParam(), true);
    theirs.ask("post hello");
    zmq_msg_t msg;
    zmq_msg_init(&msg);
    ASSERT_EQ(5, zmq_msg_recv(&msg, ours, 0));
    EXPECT_STREQ("DEALER", zmq_msg_gets(&msg, "Socket-Type"));
    EXPECT_STREQ("name", zmq_msg_gets(&msg, "Identity"));
    zmq_msg_close(&msg);
}

TEST_P(routing_interop_test, heartbeats_of_both_ends_keep_an_idle_connection)
{
    for (const int who : {1, 2, 3}) {
        peer_process theirs("PAIR");
        socket ours = ctx_.open(ZMQ_PAIR);
        for (const auto& [option, value] : {std::pair(ZMQ_HEARTBEAT_IVL, 50), std::pair(ZMQ_HEARTBEAT_TIMEOUT, 2000),
                                            std::pair(ZMQ_HEARTBEAT_TTL, 2000)}) {
            if ((who & 1) != 0) {
                ours.set(option, value);
            }
            if ((who & 2) != 0) {
                theirs.set(option, value);
            }
        }
        monitor events(ctx_, ours);
        join(ours, theirs, GetParam(), who == 1);
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        EXPECT_FALSE(events.next(who == 3 ? 3000 : 500)) << "the connection must stay";
        // Heartbeats between the frames of traffic disturb nothing.
        theirs.tell("recv " + seeded_arguments(1, 0, 20, {100000, 0, 7}));
        for (std::uint64_t number = 0; number < 20; ++number) {
            ours.send_parts(seeded_message(1, number, {100000, 0, 7}));
            std::this_thread::sleep_for(std::chrono::milliseconds(5));  // so that heartbeats fall in between
        }
        theirs.reply();
    }
}

TEST_P(routing_interop_test, a_peer_that_hangs_is_given_up_and_met_again)
{
    peer_process theirs("PAIR");
    socket ours = ctx_.open(ZMQ_PAIR);
    ours.set(ZMQ_HEARTBEAT_IVL, 50);
    ours.set(ZMQ_HEARTBEAT_TIMEOUT, 200);
    monitor events(ctx_, ours);
    join(ours, theirs, GetParam(), false);
    ours.send("one");
    EXPECT_EQ("one", theirs.ask("take"));
    theirs.freeze();
    events.await(ZMQ_EVENT_DISCONNECTED);
    ours.send("two");
    theirs.wake();
    EXPECT_EQ("two", theirs.ask("take"));
}

class stream_interop_test : public interop_test, public ::testing::WithParamInterface<bool> {
protected:
    // The next bytes; notes the id of the peer.
    std::string receive(socket& ours)
    {
        const parts got = ours.recv_parts();
        if (got.size() != 2) {
            ADD_FAILURE() << "a STREAM message of " << got.size() << " frames";
            return {};
        }
        id_ = got[0];
        return got[1];
    }

    std::string id_;
};

TEST_P(stream_interop_test, carries_bytes_both_ways)
{
    constexpr std::size_t size = 3000000;
    peer_process theirs("STREAM");
    socket ours = ctx_.open(ZMQ_STREAM);
    join(ours, theirs, transport::tcp, GetParam());
    EXPECT_EQ("", receive(ours)) << "a connection is announced by an empty message";
    EXPECT_EQ(5u, id_.size());

    const std::string up = seeded_frame(size, 1, 0, 1);
    theirs.tell("raw_recv 1 " + std::to_string(size));
    for (std::size_t at = 0; at < size; at += 70000) {
        ASSERT_TRUE(ours.send_parts({id_, up.substr(at, 70000)}));
    }
    theirs.reply();

    theirs.tell("raw_send 2 " + std::to_string(size));
    std::string down;
    while (down.size() < size && !HasFailure()) {
        down += receive(ours);
    }
    EXPECT_TRUE(down == seeded_frame(size, 2, 0, 1));
    theirs.reply();

    theirs.kill();
    EXPECT_EQ("", receive(ours)) << "so is its end";
}

TEST_P(stream_interop_test, an_empty_message_ends_the_connection)
{
    peer_process theirs("STREAM");
    socket ours = ctx_.open(ZMQ_STREAM);
    join(ours, theirs, transport::tcp, GetParam());
    receive(ours);
    EXPECT_TRUE(theirs.ask("take").ends_with(" -")) << "the announcement";
    ours.send_parts({id_, "last-words"});
    EXPECT_TRUE(theirs.ask("take").ends_with(" last-words"));
    ours.send_parts({id_, ""});
    theirs.tell("take");
    EXPECT_TRUE(eventually([&] { return ours.readable(10) || theirs.answered(); }));
    EXPECT_TRUE(theirs.reply().ends_with(" -")) << "the end";
}

INSTANTIATE_TEST_SUITE_P(, routing_interop_test, ::testing::Values(transport::tcp, transport::ipc),
                         [](const ::testing::TestParamInfo<transport>& one) {
                             return one.param == transport::tcp ? "tcp" : "ipc";
                         });

INSTANTIATE_TEST_SUITE_P(, stream_interop_test, ::testing::Bool(), [](const ::testing::TestParamInfo<bool>& one) {
    return one.param ? "we_bind" : "we_connect";
});

}  // namespace
}  // namespace zlink::test
