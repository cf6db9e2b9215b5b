// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CLIENT, SERVER and PEER: messages of one frame; the number in a message names the peer.
#include "joined_sockets.hpp"
#include "pattern/client.hpp"
#include "pattern/routing/message_forms.hpp"
#include "pattern/routing/numbered_peers.hpp"
#include "pattern/server.hpp"

#include <list>
#include <set>

namespace zlink::pattern::test {
namespace {

errc send_to(socket& from, std::uint32_t number, std::string_view body, bool more = false)
{
    from.pump();
    message::owned_frame f;
    EXPECT_TRUE(f.init_copy_of(body.data(), body.size()));
    f.set_routing_id(number);
    return from->send(pipe::outgoing::of(f, more));
}

struct numbered {
    std::uint32_t number = 0;
    std::string body = "(nothing)";

    bool operator==(const numbered&) const = default;
};

numbered receive(socket& at)
{
    message::owned_frame f;
    if (at.receive_frame(f) != errc::none) return {};
    EXPECT_FALSE(f.more());
    return {f.routing_id(), {reinterpret_cast<const char*>(f.data()), f.size()}};
}

TEST(client_server_test, the_number_of_the_sender_leads_back_to_it)
{
    socket server(SERVER), one(CLIENT), two(CLIENT);
    ASSERT_TRUE(join(one, server));
    ASSERT_TRUE(join(two, server));
    EXPECT_EQ(errc::none, one.send("from one"));
    EXPECT_EQ(errc::none, two.send("from two"));
    const numbered first = receive(server), second = receive(server);
    EXPECT_EQ("from one", first.body);
    EXPECT_EQ("from two", second.body);
    EXPECT_NE(0u, first.number);
    EXPECT_NE(first.number, second.number);
    EXPECT_EQ(errc::none, send_to(server, second.number, "to two"));
    EXPECT_EQ(errc::none, send_to(server, first.number, "to one"));
    EXPECT_EQ((numbered{0, "to one"}), receive(one));
    EXPECT_EQ((numbered{0, "to two"}), receive(two));
    EXPECT_EQ(numbered{}, receive(server));
}

TEST(client_server_test, octets_alone_lose_the_number)
{
    socket server(SERVER), client(CLIENT);
    ASSERT_TRUE(join(client, server));
    EXPECT_EQ(errc::none, client.send("x"));
    server.pump();
    char octet = 0;
    pipe::delivery to(&octet, 1);
    EXPECT_EQ(errc::none, server->receive(to));
    EXPECT_EQ('x', octet);
    EXPECT_EQ(errc::host_unreachable, server.send("x"));
}

TEST(client_server_test, unknown_numbers_are_unreachable)
{
    socket server(SERVER), client(CLIENT);
    EXPECT_EQ(errc::host_unreachable, send_to(server, 1, "x"));
    ASSERT_TRUE(join(client, server));
    client.send("x");
    const std::uint32_t number = receive(server).number;
    EXPECT_EQ(errc::host_unreachable, send_to(server, number + 1, "x"));
    EXPECT_EQ(errc::host_unreachable, send_to(server, 0, "x"));
    EXPECT_TRUE(server.can_send());
    client.disconnect(client.end());
    EXPECT_EQ(errc::host_unreachable, server->send(pipe::outgoing{nullptr, 0, false}));
    EXPECT_EQ(errc::host_unreachable, send_to(server, number, "x"));
}

TEST(client_server_test, a_full_peer_does_not_stop_others)
{
    socket server(SERVER), full(CLIENT), other(CLIENT);
    ASSERT_TRUE(join(full, server, {.hwm = 1}));
    ASSERT_TRUE(join(other, server, {.hwm = 1}));
    full.send("full");
    other.send("other");
    const std::uint32_t number = receive(server).number, others = receive(server).number;
    EXPECT_EQ(errc::none, send_to(server, number, "1"));
    EXPECT_EQ(errc::again, send_to(server, number, "2"));
    EXPECT_TRUE(server.can_send());
    EXPECT_EQ(errc::none, send_to(server, others, "3"));
    EXPECT_EQ((numbered{0, "1"}), receive(full));
    EXPECT_EQ(errc::none, send_to(server, number, "2"));
}

TEST(client_server_test, several_frames_are_refused)
{
    socket server(SERVER), client(CLIENT);
    ASSERT_TRUE(join(client, server));
    EXPECT_EQ(errc::invalid_argument, client.send_frame("first", true));
    EXPECT_EQ(errc::none, client.send("x"));
    const std::uint32_t number = receive(server).number;
    EXPECT_EQ(errc::invalid_argument, send_to(server, number, "first", true));
    EXPECT_EQ(errc::none, send_to(server, number, "whole"));
    EXPECT_EQ((numbered{0, "whole"}), receive(client));
    EXPECT_EQ(numbered{}, receive(client));
}

TEST(client_server_test, messages_of_several_frames_from_a_peer_are_dropped)
{
    for (const socket_type type : {SERVER, CLIENT, PEER}) {
        socket s(type);
        wire peer(s);
        peer.send({"a", "b", "c"});
        EXPECT_FALSE(s.can_receive());
        peer.send({"a", "b"});
        peer.send({"1"});
        EXPECT_TRUE(s.can_receive());
        EXPECT_EQ("1", receive(s).body);
        EXPECT_EQ(numbered{}, receive(s));
    }
}

TEST(client_server_test, a_client_sends_and_receives_in_turn)
{
    socket client(CLIENT);
    EXPECT_EQ(errc::again, client.send("x"));
    EXPECT_FALSE(client.can_send());
    std::list<socket> servers;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(join(client, servers.emplace_back(SERVER)));
    for (int i = 0; i < 6; ++i) EXPECT_EQ(errc::none, client.send(std::to_string(i)));
    for (int round = 0; round < 2; ++round) {
        int n = round * 3;
        for (socket& server : servers) {
            const numbered got = receive(server);
            EXPECT_EQ(std::to_string(n++), got.body);
            EXPECT_EQ(errc::none, send_to(server, got.number, "answer"));
        }
    }
    for (int i = 0; i < 6; ++i) EXPECT_EQ((numbered{0, "answer"}), receive(client));
}

TEST(client_server_test, what_a_departed_client_sent_is_received)
{
    socket server(SERVER), client(CLIENT);
    ASSERT_TRUE(join(client, server));
    client.send("1");
    client.send("2");
    client.disconnect(client.end());
    const numbered first = receive(server);
    EXPECT_EQ("1", first.body);
    EXPECT_EQ((numbered{first.number, "2"}), receive(server));
    EXPECT_EQ(numbered{}, receive(server));
    EXPECT_EQ(0u, server.pipes());
}

TEST(client_server_test, a_departure_is_told_with_the_number)
{
    pattern_options options;
    options.disconnect_message = "gone";
    socket server(SERVER, options), client(CLIENT);
    ASSERT_TRUE(join(client, server));
    client.send("last");
    client.disconnect(client.end());
    EXPECT_TRUE(server.can_receive());
    const numbered last = receive(server);
    EXPECT_EQ("last", last.body);
    EXPECT_TRUE(server.can_receive());
    EXPECT_EQ((numbered{last.number, "gone"}), receive(server));
    EXPECT_EQ(numbered{}, receive(server));

    options.disconnect_message = "left";
    server->options_changed(options);
    socket later(CLIENT);
    ASSERT_TRUE(join(later, server));
    later.disconnect(later.end());
    EXPECT_EQ("left", receive(server).body);
}

TEST(client_server_test, a_peer_that_was_connected_to_departs_untold)
{
    pattern_options options;
    options.disconnect_message = "gone";
    socket peer(PEER, options), other(PEER);
    ASSERT_TRUE(join(peer, other));
    other.disconnect(other.end());
    EXPECT_EQ(numbered{}, receive(peer));
    EXPECT_EQ(0u, peer.pipes());
}

TEST(client_server_test, a_disconnected_peer_is_unreachable_and_unread)
{
    socket server(SERVER), client(CLIENT);
    ASSERT_TRUE(join(client, server));
    client.send("1");
    client.send("2");
    const std::uint32_t number = receive(server).number;
    EXPECT_EQ(errc::host_unreachable, server->disconnect_peer(number + 1));
    EXPECT_EQ(errc::none, server->disconnect_peer(number));
    EXPECT_EQ(0u, server.pipes());
    EXPECT_EQ(errc::host_unreachable, send_to(server, number, "x"));
    EXPECT_EQ(errc::host_unreachable, server->disconnect_peer(number));
    EXPECT_EQ(numbered{}, receive(server));
    client.pump();
    EXPECT_EQ(0u, client.pipes());
}

TEST(client_server_test, other_types_have_no_numbers)
{
    socket router(ROUTER);
    EXPECT_EQ(errc::not_supported, router->disconnect_peer(1));
    EXPECT_EQ(0u, router->last_connected());
    socket server(SERVER);
    EXPECT_EQ(errc::not_supported, server->state_of("x").error());
}

TEST(peer_test, tells_the_number_of_the_peer_that_it_connected_to_last)
{
    socket one(PEER), two(PEER), three(PEER);
    EXPECT_EQ(0u, one->last_connected());
    ASSERT_TRUE(join(one, two));
    const std::uint32_t to_two = one->last_connected();
    ASSERT_TRUE(join(three, one));
    EXPECT_EQ(to_two, one->last_connected());
    EXPECT_EQ(0u, two->last_connected());
    EXPECT_EQ(errc::none, send_to(one, to_two, "first word"));
    const numbered got = receive(two);
    EXPECT_EQ("first word", got.body);
    EXPECT_EQ(errc::none, send_to(two, got.number, "answer"));
    EXPECT_EQ((numbered{to_two, "answer"}), receive(one));
}

TEST(peer_test, numbers_differ)
{
    socket peer(PEER);
    std::list<socket> others;
    std::set<std::uint32_t> numbers;
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(join(peer, others.emplace_back(PEER)));
        numbers.insert(peer->last_connected());
    }
    EXPECT_EQ(100u, numbers.size());
    EXPECT_FALSE(numbers.contains(0));
}

TEST(client_server_test, dormant_pipes_wake_by_their_event)
{
    socket server(SERVER), client(CLIENT);
    ASSERT_TRUE(join(client, server));
    EXPECT_EQ(numbered{}, receive(server));
    EXPECT_FALSE(server.sleep());
    client.send("x");
    EXPECT_EQ("x", receive(server).body);
    EXPECT_EQ(numbered{}, receive(client));
    EXPECT_FALSE(client.sleep());
}

TEST(router_test, tells_the_state_of_each_peer)
{
    socket router(ROUTER), full(DEALER), other(DEALER);
    ASSERT_TRUE(join(full, router, {.hwm = 1, .name = "full"}));
    ASSERT_TRUE(join(other, router, {.name = "other"}));
    EXPECT_EQ(errc::none, router.send({"full", "x"}));
    other.send("x");
    router.pump();
    const auto of_full = router->state_of("full"), of_other = router->state_of("other");
    ASSERT_TRUE(of_full && of_other);
    EXPECT_FALSE(of_full->can_send);
    EXPECT_FALSE(of_full->can_receive);
    EXPECT_TRUE(of_other->can_send);
    EXPECT_TRUE(of_other->can_receive);
    EXPECT_EQ(errc::host_unreachable, router->state_of("nobody").error());
    other.disconnect(other.end());
    EXPECT_EQ(errc::host_unreachable, router->state_of("other").error());
}

}  // namespace
}  // namespace zlink::pattern::test
