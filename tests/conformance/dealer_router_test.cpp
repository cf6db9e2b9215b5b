// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The contract of DEALER and ROUTER: turns on the one side, addressed peers on the other (RFC 28).
#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <ctime>

#include <algorithm>
#include <thread>

namespace zlink::test {
namespace {

class dealer_router_test : public zmq_test {
protected:
    // A DEALER of this routing id, connected to `endpoint`, whose arrival the router has seen.
    socket dealer(const std::string& routing_id, const std::string& endpoint)
    {
        return dealer_of(router_, routing_id, endpoint);
    }

    socket dealer_of(socket& router, const std::string& routing_id, const std::string& endpoint)
    {
        socket opened = ctx_.open(ZMQ_DEALER);
        opened.set(ZMQ_ROUTING_ID, routing_id);
        opened.connect(endpoint);
        opened.send("here I am");
        EXPECT_EQ((parts{routing_id, "here I am"}), router.recv_parts());
        return opened;
    }

    // Sends a message of one frame to a peer; 0 or the errno.
    int try_send_to(const std::string& peer, const std::string& body)
    {
        const int error = router_.try_send(peer, ZMQ_SNDMORE);
        return error != 0 ? error : router_.try_send(body);
    }

    // True once the router (in mandatory mode) has noticed that the peer left.
    bool forgets(const std::string& peer)
    {
        return eventually([&] { return try_send_to(peer, "are you there?") == EHOSTUNREACH; });
    }

    socket router_ = ctx_.open(ZMQ_ROUTER);
};

TEST_F(dealer_router_test, a_dealer_sends_to_its_peers_in_turn)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    std::vector<socket> peers;
    for (int i = 0; i < 3; ++i) {
        peers.push_back(ctx_.open(ZMQ_DEALER));
        dealer.connect(peers.back().bind(unique_inproc()));
    }
    for (int i = 0; i < 12; ++i) {
        dealer.send_parts({std::to_string(i), "second"});
    }
    for (int i = 0; i < 12; ++i) {
        EXPECT_EQ((parts{std::to_string(i), "second"}), peers[static_cast<std::size_t>(i % 3)].recv_parts());
    }
}

TEST_F(dealer_router_test, a_dealer_and_a_router_take_fairly_from_all_peers)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    for (socket* receiver : {&dealer, &router_}) {
        const std::string endpoint = receiver->bind(unique_inproc());
        std::vector<socket> peers;
        for (int peer = 0; peer < 3; ++peer) {
            peers.push_back(ctx_.open(ZMQ_DEALER));
            peers.back().connect(endpoint);
            for (int i = 0; i < 6; ++i) {
                peers.back().send_parts({std::to_string(peer), std::to_string(i)});
            }
        }
        for (int i = 0; i < 6; ++i) {
            std::string seen;
            for (int peer = 0; peer < 3; ++peer) {
                const parts frames = receiver->recv_parts();
                EXPECT_EQ(std::to_string(i), frames.back());
                seen += frames.at(frames.size() - 2);
            }
            std::sort(seen.begin(), seen.end());
            EXPECT_EQ("012", seen);
        }
    }
}

TEST_F(dealer_router_test, a_dealer_without_peers_waits)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    EXPECT_EQ(EAGAIN, dealer.try_send("x"));
    EXPECT_FALSE(dealer.writable());
}

TEST_F(dealer_router_test, a_router_names_the_sender_first)
{
    const std::string endpoint = router_.bind("tcp://127.0.0.1:*");
    socket one = dealer("one", endpoint), two = dealer("two", endpoint);
    one.send_parts({"", "a", "b"});
    EXPECT_EQ((parts{"one", "", "a", "b"}), router_.recv_parts());
    two.send("");
    EXPECT_EQ((parts{"two", ""}), router_.recv_parts());
    router_.send_parts({"two", "to two", ""});
    router_.send_parts({"one", "to one"});
    EXPECT_EQ("to one", one.recv());
    EXPECT_EQ((parts{"to two", ""}), two.recv_parts());
}

