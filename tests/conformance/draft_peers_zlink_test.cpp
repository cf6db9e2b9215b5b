// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The draft socket types with scripted peers: commands of groups, messages against the rules, lost connections.
#include "conformance/draft_fixture.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

class draft_peers_test : public zmq_test {
protected:
    raw_peer peer_of(const std::string& endpoint, const std::string& type, zmtp_version version = zmtp_version::v3_1)
    {
        raw_peer peer = raw_peer::connect_to(endpoint);
        peer.handshake(version, type);
        return peer;
    }

    // The port may still be that of a socket that was closed a moment ago.
    static std::string bind_again(socket& s, const std::string& endpoint)
    {
        EXPECT_TRUE(eventually([&] { return zmq_bind(s, endpoint.c_str()) == 0; }));
        return s.last_endpoint();
    }
};

TEST_F(draft_peers_test, groups_are_commands_and_messages_have_two_frames)
{
    for (const zmtp_version version : {zmtp_version::v3_0, zmtp_version::v3_1}) {
        socket radio = ctx_.open(ZMQ_RADIO);
        raw_peer dish = peer_of(radio.bind("tcp://127.0.0.1:*"), "DISH", version);
        dish.send_command("JOIN", "group");
        dish.send_command("JOIN", "other");
        dish.send_command("LEAVE", "other");
        dish.send_command("JOIN", "last");
        while (send_message(radio, {"sync", 0, "last"}) == 0 && dish.is_silent_for(std::chrono::milliseconds(10))) {
        }
        EXPECT_EQ((std::vector<std::string>{"last", "sync"}), dish.read_message());
        EXPECT_EQ(0, send_message(radio, {"no", 0, "other"}));
        EXPECT_EQ(0, send_message(radio, {"body", 0, "group"}));
        std::vector<std::string> got;
        while ((got = dish.read_message()) == std::vector<std::string>{"last", "sync"}) {
        }
        EXPECT_EQ((std::vector<std::string>{"group", "body"}), got);
    }
}

TEST_F(draft_peers_test, a_dish_joins_and_leaves_by_commands)
{
    for (const zmtp_version version : {zmtp_version::v3_0, zmtp_version::v3_1}) {
        socket dish = ctx_.open(ZMQ_DISH);
        EXPECT_EQ(0, zmq_join(dish, "early"));
        raw_peer radio = peer_of(dish.bind("tcp://127.0.0.1:*"), "RADIO", version);
        while (radio.is_silent_for(std::chrono::milliseconds(1))) {
            dish.get_int(ZMQ_EVENTS);  // takes up the new peer
        }
        EXPECT_EQ(std::string("early"), radio.read_command("JOIN").data());
        EXPECT_EQ(0, zmq_join(dish, "late"));
        EXPECT_EQ(std::string("late"), radio.read_command("JOIN").data());
        EXPECT_EQ(0, zmq_leave(dish, "early"));
        EXPECT_EQ(std::string("early"), radio.read_command("LEAVE").data());
        radio.send_message({"early", "no"});
        radio.send_message({"late"});
        radio.send_message({"late", "no", "no"});
        radio.send_message({std::string(256, 'g'), "no"});
        radio.send_message({"late", "yes"});
        EXPECT_EQ((draft_message{"yes", 0, "late"}), receive_message(dish));
        expect_no_message(dish);
    }
}

TEST_F(draft_peers_test, groups_against_the_rules_end_the_connection)
{
    const std::string too_long(ZMQ_GROUP_MAX_LENGTH + 1, 'g');
    struct mistake {
        int type;
        const char* peer;
        const char* command;
        std::string data;
    };
    for (const mistake& m :
         {mistake{ZMQ_RADIO, "DISH", "JOIN", too_long}, mistake{ZMQ_RADIO, "DISH", "LEAVE", too_long},
          mistake{ZMQ_RADIO, "DISH", "SUBSCRIBE", "g"}, mistake{ZMQ_DISH, "RADIO", "JOIN", "g"},
          mistake{ZMQ_PUB, "SUB", "JOIN", "g"}, mistake{ZMQ_SERVER, "CLIENT", "LEAVE", "g"}}) {
        socket s = ctx_.open(m.type);
        monitor events(ctx_, s, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_DISCONNECTED);
        raw_peer peer = peer_of(s.bind("tcp://127.0.0.1:*"), m.peer);
        peer.send_command(m.command, m.data);
        const auto told = events.next();
        ASSERT_TRUE(told) << m.peer << ' ' << m.command;
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, told->event) << m.peer << ' ' << m.command;
    }
}

