// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers of every ZMTP version, scripted byte by byte, as clients and as servers.

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <algorithm>

namespace zlink::test {
namespace {

using zlink::test::socket;

/// What the library is in a test: the side that binds or the side that connects.
enum class role { listener, connector };

struct version_case {
    zmtp_version version;
    role side;
};

std::ostream& operator<<(std::ostream& out, const version_case& instance)
{
    return out << "version " << static_cast<int>(instance.version) << ", side " << static_cast<int>(instance.side);
}

std::string name_of(const ::testing::TestParamInfo<version_case>& instance)
{
    static const char* const versions[] = {"V1_0", "V2_0", "V3_0", "V3_1"};
    return std::string(versions[static_cast<int>(instance.param.version)]) +
           (instance.param.side == role::listener ? "Connecting" : "Listening");
}

class versions_test : public zmq_test, public ::testing::WithParamInterface<version_case> {
protected:
    zmtp_version version() const { return GetParam().version; }
    bool is_version_3() const { return version() == zmtp_version::v3_0 || version() == zmtp_version::v3_1; }

    /// Lets a raw peer and `s` meet, in the roles of the test; the handshake is the caller's.
    raw_peer meet(socket& s)
    {
        if (GetParam().side == role::listener) return raw_peer::connect_to(s.bind("tcp://127.0.0.1:*"));
        s.set(ZMQ_RECONNECT_IVL, 20);
        s.connect(listener_.endpoint());
        return listener_.accept();
    }

    /// Waits until the peer has something to read. A socket that binds learns of a new peer, and sends it what it has
    /// to send first, when the application calls into it. So this does.
    static void await_bytes(raw_peer& peer, socket& s)
    {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
        while (peer.is_silent_for(std::chrono::milliseconds(5)) && std::chrono::steady_clock::now() < deadline) {
            (void)s.get_int(ZMQ_EVENTS);
        }
    }

    raw_listener listener_;
};

TEST_F(zmq_test, greeting_ready_and_a_message_may_come_in_one_piece)
{
    socket pull = ctx_.open(ZMQ_PULL);
    raw_peer peer = raw_peer::connect_to(pull.bind("tcp://127.0.0.1:*"));
    peer.send_bytes(zmtp3_greeting() + zmtp_ready("PUSH") + zmtp_frame("at once"));
    EXPECT_EQ("at once", pull.recv());
    (void)peer.read_bytes(64);
    EXPECT_EQ("READY", peer.read_frame().name());
}

TEST_P(versions_test, greeting_tells_the_socket_type)
{
    socket s = ctx_.open(ZMQ_DEALER);
    raw_peer peer = meet(s);
    const auto facts = peer.handshake(version(), "DEALER");
    EXPECT_EQ('\xff', facts.greeting[0]);
    EXPECT_EQ('\x7f', facts.greeting[9]);
    if (version() == zmtp_version::v2_0) {
        EXPECT_LE(1, facts.greeting[10]) << "revision";
        EXPECT_EQ(raw_peer::socket_type_octet("DEALER"), facts.socket_type[0]);
    }
    if (is_version_3()) {
        EXPECT_EQ(3, facts.greeting[10]);
        EXPECT_EQ(1, facts.greeting[11]);
        EXPECT_EQ(std::string("NULL").append(16, '\0'), facts.greeting.substr(12, 20));
        EXPECT_EQ(std::string(32, '\0'), facts.greeting.substr(32)) << "as-server and filler";
        EXPECT_EQ("DEALER", facts.socket_type);
        EXPECT_EQ("", facts.identity);
    }
}

TEST_P(versions_test, handshake_tells_the_routing_id)
{
    socket s = ctx_.open(ZMQ_DEALER);
    s.set(ZMQ_ROUTING_ID, "dealer-7");
    raw_peer peer = meet(s);
    EXPECT_EQ("dealer-7", peer.handshake(version(), "ROUTER").identity);
}

TEST_P(versions_test, messages_go_both_ways)
{
    socket s = ctx_.open(ZMQ_PAIR);
    raw_peer peer = meet(s);
    peer.handshake(version(), "PAIR");
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{253}, std::size_t{254}, std::size_t{255},
                                   std::size_t{256}, std::size_t{1000}, std::size_t{100000}}) {
        const std::string body(size, 'v');
        peer.send_message({body});
        EXPECT_TRUE(body == s.recv()) << size;
        s.send(body);
        EXPECT_TRUE(parts{body} == peer.read_message()) << size;
    }
}

