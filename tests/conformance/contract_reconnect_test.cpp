// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What happens when a peer goes, comes back, or dies in the middle of a message.
#include "support/zmq_fixture.hpp"

#include <algorithm>
#include <thread>

namespace zlink::test {
namespace {

// A ZMTP 3.0 peer written out by hand, to break a connection at a chosen byte.
class zmtp_peer {
public:
    struct frame {
        bool more;
        std::string body;
    };

    // Does the handshake, as a socket of this type, over an open connection.
    zmtp_peer(tcp_peer connection, const std::string& socket_type) : connection_(std::move(connection))
    {
        std::string greeting("\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL", 16);
        greeting.resize(64, '\0');
        connection_.write(greeting);
        const std::string property = "Socket-Type";
        std::string ready = std::string("\x05READY") + static_cast<char>(property.size()) + property;
        ready += std::string(3, '\0') + static_cast<char>(socket_type.size()) + socket_type;
        connection_.write(std::string(1, '\x04') + static_cast<char>(ready.size()) + ready);
        connection_.read(64);
        connection_.read(1);
        connection_.read(static_cast<unsigned char>(connection_.read(1).front()));
    }

    void send(const std::string& body, bool more = false)
    {
        connection_.write(std::string(1, more ? '\1' : '\0') + static_cast<char>(body.size()) + body);
    }

    frame recv()
    {
        const std::string flags = connection_.read(1);
        if (flags.empty()) {
            return {};
        }
        std::size_t size = 0;
        for (const char byte : connection_.read((flags[0] & 2) != 0 ? 8 : 1)) {
            size = size << 8 | static_cast<unsigned char>(byte);
        }
        return {(flags[0] & 1) != 0, connection_.read(size)};
    }

    tcp_peer& connection() { return connection_; }

private:
    tcp_peer connection_;
};

class contract_reconnect_test : public zmq_test {
protected:
    socket open(int type)
    {
        socket opened = ctx_.open(type);
        opened.set(ZMQ_RECONNECT_IVL, 10);
        return opened;
    }

