// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The draft side of socket monitors: versioned events, other monitor socket types, pipe statistics. Also what zlink
// promises beyond libzmq: a monitor that is not read holds up nobody.

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <fcntl.h>
#include <zlink.h>

#include <map>

namespace zlink::test {
namespace {

using zlink::test::socket;

/// A version 2 event: its number, its values, and the endpoints of both ends.
struct event_v2 {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> values;
    std::string local;
    std::string remote;
};

std::uint64_t as_number(const std::string& frame)
{
    std::uint64_t number = 0;
    EXPECT_EQ(sizeof number, frame.size());
    if (frame.size() == sizeof number) std::memcpy(&number, frame.data(), sizeof number);
    return number;
}

event_v2 parse(const parts& frames)
{
    event_v2 event;
    if (frames.size() < 4) {
        ADD_FAILURE() << "an event of " << frames.size() << " frames";
        return event;
    }
    event.number = as_number(frames[0]);
    EXPECT_EQ(frames.size() - 4, as_number(frames[1])) << "the second frame counts the values";
    for (std::size_t i = 2; i + 2 < frames.size(); ++i) event.values.push_back(as_number(frames[i]));
    event.local = frames[frames.size() - 2];
    event.remote = frames.back();
    return event;
}

class monitor_v2_test : public zmq_test {
protected:
    static constexpr std::uint64_t all_events = ZMQ_EVENT_ALL_V2;