TEST_P(versions_test, multipart_stays_multipart)
{
    socket s = ctx_.open(ZMQ_PAIR);
    raw_peer peer = meet(s);
    peer.handshake(version(), "PAIR");
    const parts message{"one", "", std::string(300, '3'), "four"};
    peer.send_message(message);
    EXPECT_EQ(message, s.recv_parts());
    s.send_parts(message);
    EXPECT_EQ(message, peer.read_message());
}

TEST_P(versions_test, frames_may_arrive_byte_by_byte)
{
    socket s = ctx_.open(ZMQ_PAIR);
    raw_peer peer = meet(s);
    peer.handshake(version(), "PAIR");
    const std::string frames = version() == zmtp_version::v1_0
                                   ? zmtp1_frame("first", true) + zmtp1_frame(std::string(260, 'l'))
                                   : zmtp_frame("first", more_bit) + zmtp_frame(std::string(260, 'l'));
    for (const char byte : frames) peer.send_bytes(std::string(1, byte));
    EXPECT_EQ((parts{"first", std::string(260, 'l')}), s.recv_parts());
}

TEST_P(versions_test, router_knows_the_peer_by_its_identity)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    raw_peer peer = meet(router);
    peer.handshake(version(), "DEALER", "peer-9");
    peer.send_message({"hello"});
    EXPECT_EQ((parts{"peer-9", "hello"}), router.recv_parts());
    router.send_parts({"peer-9", "world"});
    EXPECT_EQ(parts{"world"}, peer.read_message());
}

TEST_P(versions_test, router_names_an_anonymous_peer_itself)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    raw_peer peer = meet(router);
    peer.handshake(version(), "DEALER");
    peer.send_message({"hello"});
    const parts message = router.recv_parts();
    ASSERT_EQ(2U, message.size());
    EXPECT_EQ(5U, message[0].size());
    EXPECT_EQ('\0', message[0][0]) << "reserved for names the library gives";
    EXPECT_EQ("hello", message[1]);
}

TEST_P(versions_test, requests_are_answered)
{
    socket rep = ctx_.open(ZMQ_REP);
    raw_peer peer = meet(rep);
    peer.handshake(version(), "REQ");
    peer.send_message({"", "question"});
    EXPECT_EQ("question", rep.recv());
    rep.send("answer");
    EXPECT_EQ((parts{"", "answer"}), peer.read_message());
}

TEST_P(versions_test, subscriptions_travel_in_the_form_the_version_knows)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("topic");
    raw_peer peer = meet(sub);
    peer.handshake(version(), "PUB");
    await_bytes(peer, sub);
    if (version() == zmtp_version::v3_1) {
        const raw_frame subscribe = peer.read_frame();
        EXPECT_EQ(command_bit, subscribe.flags);
        EXPECT_EQ("SUBSCRIBE", subscribe.name());
        EXPECT_EQ("topic", subscribe.data());
        sub.unsubscribe("topic");
        const raw_frame cancel = peer.read_frame();
        EXPECT_EQ(command_bit, cancel.flags);
        EXPECT_EQ("CANCEL", cancel.name());
        EXPECT_EQ("topic", cancel.data());
    } else {
        EXPECT_EQ(parts{std::string("\x01topic")}, peer.read_message());
        sub.unsubscribe("topic");
        EXPECT_EQ(parts{std::string("\0topic", 6)}, peer.read_message());
    }
}

TEST_P(versions_test, subscribed_messages_arrive)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("yes");
    raw_peer peer = meet(sub);
    peer.handshake(version(), "PUB");
    await_bytes(peer, sub);
    (void)peer.read_frame();
    peer.send_message({"no"});
    peer.send_message({"yes", "body"});
    EXPECT_EQ((parts{"yes", "body"}), sub.recv_parts()) << "SUB filters on its own side, too";
}