    // Closes a bound socket and binds a new one of the same type to its endpoint.
    void restart(socket& bound, int type, const std::string& endpoint)
    {
        bound.close();
        bound = open(type);
        EXPECT_TRUE(eventually([&] { return zmq_bind(bound, endpoint.c_str()) == 0; }));
    }
};

TEST_F(contract_reconnect_test, a_connecting_socket_finds_a_restarted_peer)
{
    temp_directory directory;
    for (const std::string& where : {std::string("tcp://127.0.0.1:*"), "ipc://" + directory.file("socket")}) {
        socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
        const std::string endpoint = pull.bind(where);
        push.connect(endpoint);
        for (int i = 0; i < 3; ++i) {
            monitor events(ctx_, push, ZMQ_EVENT_DISCONNECTED);
            push.send(std::to_string(i));
            EXPECT_EQ(std::to_string(i), pull.recv());
            restart(pull, ZMQ_PULL, endpoint);
            events.await(ZMQ_EVENT_DISCONNECTED);
        }
        push.send("at last");
        EXPECT_EQ("at last", pull.recv());
    }
}

TEST_F(contract_reconnect_test, messages_sent_while_the_peer_is_away_wait_for_it)
{
    socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    monitor events(ctx_, push, ZMQ_EVENT_DISCONNECTED);
    push.connect(endpoint);
    push.send("before");
    EXPECT_EQ("before", pull.recv());
    pull.close();
    events.await(ZMQ_EVENT_DISCONNECTED);
    for (int i = 0; i < 100; ++i) {
        push.send_parts({std::to_string(i), "tail"});
    }
    pull = open(ZMQ_PULL);
    EXPECT_TRUE(eventually([&] { return zmq_bind(pull, endpoint.c_str()) == 0; }));
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ((parts{std::to_string(i), "tail"}), pull.recv_parts());
    }
}

TEST_F(contract_reconnect_test, subscriptions_are_sent_again)
{
    for (const int type : {ZMQ_SUB, ZMQ_XSUB}) {
        socket pub = open(ZMQ_XPUB), sub = open(type);
        const std::string endpoint = pub.bind("tcp://127.0.0.1:*");
        sub.connect(endpoint);
        for (const char* topic : {"a", "b", "gone"}) {
            type == ZMQ_SUB ? sub.subscribe(topic) : static_cast<void>(sub.send(std::string("\x01") + topic));
            EXPECT_EQ(std::string("\x01") + topic, pub.recv());
        }
        const std::string gone("\0gone", 5);
        type == ZMQ_SUB ? sub.unsubscribe("gone") : static_cast<void>(sub.send(gone));
        EXPECT_EQ(gone, pub.recv());
        for (int i = 0; i < 3; ++i) {
            restart(pub, ZMQ_XPUB, endpoint);
            EXPECT_TRUE(eventually([&] {
                expect_no_message(sub);  // libzmq sends them from the thread of the subscriber
                return pub.readable();
            }));
            parts again{pub.recv(), pub.recv()};
            std::sort(again.begin(), again.end());
            EXPECT_EQ((parts{"\x01"
                             "a",
                             "\x01"
                             "b"}),
                      again);
            pub.send("gone");
            pub.send("beta");
            EXPECT_EQ("beta", sub.recv());
        }
    }
}

TEST_F(contract_reconnect_test, a_new_connection_begins_with_a_whole_message)
{
    tcp_peer listener = tcp_peer::listen();
    socket push = open(ZMQ_PUSH);
    push.set(ZMQ_SNDBUF, 8192);
    push.connect(listener.endpoint());
    const std::string large(3 << 20, 'L');
    push.send_parts({"first", large, "tail"});
    push.send_parts({"second", large, "tail"});
    push.send("last");
    {
        zmtp_peer broken(listener.accept(), "PULL");
        EXPECT_EQ("first", broken.recv().body);
        broken.connection().read(100000);  // in the middle of the large frame
        broken.connection().reset();
    }
    zmtp_peer second(listener.accept(), "PULL");
    zmtp_peer::frame frame = second.recv();
    if (frame.body == "first") {  // sent again; libzmq loses the message that was under way
        EXPECT_TRUE(second.recv().body == large);
        EXPECT_EQ("tail", second.recv().body);
        frame = second.recv();
    }
    EXPECT_EQ("second", frame.body);
    EXPECT_TRUE(frame.more);
    frame = second.recv();
    EXPECT_TRUE(frame.body == large);
    EXPECT_TRUE(frame.more);
    frame = second.recv();
    EXPECT_EQ("tail", frame.body);
    EXPECT_FALSE(frame.more);
    EXPECT_EQ("last", second.recv().body);
}

TEST_F(contract_reconnect_test, a_message_half_received_is_dropped)
{
    socket pull = open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    monitor events(ctx_, pull, ZMQ_EVENT_DISCONNECTED);
    {
        zmtp_peer peer(tcp_peer::connect(endpoint), "PUSH");
        peer.send("whole");
        peer.send("half", true);
        peer.send("of a message", true);
        peer.connection().write(std::string("\0\x10rest", 6));  // and half of a frame
    }
    events.await(ZMQ_EVENT_DISCONNECTED);
    zmtp_peer other(tcp_peer::connect(endpoint), "PUSH");
    other.send("from", true);
    other.send("another");
    EXPECT_EQ((parts{"whole"}), pull.recv_parts());
    EXPECT_EQ((parts{"from", "another"}), pull.recv_parts());
    expect_no_message(pull);
}

TEST_F(contract_reconnect_test, a_connecting_receiver_drops_the_half_message_of_a_lost_connection)
{
    tcp_peer listener = tcp_peer::listen();
    socket pull = open(ZMQ_PULL);
    pull.connect(listener.endpoint());
    {
        zmtp_peer peer(listener.accept(), "PUSH");
        peer.send("whole");
        peer.send("half", true);
    }
    zmtp_peer again(listener.accept(), "PUSH");
    again.send("a", true);
    again.send("b");
    EXPECT_EQ((parts{"whole"}), pull.recv_parts());
    EXPECT_EQ((parts{"a", "b"}), pull.recv_parts());
}

TEST_F(contract_reconnect_test, a_hiccup_message_tells_a_connecting_dealer_that_its_connection_was_lost)
{
    for (const bool immediate : {false, true}) {
        tcp_peer listener = tcp_peer::listen();
        socket dealer = open(ZMQ_DEALER);
        dealer.set(ZMQ_IMMEDIATE, immediate);
        dealer.set(ZMQ_HICCUP_MSG, "hiccup");
        dealer.connect(listener.endpoint());
        listener.accept().close();  // without a handshake this was no connection
        for (const char* name : {"first", "second"}) {
            {
                zmtp_peer peer(listener.accept(), "ROUTER");
                peer.send(name);
                peer.send("unread");
                peer.send("half", true);
                EXPECT_EQ((parts{name}), dealer.recv_parts());
            }
            EXPECT_EQ((parts{"unread"}), dealer.recv_parts());
            EXPECT_EQ((parts{"hiccup"}), dealer.recv_parts());
        }
        zmtp_peer last(listener.accept(), "ROUTER");
        last.send("a", true);
        last.send("b");
        EXPECT_EQ((parts{"a", "b"}), dealer.recv_parts());
        dealer.disconnect(listener.endpoint());
        expect_no_message_for(dealer, 20);
    }
}

TEST_F(contract_reconnect_test, neither_bound_sockets_nor_other_types_receive_a_hiccup_message)
{
    socket bound = open(ZMQ_DEALER), pull = open(ZMQ_PULL);
    tcp_peer listener = tcp_peer::listen();
    for (socket* each : {&bound, &pull}) each->set(ZMQ_HICCUP_MSG, "hiccup");
    const std::string endpoint = bound.bind("tcp://127.0.0.1:*");
    pull.connect(listener.endpoint());
    for (const char* name : {"first", "second"}) {
        zmtp_peer to_bound(tcp_peer::connect(endpoint), "DEALER"), to_pull(listener.accept(), "PUSH");
        to_bound.send(name);
        to_pull.send(name);
        EXPECT_EQ(name, bound.recv());
        EXPECT_EQ(name, pull.recv());
    }
}

TEST_F(contract_reconnect_test, complete_messages_of_a_lost_peer_stay_readable)
{
    socket pull = open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    monitor events(ctx_, pull, ZMQ_EVENT_DISCONNECTED);
    {
        zmtp_peer peer(tcp_peer::connect(endpoint), "PUSH");
        for (int i = 0; i < 100; ++i) {
            peer.send(std::to_string(i), true);
            peer.send("tail");
        }
    }
    events.await(ZMQ_EVENT_DISCONNECTED);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ((parts{std::to_string(i), "tail"}), pull.recv_parts());
    }
    expect_no_message(pull);
}