TEST_F(draft_peers_test, messages_of_several_frames_are_dropped)
{
    const std::pair<int, const char*> types[] = {{ZMQ_GATHER, "SCATTER"},
                                                 {ZMQ_CLIENT, "SERVER"},
                                                 {ZMQ_SERVER, "CLIENT"},
                                                 {ZMQ_PEER, "PEER"},
                                                 {ZMQ_CHANNEL, "CHANNEL"}};
    for (const auto& [type, other] : types) {
        socket s = ctx_.open(type);
        raw_peer peer = peer_of(s.bind("tcp://127.0.0.1:*"), other);
        peer.send_message({"a", "b", "c"});
        peer.send_message({"a", "b"});
        peer.send_message({"whole"});
        EXPECT_EQ("whole", receive_message(s).body) << other;
        expect_no_message(s);
    }
}

// More than a call drops: those that wait go on, by a receive or a poll.
TEST_F(draft_peers_test, a_flood_of_dropped_messages_does_not_hide_the_one_behind_it)
{
    for (const auto& [type, other] : {std::pair{ZMQ_GATHER, "SCATTER"}, std::pair{ZMQ_SUB, "PUB"}}) {
        socket s = ctx_.open(type);
        s.set(ZMQ_RCVHWM, 0);
        if (type == ZMQ_SUB) s.subscribe("wanted");
        raw_peer peer = peer_of(s.bind("tcp://127.0.0.1:*"), other);
        std::string flood;
        for (int i = 0; i < 30'000; ++i) flood.append(zmtp_frame("two", more_bit)).append(zmtp_frame("frames"));
        peer.send_bytes(flood + zmtp_frame("wanted 1"));
        EXPECT_EQ("wanted 1", s.recv()) << other;
        peer.send_bytes(flood + zmtp_frame("wanted 2"));
        EXPECT_TRUE(s.wait(ZMQ_POLLIN)) << other;
        EXPECT_EQ("wanted 2", s.recv()) << other;
    }
}

TEST_F(draft_peers_test, peers_of_other_types_and_old_versions_are_refused)
{
    const std::pair<zmtp_version, const char*> misfits[] = {{zmtp_version::v3_1, "DEALER"},
                                                            {zmtp_version::v3_1, "SERVER"},
                                                            {zmtp_version::v2_0, "DEALER"},
                                                            {zmtp_version::v1_0, ""}};
    for (const auto& [version, type] : misfits) {
        socket server = ctx_.open(ZMQ_SERVER);
        monitor events(ctx_, server, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        raw_peer peer = raw_peer::connect_to(server.bind("tcp://127.0.0.1:*"));
        try {
            peer.handshake(version, type);
        } catch (const raw_peer_error&) {
            // The connection may have ended before its handshake.
        }
        const auto told = events.next();
        ASSERT_TRUE(told) << type;
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, told->event) << type;
    }
}

TEST_F(draft_peers_test, a_dish_joins_again_after_a_reconnect)
{
    socket dish = ctx_.open(ZMQ_DISH);
    dish.set(ZMQ_RECONNECT_IVL, 10);
    EXPECT_EQ(0, zmq_join(dish, "g"));
    std::string endpoint = "tcp://127.0.0.1:*";
    for (int i = 0; i < 2; ++i) {
        socket radio = ctx_.open(ZMQ_RADIO);
        endpoint = bind_again(radio, endpoint);
        if (i == 0) dish.connect(endpoint);
        await_member(radio, dish, "g");
    }
}

TEST_F(draft_peers_test, a_peer_connects_again_under_the_same_number)
{
    socket one = ctx_.open(ZMQ_PEER);
    one.set(ZMQ_RECONNECT_IVL, 10);
    one.set(ZMQ_HICCUP_MSG, "hiccup");
    std::string endpoint = "tcp://127.0.0.1:*";
    std::uint32_t number = 0;
    for (int i = 0; i < 2; ++i) {
        socket two = ctx_.open(ZMQ_PEER);
        endpoint = bind_again(two, endpoint);
        if (i == 0) number = zmq_connect_peer(one, endpoint.c_str());
        EXPECT_EQ(0, send_message(one, {"x", number}));
        const draft_message got = receive_message(two);
        EXPECT_EQ("x", got.body);
        EXPECT_EQ(0, send_message(two, {"y", got.number}));
        EXPECT_EQ((draft_message{"y", number}), receive_message(one));
        two.close();
        EXPECT_EQ((draft_message{"hiccup", number}), receive_message(one));
    }
}

}  // namespace
}  // namespace zlink::test