TEST_P(versions_test, publisher_takes_subscriptions_as_messages)
{
    socket pub = ctx_.open(ZMQ_XPUB);
    raw_peer peer = meet(pub);
    peer.handshake(version(), "SUB");
    if (version() == zmtp_version::v1_0) {  // subscribers of that time filter what they get and ask for nothing
        EXPECT_EQ(std::string(1, '\x01'), pub.recv()) << "subscribed to everything";
        pub.send("anything");
        EXPECT_EQ(parts{"anything"}, peer.read_message());
        return;
    }
    peer.send_message({"\x01topic"});
    EXPECT_EQ("\x01topic", pub.recv());
    pub.send("other");
    pub.send("topic!");
    EXPECT_EQ(parts{"topic!"}, peer.read_message());
    peer.send_message({std::string("\0topic", 6)});
    EXPECT_EQ(std::string("\0topic", 6), pub.recv());
}

TEST_P(versions_test, publisher_takes_subscriptions_as_commands)
{
    if (version() != zmtp_version::v3_1) return;  // older versions have no such commands
    socket pub = ctx_.open(ZMQ_XPUB);
    raw_peer peer = meet(pub);
    peer.handshake(version(), "SUB");
    peer.send_command("SUBSCRIBE", "topic");
    EXPECT_EQ("\x01topic", pub.recv());
    pub.send("other");
    pub.send("topic!");
    EXPECT_EQ(parts{"topic!"}, peer.read_message());
    peer.send_command("CANCEL", "topic");
    EXPECT_EQ(std::string("\0topic", 6), pub.recv());
    peer.send_command("SUBSCRIBE");
    EXPECT_EQ(std::string(1, '\x01'), pub.recv()) << "an empty prefix";
    pub.send("anything");
    EXPECT_EQ(parts{"anything"}, peer.read_message());
}

TEST_P(versions_test, connections_end_and_come_again)
{
    socket s = ctx_.open(ZMQ_PULL);
    std::string endpoint;
    if (GetParam().side == role::listener) {
        endpoint = s.bind("tcp://127.0.0.1:*");
    } else {
        s.set(ZMQ_RECONNECT_IVL, 10);
        s.connect(listener_.endpoint());
    }
    for (int round = 0; round < 3; ++round) {
        raw_peer peer = endpoint.empty() ? listener_.accept() : raw_peer::connect_to(endpoint);
        peer.handshake(version(), "PUSH");
        peer.send_message({"round " + std::to_string(round)});
        EXPECT_EQ("round " + std::to_string(round), s.recv());
    }
}

INSTANTIATE_TEST_SUITE_P(peers, versions_test,
                         ::testing::Values(version_case{zmtp_version::v1_0, role::listener},
                                           version_case{zmtp_version::v1_0, role::connector},
                                           version_case{zmtp_version::v2_0, role::listener},
                                           version_case{zmtp_version::v2_0, role::connector},
                                           version_case{zmtp_version::v3_0, role::listener},
                                           version_case{zmtp_version::v3_0, role::connector},
                                           version_case{zmtp_version::v3_1, role::listener},
                                           version_case{zmtp_version::v3_1, role::connector}),
                         name_of);

class greeting_test : public zmq_test {};

TEST_F(greeting_test, may_arrive_byte_by_byte)
{
    socket s = ctx_.open(ZMQ_PULL);
    raw_peer peer = raw_peer::connect_to(s.bind("tcp://127.0.0.1:*"));
    for (const char byte : zmtp3_greeting() + zmtp_ready("PUSH")) peer.send_bytes(std::string(1, byte));
    EXPECT_EQ(64U, peer.read_bytes(64).size());
    EXPECT_EQ("READY", peer.read_frame().name());
    peer.send_message({"hello"});
    EXPECT_EQ("hello", s.recv());
}

TEST_F(greeting_test, later_minor_versions_speak_as_this_one)
{
    socket s = ctx_.open(ZMQ_PULL);
    raw_peer peer = raw_peer::connect_to(s.bind("tcp://127.0.0.1:*"));
    peer.send_bytes(zmtp3_greeting(9));
    EXPECT_EQ(64U, peer.read_bytes(64).size());
    peer.send_bytes(zmtp_ready("PUSH"));
    EXPECT_EQ("READY", peer.read_frame().name());
    peer.send_message({"hello"});
    EXPECT_EQ("hello", s.recv());
}

TEST_F(greeting_test, each_side_sends_its_signature_unasked)
{
    socket s = ctx_.open(ZMQ_PULL);
    raw_peer peer = raw_peer::connect_to(s.bind("tcp://127.0.0.1:*"));
    const std::string signature = peer.read_bytes(10);
    EXPECT_EQ('\xff', signature[0]);
    EXPECT_EQ('\x7f', signature[9]);
}