    /// Starts monitoring and opens a reader of the type that fits.
    socket watch(socket& watched, std::uint64_t events = all_events, int type = ZMQ_PAIR)
    {
        const std::string at = unique_inproc();
        EXPECT_EQ(0, zmq_socket_monitor_versioned(watched, at.c_str(), events, 2, type)) << zmq_strerror(zmq_errno());
        socket reader = ctx_.open(type == ZMQ_PUB ? ZMQ_SUB : type == ZMQ_PUSH ? ZMQ_PULL : ZMQ_PAIR);
        if (type == ZMQ_PUB) reader.subscribe("");
        reader.connect(at);
        return reader;
    }
};

/// The properties of a ZMQ_EVENT_PEER_PROPERTIES, by name.
std::map<std::string, std::string> properties_of(const parts& frames)
{
    std::map<std::string, std::string> found;
    EXPECT_EQ(static_cast<std::uint64_t>(ZMQ_EVENT_PEER_PROPERTIES), as_number(frames[0]));
    EXPECT_EQ(0U, as_number(frames[1]));
    EXPECT_EQ(0U, frames.size() % 2);
    for (std::size_t i = 2; i + 3 < frames.size(); i += 2) found.emplace(frames[i], frames[i + 1]);
    return found;
}

TEST_F(monitor_v2_test, tells_what_is_known_of_peers_to_those_who_ask)
{
    socket server = ctx_.open(ZMQ_ROUTER);
    socket client = ctx_.open(ZMQ_DEALER);
    client.set(ZMQ_ROUTING_ID, "joe");
    socket server_events = watch(server, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_PEER_PROPERTIES);
    socket client_events = watch(client, ZMQ_EVENT_PEER_PROPERTIES);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    client.connect(endpoint);

    EXPECT_EQ(static_cast<std::uint64_t>(ZMQ_EVENT_HANDSHAKE_SUCCEEDED), parse(server_events.recv_parts()).number);
    const parts of_client = server_events.recv_parts();
    auto known = properties_of(of_client);
    EXPECT_EQ("DEALER", known["Socket-Type"]);
    EXPECT_EQ("joe", known["Routing-Id"]);
    EXPECT_EQ("127.0.0.1", known["Peer-Address"]);
    EXPECT_EQ(endpoint, of_client[of_client.size() - 2]);

    const parts of_server = client_events.recv_parts();
    EXPECT_EQ("ROUTER", properties_of(of_server)["Socket-Type"]);
    EXPECT_EQ(endpoint, of_server.back());
}

TEST_F(monitor_v2_test, tells_both_ends_of_a_connection)
{
    socket server = ctx_.open(ZMQ_PULL);
    socket client = ctx_.open(ZMQ_PUSH);
    socket server_events = watch(server);
    socket client_events = watch(client);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    client.connect(endpoint);

    event_v2 event = parse(server_events.recv_parts());
    EXPECT_EQ(static_cast<std::uint64_t>(ZMQ_EVENT_LISTENING), event.number);
    ASSERT_EQ(1U, event.values.size());
    EXPECT_NE(-1, ::fcntl(static_cast<int>(event.values[0]), F_GETFD));
    EXPECT_EQ(endpoint, event.local);
    EXPECT_EQ("", event.remote);

    event = parse(server_events.recv_parts());
    EXPECT_EQ(static_cast<std::uint64_t>(ZMQ_EVENT_ACCEPTED), event.number);
    EXPECT_EQ(endpoint, event.local);
    const std::string client_address = event.remote;
    EXPECT_EQ(0U, client_address.find("tcp://127.0.0.1:")) << client_address;

    event = parse(server_events.recv_parts());
    EXPECT_EQ(static_cast<std::uint64_t>(ZMQ_EVENT_HANDSHAKE_SUCCEEDED), event.number);
    EXPECT_EQ(std::vector<std::uint64_t>{0}, event.values);
    EXPECT_EQ(endpoint, event.local);
    EXPECT_EQ(client_address, event.remote);

    event = parse(client_events.recv_parts());
    if (event.number == static_cast<std::uint64_t>(ZMQ_EVENT_CONNECT_DELAYED)) {
        EXPECT_EQ(endpoint, event.remote);
        event = parse(client_events.recv_parts());
    }
    EXPECT_EQ(static_cast<std::uint64_t>(ZMQ_EVENT_CONNECTED), event.number);
    EXPECT_EQ(client_address, event.local);
    EXPECT_EQ(endpoint, event.remote);

    client.close();
    event = parse(server_events.recv_parts());
    EXPECT_EQ(static_cast<std::uint64_t>(ZMQ_EVENT_DISCONNECTED), event.number);
    EXPECT_EQ(endpoint, event.local);
    EXPECT_EQ(client_address, event.remote);
}

TEST_F(monitor_v2_test, version_1_keeps_its_layout)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::string at = unique_inproc();
    ASSERT_EQ(0, zmq_socket_monitor_versioned(server, at.c_str(), ZMQ_EVENT_ALL_V1, 1, ZMQ_PAIR));
    socket reader = ctx_.open(ZMQ_PAIR);
    reader.connect(at);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    const parts frames = reader.recv_parts();
    ASSERT_EQ(2U, frames.size());
    EXPECT_EQ(6U, frames[0].size());
    EXPECT_EQ(endpoint, frames[1]);
}

TEST_F(monitor_v2_test, versions_have_the_numbers_of_the_header)
{
    socket server = ctx_.open(ZMQ_PULL);
    for (const int version : {ZMQ_CURRENT_EVENT_VERSION, ZMQ_CURRENT_EVENT_VERSION_DRAFT}) {
        const std::string at = unique_inproc();
        ASSERT_EQ(0, zmq_socket_monitor_versioned(server, at.c_str(), ZMQ_EVENT_LISTENING, version, ZMQ_PAIR));
        socket reader = ctx_.open(ZMQ_PAIR);
        reader.connect(at);
        server.bind("tcp://127.0.0.1:*");
        const parts frames = reader.recv_parts();
        EXPECT_EQ(version == ZMQ_CURRENT_EVENT_VERSION ? 2U : 5U, frames.size());
        EXPECT_EQ(0, zmq_socket_monitor_versioned(server, nullptr, 0, version, ZMQ_PAIR));
    }
}

TEST_F(monitor_v2_test, may_push_its_events)
{
    socket server = ctx_.open(ZMQ_PULL);
    socket reader = watch(server, all_events, ZMQ_PUSH);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(endpoint, parse(reader.recv_parts()).local);
}

TEST_F(monitor_v2_test, may_publish_its_events)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::string at = unique_inproc();
    ASSERT_EQ(0, zmq_socket_monitor_versioned(server, at.c_str(), all_events, 2, ZMQ_PUB));
    socket reader = ctx_.open(ZMQ_SUB);
    const std::uint64_t topic = ZMQ_EVENT_LISTENING;
    ASSERT_EQ(0, zmq_setsockopt(reader, ZMQ_SUBSCRIBE, &topic, sizeof topic));
    reader.connect(at);
    // The publisher learns of the subscription at some point after the connect.
    for (int tries = 0; tries < 1000 && !reader.readable(10); ++tries) server.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(topic, parse(reader.recv_parts()).number);
}

