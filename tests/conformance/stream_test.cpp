// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The contract of STREAM: bytes to and from plain TCP peers, each addressed by a routing id.
#include "support/zmq_fixture.hpp"

namespace zlink::test {
namespace {

class stream_test : public zmq_test {
protected:
    // Receives messages of one peer until `size` bytes have come.
    std::string read(const std::string& peer, std::size_t size)
    {
        std::string bytes;
        while (bytes.size() < size && !HasFailure()) {
            const parts message = stream_.recv_parts();
            EXPECT_EQ(2u, message.size());
            EXPECT_EQ(peer, message.front());
            bytes += message.back();
        }
        return bytes;
    }

    // The routing id of a peer that has just connected or been connected to.
    std::string arrival(socket& stream)
    {
        const parts message = stream.recv_parts();
        EXPECT_EQ(2u, message.size());
        EXPECT_EQ("", message.back());
        return message.front();
    }

    // What the socket says is its own: the id of its newest connection.
    std::string routing_id(const socket& stream)
    {
        char id[256] = {};
        std::size_t size = sizeof id;
        EXPECT_EQ(0, zmq_getsockopt(stream, ZMQ_ROUTING_ID, id, &size));
        return {id, size};
    }

    socket stream_ = ctx_.open(ZMQ_STREAM);
};

TEST_F(stream_test, announces_a_client_and_exchanges_bytes)
{
    tcp_peer client = tcp_peer::connect(stream_.bind("tcp://127.0.0.1:*"));
    const std::string id = arrival(stream_);
    EXPECT_EQ(5u, id.size());
    client.write("hello");
    EXPECT_EQ("hello", read(id, 5));
    stream_.send_parts({id, "welcome"});
    EXPECT_EQ("welcome", client.read(7));
    client.write(std::string("\x00\x01\xff", 3));
    EXPECT_EQ(std::string("\x00\x01\xff", 3), read(id, 3));
}

TEST_F(stream_test, serves_several_clients)
{
    const std::string endpoint = stream_.bind("tcp://127.0.0.1:*");
    tcp_peer one = tcp_peer::connect(endpoint);
    const std::string first = arrival(stream_);
    tcp_peer two = tcp_peer::connect(endpoint);
    const std::string second = arrival(stream_);
    EXPECT_NE(first, second);
    two.write("two");
    EXPECT_EQ("two", read(second, 3));
    one.write("one");
    EXPECT_EQ("one", read(first, 3));
    stream_.send_parts({second, "2"});
    stream_.send_parts({first, "1"});
    EXPECT_EQ("1", one.read(1));
    EXPECT_EQ("2", two.read(1));
}

TEST_F(stream_test, an_empty_message_closes_the_connection)
{
    tcp_peer client = tcp_peer::connect(stream_.bind("tcp://127.0.0.1:*"));
    const std::string id = arrival(stream_);
    stream_.send_parts({id, "last words"});
    EXPECT_EQ("last words", client.read(10));
    stream_.send_parts({id, ""});
    EXPECT_TRUE(eventually([&] {
        expect_no_message(stream_);  // libzmq closes with the help of the socket's thread
        return client.ended();
    }));
    EXPECT_EQ(EHOSTUNREACH, stream_.try_send(id, ZMQ_SNDMORE));
}

TEST_F(stream_test, tells_that_a_client_has_left)
{
    tcp_peer client = tcp_peer::connect(stream_.bind("tcp://127.0.0.1:*"));
    const std::string id = arrival(stream_);
    client.write("bye");
    EXPECT_EQ("bye", read(id, 3));
    client.close();
    EXPECT_EQ((parts{id, ""}), stream_.recv_parts());
}

TEST_F(stream_test, bytes_sent_before_leaving_come_first)
{
    tcp_peer client = tcp_peer::connect(stream_.bind("tcp://127.0.0.1:*"));
    client.write("everything");
    client.close();
    const std::string id = arrival(stream_);
    EXPECT_EQ("everything", read(id, 10));
    EXPECT_EQ((parts{id, ""}), stream_.recv_parts());
}

TEST_F(stream_test, tells_nothing_of_coming_and_going_without_notification)
{
    stream_.set(ZMQ_STREAM_NOTIFY, 0);
    const std::string endpoint = stream_.bind("tcp://127.0.0.1:*");
    monitor events(ctx_, stream_, ZMQ_EVENT_DISCONNECTED);
    tcp_peer client = tcp_peer::connect(endpoint);
    client.write("x");
    const parts message = stream_.recv_parts();
    ASSERT_EQ(2u, message.size());
    EXPECT_EQ("x", message[1]);
    stream_.send_parts({message[0], "y"});
    EXPECT_EQ("y", client.read(1));
    client.close();
    events.await(ZMQ_EVENT_DISCONNECTED);
    tcp_peer next = tcp_peer::connect(endpoint);
    next.write("z");
    const parts after = stream_.recv_parts();
    ASSERT_EQ(2u, after.size());
    EXPECT_EQ("z", after[1]);
    EXPECT_NE(message[0], after[0]);
}

TEST_F(stream_test, unknown_peers_are_unreachable)
{
    stream_.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(EHOSTUNREACH, stream_.try_send("nobody", ZMQ_SNDMORE));
}

TEST_F(stream_test, connects_to_a_plain_server)
{
    tcp_peer listener = tcp_peer::listen();
    stream_.connect(listener.endpoint());
    tcp_peer server = listener.accept();
    const std::string id = arrival(stream_);
    stream_.send_parts({id, "GET"});
    EXPECT_EQ("GET", server.read(3));
    server.write("200");
    EXPECT_EQ("200", read(id, 3));
    server.close();
    EXPECT_EQ((parts{id, ""}), stream_.recv_parts());
}

TEST_F(stream_test, tells_the_routing_id_of_its_newest_connection)
{
    tcp_peer listener = tcp_peer::listen();
    EXPECT_EQ("", routing_id(stream_));
    stream_.connect(listener.endpoint());
    const std::string first = routing_id(stream_);
    EXPECT_EQ(5u, first.size());
    stream_.send_parts({first, "at once"});
    tcp_peer one = listener.accept();
    EXPECT_EQ("at once", one.read(7));
    EXPECT_EQ(first, arrival(stream_));

    stream_.connect(listener.endpoint());
    const std::string second = routing_id(stream_);
    EXPECT_NE(first, second);
    tcp_peer two = listener.accept();
    EXPECT_EQ(second, arrival(stream_));

    tcp_peer client = tcp_peer::connect(stream_.bind("tcp://127.0.0.1:*"));
    const std::string third = arrival(stream_);
    EXPECT_EQ(third, routing_id(stream_));
    stream_.send_parts({first, "1"});
    stream_.send_parts({second, "2"});
    stream_.send_parts({third, "3"});
    EXPECT_EQ("1", one.read(1));
    EXPECT_EQ("2", two.read(1));
    EXPECT_EQ("3", client.read(1));
}

TEST_F(stream_test, connect_routing_id_names_the_server)
{
    tcp_peer listener = tcp_peer::listen();
    stream_.set(ZMQ_CONNECT_ROUTING_ID, "server");
    stream_.connect(listener.endpoint());
    EXPECT_EQ("", routing_id(stream_));  // only names that the socket makes up are shown there
    tcp_peer server = listener.accept();
    EXPECT_EQ("server", arrival(stream_));
    stream_.send_parts({"server", "hi"});
    EXPECT_EQ("hi", server.read(2));
}

TEST_F(stream_test, two_stream_sockets_understand_each_other)
{
    socket other = ctx_.open(ZMQ_STREAM);
    other.connect(stream_.bind("tcp://127.0.0.1:*"));
    const std::string here = arrival(stream_), there = arrival(other);
    stream_.send_parts({here, "from here"});
    EXPECT_EQ((parts{there, "from here"}), other.recv_parts());
    other.send_parts({there, "from there"});
    EXPECT_EQ((parts{here, "from there"}), stream_.recv_parts());
}

TEST_F(stream_test, carries_megabytes_in_order)
{
    tcp_peer client = tcp_peer::connect(stream_.bind("tcp://127.0.0.1:*"));
    const std::string id = arrival(stream_);
    std::string bytes(3 << 20, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>((i * 31) ^ (i >> 11));
    }
    stream_.send_parts({id, bytes});
    EXPECT_TRUE(client.read(bytes.size()) == bytes);
    for (std::size_t at = 0; at < bytes.size(); at += 65536) {
        const std::string_view piece = std::string_view(bytes).substr(at, 65536);
        client.write(piece);
        EXPECT_TRUE(read(id, piece.size()) == piece);
    }
}

TEST_F(stream_test, a_message_is_a_routing_id_and_one_frame)
{
    tcp_peer client = tcp_peer::connect(stream_.bind("tcp://127.0.0.1:*"));
    const std::string id = arrival(stream_);
    stream_.send(id, ZMQ_SNDMORE);
    stream_.send("with more", ZMQ_SNDMORE);  // the flag has no meaning here
    stream_.send_parts({id, "next"});
    EXPECT_EQ("with morenext", client.read(13));
}

TEST_F(stream_test, messages_know_the_address_of_their_peer)
{
    tcp_peer client = tcp_peer::connect(stream_.bind("tcp://127.0.0.1:*"));
    arrival(stream_);
    client.write("x");
    zmq_msg_t msg;
    zmq_msg_init(&msg);
    ASSERT_EQ(5, zmq_msg_recv(&msg, stream_, 0));
    ASSERT_EQ(1, zmq_msg_recv(&msg, stream_, 0));
    EXPECT_STREQ("127.0.0.1", zmq_msg_gets(&msg, "Peer-Address"));
    zmq_msg_close(&msg);
}

// What every frame of a message tells of its peer.
void expect_properties(socket& receiver, std::size_t body, const place& where = place::current())
{
    ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "properties");
    for (const std::size_t size : {std::size_t{5}, body}) {
        zmq_msg_t frame;
        ASSERT_EQ(0, zmq_msg_init(&frame));
        ASSERT_EQ(int(size), zmq_msg_recv(&frame, receiver, 0)) << zmq_strerror(zmq_errno());
        EXPECT_STREQ("127.0.0.1", zmq_msg_gets(&frame, "Peer-Address"));
        EXPECT_LT(2, zmq_msg_get(&frame, ZMQ_SRCFD));
        EXPECT_EQ(0, zmq_msg_close(&frame));
    }
}

TEST_F(stream_test, coming_and_going_tell_the_address_of_the_peer)
{
    for (const int type : {ZMQ_STREAM, ZMQ_ROUTER}) {
        const auto open = [&] {
            socket s = ctx_.open(type);
            if (type == ZMQ_ROUTER) s.set(ZMQ_ROUTER_RAW, 1);
            return s;
        };
        socket bound = open();
        tcp_peer client = tcp_peer::connect(bound.bind("tcp://127.0.0.1:*"));
        expect_properties(bound, 0);
        client.write("abc");
        expect_properties(bound, 3);
        client.close();
        expect_properties(bound, 0);

        socket connected = open();
        tcp_peer listener = tcp_peer::listen();
        connected.set(ZMQ_RECONNECT_IVL, 1);
        connected.connect(listener.endpoint());
        for (int i = 0; i < 2; ++i) {
            tcp_peer server = listener.accept();
            expect_properties(connected, 0);
            server.write("abc");
            expect_properties(connected, 3);
            server.close();
            expect_properties(connected, 0);
        }
    }
}

}  // namespace
}  // namespace zlink::test