TEST_F(contract_reconnect_test, a_bound_socket_drops_what_waits_for_a_lost_peer)
{
    socket push = open(ZMQ_PUSH);
    push.set(ZMQ_SNDBUF, 8192);
    const std::string endpoint = push.bind("tcp://127.0.0.1:*");
    {
        zmtp_peer peer(tcp_peer::connect(endpoint), "PULL");
        for (int i = 0; i < 50; ++i) {
            push.send_parts({"lost", std::string(100000, 'x')});
        }
        EXPECT_EQ("lost", peer.recv().body);
    }
    EXPECT_TRUE(eventually([&] { return push.try_send("noticed?") == EAGAIN; }));
    socket pull = open(ZMQ_PULL);
    pull.connect(endpoint);
    expect_only(push, pull, {"fresh"});
}

TEST_F(contract_reconnect_test, other_peers_go_on_undisturbed_when_one_dies)
{
    socket router = open(ZMQ_ROUTER), steady = open(ZMQ_DEALER);
    const std::string endpoint = router.bind("tcp://127.0.0.1:*");
    steady.set(ZMQ_ROUTING_ID, "steady");
    steady.connect(endpoint);
    for (int i = 0; i < 20; ++i) {
        {
            zmtp_peer dying(tcp_peer::connect(endpoint), "DEALER");
            dying.send("half", true);
            i % 2 == 0 ? dying.connection().reset() : dying.connection().close();
        }
        steady.send(std::to_string(i));
        EXPECT_EQ((parts{"steady", std::to_string(i)}), router.recv_parts());
        router.send_parts({"steady", std::to_string(i)});
        EXPECT_EQ(std::to_string(i), steady.recv());
    }
}

TEST_F(contract_reconnect_test, disconnect_drops_what_was_not_read)
{
    for (const char* where : {"inproc://x", "tcp://127.0.0.1:*"}) {
        context ctx;
        socket push = ctx.open(ZMQ_PUSH), pull = ctx.open(ZMQ_PULL);
        const std::string endpoint = push.bind(where);
        pull.connect(endpoint);
        push.send("read");
        EXPECT_EQ("read", pull.recv());
        for (int i = 0; i < 5; ++i) {
            push.send("unread");
        }
        EXPECT_TRUE(pull.wait(ZMQ_POLLIN));
        pull.disconnect(endpoint);
        expect_no_message(pull);
        expect_no_message_for(pull, 30);
    }
}