// The events come from the I/O thread that reads what other publishers wait for.
TEST_F(monitor_v2_test, published_events_hold_up_no_io_thread)
{
    socket publisher = ctx_.open(ZMQ_PUB), pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    const std::string at = unique_inproc();
    ASSERT_EQ(0, zmq_socket_monitor_versioned(publisher, at.c_str(), ZMQ_EVENT_HANDSHAKE_SUCCEEDED, 2, ZMQ_PUB));
    socket reader = ctx_.open(ZMQ_SUB);
    reader.subscribe("");
    reader.connect(at);
    const std::string endpoint = publisher.bind("tcp://127.0.0.1:*");
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    const auto start = std::chrono::steady_clock::now();
    constexpr int clients = 20;
    for (int i = 0; i < clients; ++i) {
        push.send("something that was read");
        EXPECT_EQ("something that was read", pull.recv());
        socket subscriber = ctx_.open(ZMQ_SUB);
        subscriber.connect(endpoint);
        EXPECT_EQ(std::uint64_t(ZMQ_EVENT_HANDSHAKE_SUCCEEDED), parse(reader.recv_parts()).number);
    }
    EXPECT_GT(std::chrono::milliseconds(clients * 100), std::chrono::steady_clock::now() - start) << "100 ms an event";
}

TEST_F(monitor_v2_test, checks_its_arguments)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::string at = unique_inproc();
    const auto outcome = [&](const char* endpoint, int version, int type) {
        return zmq_socket_monitor_versioned(server, endpoint, ZMQ_EVENT_ALL_V1, version, type) == 0 ? 0 : zmq_errno();
    };
    EXPECT_EQ(EPROTONOSUPPORT, outcome("tcp://127.0.0.1:9999", 2, ZMQ_PAIR));
    EXPECT_EQ(EINVAL, outcome("nonsense", 2, ZMQ_PAIR));
    EXPECT_EQ(EINVAL, outcome(at.c_str(), 2, ZMQ_DEALER));
    EXPECT_EQ(EINVAL, outcome(at.c_str(), 0, ZMQ_PAIR));
    EXPECT_EQ(EINVAL, outcome(at.c_str(), 3, ZMQ_PAIR));
    EXPECT_EQ(EINVAL, outcome(at.c_str(), 2, ZMQ_SUB));
    EXPECT_EQ(ENOTSOCK, zmq_socket_monitor_versioned(nullptr, at.c_str(), 1, 2, ZMQ_PAIR) == 0 ? 0 : zmq_errno());
    EXPECT_EQ(0, outcome(at.c_str(), 2, ZMQ_PAIR));
    socket reader = ctx_.open(ZMQ_PAIR);
    reader.connect(at);
    EXPECT_EQ(0, outcome(nullptr, 2, ZMQ_PAIR)) << "ends monitoring";
}