TEST_F(dealer_router_test, a_peer_without_routing_id_gets_one_of_five_bytes)
{
    const std::string endpoint = router_.bind(unique_inproc());
    socket one = ctx_.open(ZMQ_DEALER), two = ctx_.open(ZMQ_DEALER);
    one.connect(endpoint);
    two.connect(endpoint);
    one.send("1");
    const parts first = router_.recv_parts();
    two.send("2");
    const parts second = router_.recv_parts();
    ASSERT_EQ(2u, first.size());
    ASSERT_EQ(2u, second.size());
    EXPECT_EQ(5u, first[0].size());
    EXPECT_EQ('\0', first[0][0]);
    EXPECT_EQ(5u, second[0].size());
    EXPECT_NE(first[0], second[0]);
    router_.send_parts({second[0], "back to two"});
    EXPECT_EQ("back to two", two.recv());
    router_.send_parts({first[0], "back to one"});
    EXPECT_EQ("back to one", one.recv());
}

TEST_F(dealer_router_test, routing_ids_are_checked)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    const std::string long_id(256, 'x');
    EXPECT_EQ(-1, zmq_setsockopt(dealer, ZMQ_ROUTING_ID, "", 0));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(-1, zmq_setsockopt(dealer, ZMQ_ROUTING_ID, long_id.data(), long_id.size()));
    EXPECT_EQ(EINVAL, zmq_errno());
    dealer.set(ZMQ_ROUTING_ID, std::string_view(long_id).substr(1));
    EXPECT_EQ(255u, dealer.get_string(ZMQ_ROUTING_ID).size());
    dealer.connect(router_.bind("tcp://127.0.0.1:*"));
    dealer.send("x");
    EXPECT_EQ((parts{long_id.substr(1), "x"}), router_.recv_parts());
}

TEST_F(dealer_router_test, messages_to_unknown_peers_are_dropped_whole)
{
    const std::string endpoint = router_.bind(unique_inproc());
    socket peer = dealer("peer", endpoint);
    router_.send_parts({"unknown", "a", "b", "c"});
    router_.send_parts({"unknown"});
    router_.send_parts({"", "no name"});
    router_.send_parts({"peer"});  // a name alone sends nothing
    router_.send_parts({"peer", "marker"});
    EXPECT_EQ((parts{"marker"}), peer.recv_parts());
}

TEST_F(dealer_router_test, mandatory_reports_unknown_peers)
{
    router_.set(ZMQ_ROUTER_MANDATORY, 1);
    const std::string endpoint = router_.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(-1, zmq_send(router_, "unknown", 7, ZMQ_SNDMORE));
    EXPECT_EQ(EHOSTUNREACH, zmq_errno());
    socket peer = dealer("peer", endpoint);
    EXPECT_EQ(0, try_send_to("peer", "known"));
    EXPECT_EQ("known", peer.recv());
    peer.close();
    EXPECT_TRUE(forgets("peer"));
}

TEST_F(dealer_router_test, mandatory_reports_a_full_peer)
{
    router_.set(ZMQ_ROUTER_MANDATORY, 1);
    router_.set(ZMQ_SNDHWM, 2);
    socket peer = ctx_.open(ZMQ_DEALER);
    peer.set(ZMQ_ROUTING_ID, "peer");
    peer.set(ZMQ_RCVHWM, 3);
    peer.connect(router_.bind(unique_inproc()));
    peer.send("here");
    router_.recv_parts();
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(0, try_send_to("peer", std::to_string(i)));
    }
    EXPECT_EQ(EAGAIN, router_.try_send("peer", ZMQ_SNDMORE));
    router_.set(ZMQ_SNDTIMEO, 20);
    EXPECT_EQ(-1, zmq_send(router_, "peer", 4, ZMQ_SNDMORE));
    EXPECT_EQ(EAGAIN, zmq_errno());
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(std::to_string(i), peer.recv());
    }
    router_.set(ZMQ_SNDTIMEO, patience_ms);
    router_.send_parts({"peer", "again"});
    EXPECT_EQ("again", peer.recv());
}