TEST_F(contract_reconnect_test, what_was_sent_before_disconnect_obeys_linger)
{
    const std::string endpoint = tcp_peer::listen().endpoint();
    for (const bool lingers : {true, false}) {
        socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL), later = open(ZMQ_PUSH);
        push.set(ZMQ_LINGER, lingers ? -1 : 0);
        push.connect(endpoint);
        push.send("sent before");
        push.disconnect(endpoint);
        if (!lingers) {
            push.close();
        }
        EXPECT_TRUE(eventually([&] { return zmq_bind(pull, endpoint.c_str()) == 0; }));
        if (lingers) {
            EXPECT_EQ("sent before", pull.recv());
        }
        later.connect(endpoint);
        expect_only(later, pull, {"later"});
        monitor events(ctx_, pull, ZMQ_EVENT_CLOSED);
        pull.unbind(endpoint);
        events.await(ZMQ_EVENT_CLOSED);
    }
}

TEST_F(contract_reconnect_test, a_message_whose_peer_goes_in_its_middle_is_swallowed_to_its_end)
{
    socket push = open(ZMQ_PUSH), gone = open(ZMQ_PULL), other = open(ZMQ_PULL);
    const std::string endpoint = gone.bind(unique_inproc());
    push.connect(endpoint);
    push.send("first", ZMQ_SNDMORE);
    push.disconnect(endpoint);
    push.connect(other.bind(unique_inproc()));
    push.send("second", ZMQ_SNDMORE);  // with ZMQ_DONTWAIT libzmq would say EAGAIN once
    push.send("third");
    push.send_parts({"next", "message"});
    EXPECT_EQ((parts{"next", "message"}), other.recv_parts());
    expect_no_message(gone);
}

TEST_F(contract_reconnect_test, a_router_swallows_a_message_whose_peer_goes_in_its_middle)
{
    socket router = open(ZMQ_ROUTER), gone = open(ZMQ_DEALER), other = open(ZMQ_DEALER);
    const std::string endpoint = router.bind(unique_inproc());
    gone.set(ZMQ_ROUTING_ID, "gone");
    other.set(ZMQ_ROUTING_ID, "other");
    for (socket* peer : {&gone, &other}) {
        peer->connect(endpoint);
        peer->send("here");
        router.recv_parts();
    }
    router.send("gone", ZMQ_SNDMORE);
    router.send("first", ZMQ_SNDMORE);
    gone.close();
    EXPECT_EQ(0, router.try_send("second", ZMQ_SNDMORE));
    expect_no_message_for(router, 20);
    EXPECT_EQ(0, router.try_send("third"));
    router.send_parts({"other", "whole"});
    EXPECT_EQ((parts{"whole"}), other.recv_parts());
}

TEST_F(contract_reconnect_test, immediate_queues_for_completed_connections_alone)
{
    socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
    push.set(ZMQ_IMMEDIATE, 1);
    push.connect(tcp_peer::listen().endpoint());
    EXPECT_EQ(EAGAIN, push.try_send("to a peer that is not there"));
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    for (int i = 0; i < 100; ++i) {
        push.send(std::to_string(i));
    }
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(std::to_string(i), pull.recv());
    }
}

TEST_F(contract_reconnect_test, immediate_ends_the_queue_with_the_connection)
{
    socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
    push.set(ZMQ_IMMEDIATE, 1);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    push.connect(endpoint);
    push.send("x");
    EXPECT_EQ("x", pull.recv());
    pull.close();
    EXPECT_TRUE(eventually([&] { return push.try_send("noticed?") == EAGAIN; }));
    pull = open(ZMQ_PULL);
    EXPECT_TRUE(eventually([&] { return zmq_bind(pull, endpoint.c_str()) == 0; }));
    expect_only(push, pull, {"only what was sent to the new connection"});
}

TEST_F(contract_reconnect_test, a_stream_survives_breaks_whole_and_in_order)
{
    socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    push.connect(endpoint);
    std::atomic<bool> stop{false};
    std::thread sender([&] {
        for (int i = 0; !stop; ++i) {
            push.send_parts({std::to_string(i), std::string(500, 'x'), std::to_string(i)});
        }
    });
    int last = -1;
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 500; ++i) {
            const parts message = pull.recv_parts();
            if (message.size() != 3 || message[0] != message[2]) {
                ADD_FAILURE() << "a message came in pieces: " << ::testing::PrintToString(message);
                break;
            }
            EXPECT_LT(last, std::stoi(message[0]));  // what was under way may be lost, never doubled or out of order
            last = std::stoi(message[0]);
        }
        restart(pull, ZMQ_PULL, endpoint);
    }
    stop = true;
    pull.set(ZMQ_RCVTIMEO, 100);
    while (pull.recv_frame()) {
    }
    sender.join();
}

}  // namespace
}  // namespace zlink::test