TEST_F(greeting_test, signature_padding_may_hold_anything)
{
    socket s = ctx_.open(ZMQ_PULL);
    raw_peer peer = raw_peer::connect_to(s.bind("tcp://127.0.0.1:*"));
    std::string greeting = zmtp3_greeting();
    greeting.replace(1, 8, std::string("\0\0\0\0\0\0\0\x05", 8));  // the length of an identity, as 2.x peers fill in
    peer.send_bytes(greeting);
    EXPECT_EQ(64U, peer.read_bytes(64).size());
    peer.send_bytes(zmtp_ready("PUSH"));
    EXPECT_EQ("READY", peer.read_frame().name());
    peer.send_message({"hello"});
    EXPECT_EQ("hello", s.recv());
}

TEST_F(greeting_test, ready_may_carry_unknown_properties)
{
    socket s = ctx_.open(ZMQ_PULL);
    raw_peer peer = raw_peer::connect_to(s.bind("tcp://127.0.0.1:*"));
    peer.send_bytes(zmtp3_greeting());
    EXPECT_EQ(64U, peer.read_bytes(64).size());
    peer.send_command("READY", zmtp_property("X-Colour", "blue") + zmtp_property("Socket-Type", "PUSH") +
                                   zmtp_property("Unknown", std::string(1000, 'u')));
    EXPECT_EQ("READY", peer.read_frame().name());
    peer.send_message({"hello"});
    zmq_msg_t msg;
    zmq_msg_init(&msg);
    ASSERT_EQ(5, zmq_msg_recv(&msg, s, 0));
    EXPECT_STREQ("blue", zmq_msg_gets(&msg, "X-Colour"));
    zmq_msg_close(&msg);
}

TEST_F(greeting_test, property_names_ignore_case)
{
    socket s = ctx_.open(ZMQ_PULL);
    raw_peer peer = raw_peer::connect_to(s.bind("tcp://127.0.0.1:*"));
    peer.send_bytes(zmtp3_greeting());
    EXPECT_EQ(64U, peer.read_bytes(64).size());
    peer.send_command("READY", zmtp_property("socket-TYPE", "PUSH"));
    EXPECT_EQ("READY", peer.read_frame().name());
    peer.send_message({"hello"});
    EXPECT_EQ("hello", s.recv());
}

struct type_pair {
    int ours;
    const char* our_name;
    std::vector<std::string> partners;
};

TEST_F(greeting_test, only_socket_types_that_fit_are_taken)
{
    const std::vector<type_pair> types{
        {ZMQ_PAIR, "PAIR", {"PAIR"}},
        {ZMQ_PUB, "PUB", {"SUB", "XSUB"}},
        {ZMQ_SUB, "SUB", {"PUB", "XPUB"}},
        {ZMQ_REQ, "REQ", {"REP", "ROUTER"}},
        {ZMQ_REP, "REP", {"REQ", "DEALER"}},
        {ZMQ_DEALER, "DEALER", {"REP", "DEALER", "ROUTER"}},
        {ZMQ_ROUTER, "ROUTER", {"REQ", "DEALER", "ROUTER"}},
        {ZMQ_PULL, "PULL", {"PUSH"}},
        {ZMQ_PUSH, "PUSH", {"PULL"}},
        {ZMQ_XPUB, "XPUB", {"SUB", "XSUB"}},
        {ZMQ_XSUB, "XSUB", {"PUB", "XPUB"}},
    };
    for (const type_pair& type : types) {
        socket s = ctx_.open(type.ours);
        monitor events(ctx_, s, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
        const std::string endpoint = s.bind("tcp://127.0.0.1:*");
        for (const type_pair& other : types) {
            const bool fits =
                std::find(type.partners.begin(), type.partners.end(), other.our_name) != type.partners.end();
            raw_peer peer = raw_peer::connect_to(endpoint);
            peer.send_bytes(zmtp3_greeting() + zmtp_ready(other.our_name));
            const auto event = events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
            EXPECT_EQ(fits ? ZMQ_EVENT_HANDSHAKE_SUCCEEDED : ZMQ_EVENT_DISCONNECTED, event.event)
                << type.our_name << " and " << other.our_name;
            peer.close();
            if (fits) events.await(ZMQ_EVENT_DISCONNECTED);
        }
    }
}

}  // namespace
}  // namespace zlink::test