TEST_F(dealer_router_test, a_blocked_mandatory_send_goes_on_when_the_peer_reads)
{
    router_.set(ZMQ_ROUTER_MANDATORY, 1);
    router_.set(ZMQ_SNDHWM, 2);
    socket peer = ctx_.open(ZMQ_DEALER);
    peer.set(ZMQ_ROUTING_ID, "peer");
    peer.set(ZMQ_RCVHWM, 2);
    peer.connect(router_.bind(unique_inproc()));
    peer.send("here");
    router_.recv_parts();
    constexpr int count = 200;
    std::thread sender([&] {
        for (int i = 0; i < count; ++i) {
            router_.send_parts({"peer", std::to_string(i)});
        }
    });
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(std::to_string(i), peer.recv());
    }
    sender.join();
}

TEST_F(dealer_router_test, without_mandatory_a_full_peer_loses_the_rest_and_others_do_not)
{
    router_.set(ZMQ_SNDHWM, 2);
    const std::string endpoint = router_.bind(unique_inproc());
    std::vector<socket> peers;
    for (const char* name : {"full", "free"}) {
        peers.push_back(ctx_.open(ZMQ_DEALER));
        peers.back().set(ZMQ_ROUTING_ID, name);
        peers.back().set(ZMQ_RCVHWM, 2);
        peers.back().connect(endpoint);
        peers.back().send("here");
        router_.recv_parts();
    }
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(0, try_send_to("full", std::to_string(i)));
    }
    EXPECT_EQ(0, try_send_to("free", "not disturbed"));
    EXPECT_EQ("not disturbed", peers[1].recv());
    const auto got = peers[0].drain();
    ASSERT_EQ(4u, got.size());
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(parts{std::to_string(i)}, got[static_cast<std::size_t>(i)]);
    }
}

TEST_F(dealer_router_test, a_second_peer_of_the_same_routing_id_is_ignored)
{
    const std::string endpoint = router_.bind(unique_inproc());
    socket first = dealer("same", endpoint), second = ctx_.open(ZMQ_DEALER);
    second.set(ZMQ_ROUTING_ID, "same");
    second.connect(endpoint);
    second.try_send("from the second");
    first.send("from the first");
    EXPECT_EQ((parts{"same", "from the first"}), router_.recv_parts());
    expect_no_message(router_);
    router_.send_parts({"same", "to the first"});
    EXPECT_EQ("to the first", first.recv());
    expect_no_message(second);
}

TEST_F(dealer_router_test, a_second_peer_of_the_same_routing_id_stays_connected_until_it_leaves)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*"}) {
        socket router = ctx_.open(ZMQ_ROUTER), second = ctx_.open(ZMQ_DEALER);
        second.set(ZMQ_ROUTING_ID, "same");
        second.set(ZMQ_RECONNECT_IVL, 1);
        monitor events(ctx_, router, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
        const std::string endpoint = router.bind(transport);
        socket first = dealer_of(router, "same", endpoint);
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        second.connect(endpoint);
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        second.send("from the second");
        expect_no_message_for(router, 50);
        EXPECT_FALSE(events.next(0)) << transport;
        router.send_parts({"same", "to the first"});
        EXPECT_EQ("to the first", first.recv());
        first.close();
        events.await(ZMQ_EVENT_DISCONNECTED);
        expect_no_message_for(router, 50);
        EXPECT_FALSE(events.next(0)) << transport;
        second.close();
        events.await(ZMQ_EVENT_DISCONNECTED);
        first = dealer_of(router, "same", endpoint);
    }
}

// Whatever the socket's thread did meanwhile: the order in which the peers came and left is what counts.
TEST_F(dealer_router_test, a_peer_that_came_before_its_namesake_left_is_unread_though_nobody_looked)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*"}) {
        socket router = ctx_.open(ZMQ_ROUTER), second = ctx_.open(ZMQ_DEALER);
        second.set(ZMQ_ROUTING_ID, "same");
        monitor events(ctx_, router, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
        const std::string endpoint = router.bind(transport);
        socket first = dealer_of(router, "same", endpoint);
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        second.connect(endpoint);
        second.send("unread");
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        first.close();
        events.await(ZMQ_EVENT_DISCONNECTED);
        expect_no_message_for(router, 50);
        EXPECT_FALSE(events.next(0)) << transport;
    }
}