TEST_F(monitor_v2_test, version_1_has_no_events_beyond_16_bits)
{
    socket server = ctx_.open(ZMQ_PULL);
    EXPECT_EQ(-1, zmq_socket_monitor_versioned(server, unique_inproc().c_str(), ZMQ_EVENT_PIPES_STATS, 1, ZMQ_PAIR));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST_F(monitor_v2_test, stopped_is_the_last_event)
{
    socket server = ctx_.open(ZMQ_PULL);
    socket reader = watch(server);
    ASSERT_EQ(0, zmq_socket_monitor(server, nullptr, 0));
    const event_v2 event = parse(reader.recv_parts());
    EXPECT_EQ(static_cast<std::uint64_t>(ZMQ_EVENT_MONITOR_STOPPED), event.number);
    EXPECT_EQ("", event.local);
    EXPECT_EQ("", event.remote);
}

TEST_F(monitor_v2_test, pipe_statistics_count_queued_messages)
{
    socket server = ctx_.open(ZMQ_PULL);
    socket client = ctx_.open(ZMQ_PUSH);
    socket reader = watch(client, ZMQ_EVENT_PIPES_STATS);
    raw_listener nobody;
    const std::string endpoint = nobody.endpoint();
    nobody.close();
    client.connect(endpoint);  // the pipe is there at once, the peer never
    constexpr std::uint64_t count = 7;
    for (std::uint64_t i = 0; i < count; ++i) client.send("queued");
    ASSERT_EQ(0, zmq_socket_monitor_pipes_stats(client)) << zmq_strerror(zmq_errno());
    // The figures come once the other side of the pipe has answered and the socket is used again.
    for (int tries = 0; tries < 1000 && !reader.readable(10); ++tries) client.get_int(ZMQ_EVENTS);
    const event_v2 event = parse(reader.recv_parts());
    EXPECT_EQ(static_cast<std::uint64_t>(ZMQ_EVENT_PIPES_STATS), event.number);
    ASSERT_EQ(2U, event.values.size());
    EXPECT_EQ(count, event.values[0]) << "egress";
    EXPECT_EQ(0U, event.values[1]) << "ingress";
}

TEST_F(monitor_v2_test, pipe_statistics_do_not_count_what_has_gone_out)
{
    socket server = ctx_.open(ZMQ_PULL), client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_SNDHWM, 500);
    socket reader = watch(client, ZMQ_EVENT_PIPES_STATS);
    client.connect(server.bind("tcp://127.0.0.1:*"));
    const auto queued = [&]() -> std::uint64_t {
        EXPECT_EQ(0, zmq_socket_monitor_pipes_stats(client)) << zmq_strerror(zmq_errno());
        return parse(reader.recv_parts()).values.at(0);
    };
    for (const int count : {1, 7, 250, 493, 501}) {  // the reader gives credit for 250 at a time
        for (int i = 0; i < count; ++i) {
            client.send("x");
            EXPECT_EQ("x", server.recv());
        }
        // The thread that has written the last one may be about to find that there is no more.
        EXPECT_TRUE(eventually([&] { return queued() == 0; })) << count << " sent, queued: " << queued();
    }
}

TEST_F(monitor_v2_test, pipe_statistics_name_both_ends)
{
    socket server = ctx_.open(ZMQ_PULL), client = ctx_.open(ZMQ_PUSH);
    socket server_events = watch(server, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_PIPES_STATS);
    socket client_events = watch(client, ZMQ_EVENT_CONNECTED | ZMQ_EVENT_PIPES_STATS);
    client.connect(server.bind("tcp://127.0.0.1:*"));
    client.send("x");
    EXPECT_EQ("x", server.recv());
    const event_v2 accepted = parse(server_events.recv_parts()), connected = parse(client_events.recv_parts());
    EXPECT_TRUE(accepted.remote.starts_with("tcp://127.0.0.1:")) << accepted.remote;
    ASSERT_EQ(0, zmq_socket_monitor_pipes_stats(server)) << zmq_strerror(zmq_errno());
    const event_v2 bound = parse(server_events.recv_parts());
    EXPECT_EQ(accepted.local, bound.local);
    EXPECT_EQ(accepted.remote, bound.remote);
    ASSERT_EQ(0, zmq_socket_monitor_pipes_stats(client)) << zmq_strerror(zmq_errno());
    const event_v2 made = parse(client_events.recv_parts());
    EXPECT_EQ(connected.local, made.local);
    EXPECT_EQ(connected.remote, made.remote);
}

TEST_F(monitor_v2_test, pipe_statistics_need_a_monitor_and_a_peer)
{
    socket client = ctx_.open(ZMQ_PUSH);
    EXPECT_EQ(-1, zmq_socket_monitor_pipes_stats(nullptr));
    EXPECT_EQ(ENOTSOCK, zmq_errno());
    EXPECT_EQ(-1, zmq_socket_monitor_pipes_stats(client));
    EXPECT_EQ(EINVAL, zmq_errno()) << "not monitored";
    socket reader = watch(client);
    EXPECT_EQ(-1, zmq_socket_monitor_pipes_stats(client));
    EXPECT_EQ(EAGAIN, zmq_errno()) << "no peers";
}

TEST_F(monitor_v2_test, reader_that_does_not_read_holds_up_nobody)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor unread(ctx_, server);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    for (int i = 0; i < 2000; ++i) {
        raw_peer peer = raw_peer::connect_to(endpoint);
        if (i % 50 == 0) peer.read_bytes(10);
    }
    socket client = ctx_.open(ZMQ_PUSH);
    client.connect(endpoint);
    client.send("through");
    EXPECT_EQ("through", server.recv());
}

}  // namespace
}  // namespace zlink::test