// libzmq does not see it go while its messages fill the queue.
TEST_F(dealer_router_test, a_second_peer_of_the_same_routing_id_is_seen_to_leave_by_zlink)
{
    for (const int mark : {0, 10}) {
        socket router = ctx_.open(ZMQ_ROUTER), second = ctx_.open(ZMQ_DEALER);
        router.set(ZMQ_RCVHWM, mark);
        second.set(ZMQ_ROUTING_ID, "same");
        monitor events(ctx_, router, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
        const std::string endpoint = router.bind("tcp://127.0.0.1:*");
        socket first = dealer_of(router, "same", endpoint);
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        second.connect(endpoint);
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        expect_no_message_for(router, 20);
        // More than the queue holds, and far less than the kernel's window: a peer's end comes after its octets.
        for (int i = 0; i < 1000; ++i) second.send("unread");
        second.set(ZMQ_LINGER, patience_ms);
        second.close();
        events.await(ZMQ_EVENT_DISCONNECTED);
        router.send_parts({"same", "to the first"});
        EXPECT_EQ("to the first", first.recv());
    }
}

// The only peer left is one that is not heard: waiting for another takes no processor time.
TEST_F(dealer_router_test, a_router_waits_beside_a_connected_peer_whose_name_is_taken)
{
    socket namesake = ctx_.open(ZMQ_ROUTER);
    namesake.set(ZMQ_ROUTING_ID, "same");
    const std::string at = namesake.bind("tcp://127.0.0.1:*");
    const std::string endpoint = router_.bind("tcp://127.0.0.1:*");
    socket first = dealer("same", endpoint);
    first.send("first");
    EXPECT_EQ((parts{"same", "first"}), router_.recv_parts());
    monitor events(ctx_, router_, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
    router_.set(ZMQ_PROBE_ROUTER, 1);
    router_.connect(at);
    const parts probe = namesake.recv_parts();
    ASSERT_EQ(2u, probe.size());
    namesake.send_parts({probe[0], "unread"});
    expect_no_message_for(router_, 20);
    first.close();
    events.await(ZMQ_EVENT_DISCONNECTED);
    const std::clock_t before = std::clock();
    router_.set(ZMQ_RCVTIMEO, 300);
    EXPECT_FALSE(router_.recv_frame());
    EXPECT_GT(0.15, double(std::clock() - before) / CLOCKS_PER_SEC);
}

TEST_F(dealer_router_test, handover_gives_the_routing_id_to_the_newcomer)
{
    for (const char* where : {"inproc", "tcp"}) {
        socket router = ctx_.open(ZMQ_ROUTER), first = ctx_.open(ZMQ_DEALER), second = ctx_.open(ZMQ_DEALER);
        router.set(ZMQ_ROUTER_HANDOVER, 1);
        const std::string endpoint =
            router.bind(std::string_view(where) == "tcp" ? "tcp://127.0.0.1:*" : unique_inproc());
        first.set(ZMQ_ROUTING_ID, "same");
        second.set(ZMQ_ROUTING_ID, "same");
        first.connect(endpoint);
        first.send("from the first");
        EXPECT_EQ((parts{"same", "from the first"}), router.recv_parts());
        second.connect(endpoint);
        second.send("from the second");
        EXPECT_EQ((parts{"same", "from the second"}), router.recv_parts());
        router.send_parts({"same", "reply"});
        EXPECT_EQ("reply", second.recv());
        expect_no_message(first);
    }
}

TEST_F(dealer_router_test, a_routing_id_is_free_again_when_its_peer_has_left)
{
    const std::string endpoint = router_.bind("tcp://127.0.0.1:*");
    socket peer = dealer("same", endpoint);
    for (int i = 0; i < 3; ++i) {
        // A newcomer that is too early is ignored for good. One that was given up may be heard late, where all is slow.
        int newcomers = 0, patience = 100;
        EXPECT_TRUE(eventually([&] {
            const std::string text = std::to_string(++newcomers);
            peer = ctx_.open(ZMQ_DEALER);
            peer.set(ZMQ_ROUTING_ID, "same");
            peer.connect(endpoint);
            peer.send(text);
            while (router_.readable(patience)) {
                if (router_.recv_parts() == parts{"same", text}) return true;
            }
            patience *= 2;
            return false;
        }));
        router_.send_parts({"same", std::to_string(i)});
        EXPECT_EQ(std::to_string(i), peer.recv());
    }
}

TEST_F(dealer_router_test, probing_announces_a_peer_by_an_empty_message)
{
    const std::string endpoint = router_.bind("tcp://127.0.0.1:*");
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.set(ZMQ_PROBE_ROUTER, 1);
    dealer.set(ZMQ_ROUTING_ID, "prober");
    dealer.connect(endpoint);
    EXPECT_EQ((parts{"prober", ""}), router_.recv_parts());
    dealer.send("then as usual");
    EXPECT_EQ((parts{"prober", "then as usual"}), router_.recv_parts());
}

TEST_F(dealer_router_test, routers_find_each_other_by_probing)
{
    socket other = ctx_.open(ZMQ_ROUTER);
    router_.set(ZMQ_ROUTING_ID, "A");
    other.set(ZMQ_ROUTING_ID, "B");
    other.set(ZMQ_PROBE_ROUTER, 1);
    other.connect(router_.bind(unique_inproc()));
    EXPECT_EQ((parts{"B", ""}), router_.recv_parts());
    router_.send_parts({"B", "hello B"});
    EXPECT_EQ((parts{"A", "hello B"}), other.recv_parts());
    other.send_parts({"A", "hello A"});
    EXPECT_EQ((parts{"B", "hello A"}), router_.recv_parts());
}

TEST_F(dealer_router_test, connect_routing_id_names_the_peer_beforehand)
{
    for (const char* where : {"inproc", "tcp"}) {
        socket router = ctx_.open(ZMQ_ROUTER), one = ctx_.open(ZMQ_DEALER), two = ctx_.open(ZMQ_DEALER);
        const bool tcp = std::string_view(where) == "tcp";
        one.set(ZMQ_ROUTING_ID, "its own name");
        router.set(ZMQ_ROUTER_MANDATORY, 1);
        router.set(ZMQ_CONNECT_ROUTING_ID, "one");
        router.connect(one.bind(tcp ? "tcp://127.0.0.1:*" : unique_inproc()));
        router.set(ZMQ_CONNECT_ROUTING_ID, "two");
        router.connect(two.bind(tcp ? "tcp://127.0.0.1:*" : unique_inproc()));
        router.send_parts({"two", "to two"});
        router.send_parts({"one", "to one"});
        EXPECT_EQ("to one", one.recv());
        EXPECT_EQ("to two", two.recv());
        one.send("re");
        EXPECT_EQ((parts{"one", "re"}), router.recv_parts());
    }
}

TEST_F(dealer_router_test, raw_mode_talks_to_plain_tcp_peers)
{
    router_.set(ZMQ_ROUTER_RAW, 1);
    router_.set(ZMQ_ROUTER_MANDATORY, 1);
    tcp_peer client = tcp_peer::connect(router_.bind("tcp://127.0.0.1:*"));
    const parts arrival = router_.recv_parts();
    ASSERT_EQ(2u, arrival.size());
    EXPECT_EQ(5u, arrival[0].size());
    EXPECT_EQ("", arrival[1]);
    client.write("GET / HTTP/1.0\r\n\r\n");
    EXPECT_EQ((parts{arrival[0], "GET / HTTP/1.0\r\n\r\n"}), router_.recv_parts());
    router_.send_parts({arrival[0], "HTTP/1.0 200 OK\r\n\r\n"});
    EXPECT_EQ("HTTP/1.0 200 OK\r\n\r\n", client.read(19));
    client.close();
    EXPECT_EQ((parts{arrival[0], ""}), router_.recv_parts());
}

TEST_F(dealer_router_test, raw_mode_closes_a_connection_by_an_empty_message)
{
    router_.set(ZMQ_ROUTER_RAW, 1);
    tcp_peer client = tcp_peer::connect(router_.bind("tcp://127.0.0.1:*"));
    const parts arrival = router_.recv_parts();
    router_.send_parts({arrival.front(), ""});
    EXPECT_TRUE(eventually([&] {
        expect_no_message(router_);  // libzmq closes with the help of the socket's thread
        return client.ended();
    }));
}

TEST_F(dealer_router_test, many_peers_are_served_by_name)
{
    constexpr int count = 100;
    const std::string endpoint = router_.bind("tcp://127.0.0.1:*");
    std::vector<socket> peers;
    for (int i = 0; i < count; ++i) {
        peers.push_back(dealer("peer" + std::to_string(i), endpoint));
    }
    for (int i = count - 1; i >= 0; --i) {
        router_.send_parts({"peer" + std::to_string(i), "for " + std::to_string(i)});
    }
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ("for " + std::to_string(i), peers[static_cast<std::size_t>(i)].recv());
    }
}

TEST_F(dealer_router_test, what_is_told_of_a_peer_has_the_properties_of_its_messages)
{
    router_.set(ZMQ_ROUTER_NOTIFY, ZMQ_NOTIFY_CONNECT | ZMQ_NOTIFY_DISCONNECT);
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.connect(router_.bind("tcp://127.0.0.1:*"));
    for (const char* what : {"comes", "goes"}) {
        for (const int size : {5, 0}) {
            zmq_msg_t frame;
            ASSERT_EQ(0, zmq_msg_init(&frame));
            ASSERT_EQ(size, zmq_msg_recv(&frame, router_, 0)) << what;
            EXPECT_STREQ("127.0.0.1", zmq_msg_gets(&frame, "Peer-Address")) << what;
            EXPECT_STREQ("DEALER", zmq_msg_gets(&frame, "Socket-Type")) << what;
            EXPECT_LT(2, zmq_msg_get(&frame, ZMQ_SRCFD)) << what;
            EXPECT_EQ(0, zmq_msg_close(&frame));
        }
        dealer.close();
    }
}

TEST_F(dealer_router_test, a_hello_message_comes_first_at_every_peer_whichever_side_connects)
{
    for (const std::string& transport :
         {std::string("tcp://127.0.0.1:*"), unique_inproc(), std::string("inproc://connected-first")}) {
        socket router = ctx_.open(ZMQ_ROUTER), dealer = ctx_.open(ZMQ_DEALER);
        router.set(ZMQ_HELLO_MSG, "from router");
        dealer.set(ZMQ_HELLO_MSG, "from dealer");
        dealer.set(ZMQ_ROUTING_ID, "D");
        if (transport == "inproc://connected-first") {
            dealer.connect(transport);
            router.bind(transport);
        } else {
            dealer.connect(router.bind(transport));
        }
        dealer.send("hi");
        EXPECT_EQ((parts{"D", "from dealer"}), router.recv_parts()) << transport;
        EXPECT_EQ((parts{"D", "hi"}), router.recv_parts()) << transport;
        router.send_parts({"D", "answer"});
        EXPECT_EQ("from router", dealer.recv()) << transport;
        EXPECT_EQ("answer", dealer.recv()) << transport;
    }
}

// Nothing is called on the socket that greets: the message goes out with the connection.
TEST_F(dealer_router_test, a_hello_message_waits_for_no_call_of_the_program)
{
    for (const int type : {ZMQ_ROUTER, ZMQ_DEALER}) {
        for (const std::string& transport :
             {std::string("tcp://127.0.0.1:*"), std::string("ipc://*"), unique_inproc()}) {
            socket greets = ctx_.open(type), peer = ctx_.open(ZMQ_DEALER);
            greets.set(ZMQ_HELLO_MSG, "hello");
            peer.connect(greets.bind(transport));
            EXPECT_EQ("hello", peer.recv()) << transport;
            const std::string endpoint = peer.bind(transport.starts_with("inproc") ? unique_inproc() : transport);
            greets.connect(endpoint);
            EXPECT_EQ("hello", peer.recv()) << transport;
        }
    }
}

TEST_F(dealer_router_test, a_hello_message_goes_out_with_each_connection_of_every_version)
{
    const std::string text(300, 'h');
    router_.set(ZMQ_HELLO_MSG, text);
    const std::string endpoint = router_.bind("tcp://127.0.0.1:*");
    for (const auto version : {zmtp_version::v3_1, zmtp_version::v3_0, zmtp_version::v2_0, zmtp_version::v1_0}) {
        raw_peer peer = raw_peer::connect_to(endpoint);
        peer.handshake(version, "DEALER", "D");
        EXPECT_EQ(std::vector<std::string>{text}, peer.read_message()) << int(version);
    }
}

TEST_F(dealer_router_test, a_hello_message_comes_before_what_waits_for_a_new_connection)
{
    raw_listener listener;
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.set(ZMQ_HELLO_MSG, "hello");
    dealer.set(ZMQ_RECONNECT_IVL, 1);
    dealer.connect(listener.endpoint());
    dealer.send("waits");
    for (int i = 0; i < 3; ++i) {
        raw_peer peer = listener.accept();
        peer.handshake(zmtp_version::v3_1, "ROUTER");
        EXPECT_EQ(std::vector<std::string>{"hello"}, peer.read_message());
        if (i == 0) {
            EXPECT_EQ(std::vector<std::string>{"waits"}, peer.read_message());
        }
    }
}

TEST_F(dealer_router_test, a_hello_message_taken_back_is_not_sent)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    router_.set(ZMQ_HELLO_MSG, "hello");
    router_.set(ZMQ_HELLO_MSG, "");
    dealer.set(ZMQ_ROUTING_ID, "D");
    dealer.connect(router_.bind("tcp://127.0.0.1:*"));
    dealer.send("hi");
    EXPECT_EQ((parts{"D", "hi"}), router_.recv_parts());
    router_.send_parts({"D", "answer"});
    EXPECT_EQ("answer", dealer.recv());
}

TEST_F(dealer_router_test, a_disconnect_message_follows_what_a_lost_peer_sent)
{
    for (const std::string& transport : {std::string("tcp://127.0.0.1:*"), unique_inproc()}) {
        socket router = ctx_.open(ZMQ_ROUTER);
        router.set(ZMQ_DISCONNECT_MSG, "gone");
        const std::string endpoint = router.bind(transport);
        socket stays = dealer_of(router, "stays", endpoint), goes = dealer_of(router, "goes", endpoint);
        goes.send("last words");
        EXPECT_TRUE(router.readable(patience_ms));
        goes.close();
        EXPECT_EQ((parts{"goes", "last words"}), router.recv_parts()) << transport;
        EXPECT_EQ((parts{"goes", "gone"}), router.recv_parts()) << transport;
        stays.send("still here");
        EXPECT_EQ((parts{"stays", "still here"}), router.recv_parts()) << transport;
    }
}

TEST_F(dealer_router_test, coming_and_going_over_inproc_is_told_in_zlink)
{
    socket router = ctx_.open(ZMQ_ROUTER), dealer = ctx_.open(ZMQ_DEALER);
    router.set(ZMQ_ROUTER_NOTIFY, ZMQ_NOTIFY_CONNECT | ZMQ_NOTIFY_DISCONNECT);
    dealer.set(ZMQ_ROUTING_ID, "peer");
    dealer.connect(router.bind(unique_inproc()));
    EXPECT_EQ((parts{"peer", ""}), router.recv_parts());
    dealer.close();
    EXPECT_EQ((parts{"peer", ""}), router.recv_parts());
}

}  // namespace
}  // namespace zlink::test
