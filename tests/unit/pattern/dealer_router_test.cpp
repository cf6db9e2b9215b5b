// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// DEALER and ROUTER: turns on the one side, names on the other.
#include "pattern/dealer.hpp"
#include "pattern/router.hpp"

#include "joined_sockets.hpp"

#include <list>

namespace zlink::pattern::test {
namespace {

parts to(const std::string& name, const std::string& body)
{
    return {name, body};
}

TEST(dealer_test, sends_in_turn_and_receives_in_turn)
{
    socket dealer(DEALER);
    std::list<socket> peers;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(join(dealer, peers.emplace_back(DEALER)));
    for (int i = 0; i < 6; ++i) EXPECT_EQ(errc::none, dealer.send({std::to_string(i), ""}));
    for (int round = 0; round < 2; ++round) {
        int n = round * 3;
        for (socket& peer : peers) {
            EXPECT_EQ((parts{std::to_string(n++), ""}), peer.receive());
            peer.send("from " + std::to_string(n));
        }
    }
    for (int i : {1, 2, 3, 4, 5, 6}) EXPECT_EQ(parts{"from " + std::to_string(i)}, dealer.receive());
}

TEST(dealer_test, waits_without_peers)
{
    socket dealer(DEALER);
    EXPECT_EQ(errc::again, dealer.send("x"));
    EXPECT_FALSE(dealer.can_send());
    EXPECT_EQ(nothing, dealer.receive());
}

TEST(dealer_test, probes_each_peer)
{
    pattern_options options;
    options.probe_router = true;
    socket dealer(DEALER, options);
    wire peer(dealer);
    EXPECT_EQ(parts{""}, peer.receive());
    EXPECT_EQ(nothing, peer.receive());
    options.probe_router = false;
    dealer->options_changed(options);
    wire later(dealer);
    EXPECT_EQ(nothing, later.receive());
}

TEST(router_test, names_the_sender_and_sends_to_the_one_named)
{
    socket router(ROUTER), one(DEALER), two(DEALER);
    ASSERT_TRUE(join(one, router, {.name = "one"}));
    ASSERT_TRUE(join(two, router, {.name = "two"}));
    one.send({"", "a", "b"});
    two.send("");
    EXPECT_EQ((parts{"one", "", "a", "b"}), router.receive());
    EXPECT_EQ((parts{"two", ""}), router.receive());
    EXPECT_EQ(nothing, router.receive());
    EXPECT_EQ(errc::none, router.send({"two", "x", ""}));
    EXPECT_EQ(errc::none, router.send({"one", "y"}));
    EXPECT_EQ((parts{"x", ""}), two.receive());
    EXPECT_EQ(parts{"y"}, one.receive());
}

TEST(router_test, makes_names_of_five_octets_for_peers_without_one)
{
    socket router(ROUTER), one(DEALER), two(DEALER);
    ASSERT_TRUE(join(one, router));
    ASSERT_TRUE(join(two, router));
    one.send("1");
    two.send("2");
    const parts first = router.receive(), second = router.receive();
    ASSERT_EQ(5u, first[0].size());
    EXPECT_EQ('\0', first[0][0]);
    EXPECT_NE(first[0], second[0]);
    EXPECT_EQ(errc::none, router.send(to(second[0], "b")));
    EXPECT_EQ(parts{"b"}, two.receive());
}

TEST(router_test, drops_what_it_cannot_deliver)
{
    socket router(ROUTER), peer(DEALER);
    ASSERT_TRUE(join(peer, router, {.hwm = 2, .name = "peer"}));
    EXPECT_EQ(errc::none, router.send({"unknown", "a", "b"}));
    EXPECT_EQ(errc::none, router.send("peer"));
    EXPECT_TRUE(router.can_send());
    for (int i = 0; i < 5; ++i) EXPECT_EQ(errc::none, router.send({"peer", std::to_string(i), "x"}));
    EXPECT_TRUE(router.can_send());
    EXPECT_EQ((parts{"0", "x"}), peer.receive());
    EXPECT_EQ((parts{"1", "x"}), peer.receive());
    EXPECT_EQ(nothing, peer.receive());
    EXPECT_EQ(errc::none, router.send(to("peer", "later")));
    EXPECT_EQ(parts{"later"}, peer.receive());
}

TEST(router_test, mandatory_tells_what_it_cannot_deliver)
{
    pattern_options options;
    options.router_mandatory = true;
    socket router(ROUTER, options), peer(DEALER);
    EXPECT_FALSE(router.can_send());
    EXPECT_EQ(errc::host_unreachable, router.send_frame("peer", true));
    ASSERT_TRUE(join(peer, router, {.hwm = 2, .name = "peer"}));
    EXPECT_TRUE(router.can_send());
    EXPECT_EQ(errc::none, router.send(to("peer", "1")));
    EXPECT_EQ(errc::none, router.send(to("peer", "2")));
    EXPECT_EQ(errc::again, router.send_frame("peer", true));
    EXPECT_FALSE(router.can_send());
    EXPECT_EQ(errc::host_unreachable, router.send_frame("other", true));
    EXPECT_EQ(parts{"1"}, peer.receive());
    EXPECT_TRUE(router.can_send());
    EXPECT_EQ(errc::none, router.send(to("peer", "3")));
    peer.disconnect(peer.end());
    EXPECT_EQ(errc::host_unreachable, router.send_frame("peer", true));
}

TEST(router_test, hears_and_finds_a_connected_peer_only_when_it_is_identified)
{
    socket router(ROUTER);
    attachment how;
    how.locally_connected = true;
    wire peer(router, how);
    peer.send({"early"});
    EXPECT_EQ(nothing, router.receive());
    EXPECT_EQ(errc::none, router.send(to("peer", "lost")));
    router->identified(peer.near(), "peer");
    EXPECT_EQ((parts{"peer", "early"}), router.receive());
    EXPECT_EQ(errc::none, router.send(to("peer", "found")));
    EXPECT_EQ(parts{"found"}, peer.receive());
    router->identified(peer.near(), "renamed");
    EXPECT_EQ(errc::none, router.send(to("peer", "by its first name")));
    EXPECT_EQ(parts{"by its first name"}, peer.receive());
}

TEST(router_test, a_peer_never_identified_is_given_up_when_it_goes)
{
    socket router(ROUTER);
    attachment how;
    how.locally_connected = true;
    wire peer(router, how);
    peer.send({"unread"});
    peer.close();
    router.pump();
    EXPECT_EQ(0u, router.pipes());
    EXPECT_EQ(nothing, router.receive());
}

TEST(router_test, connect_routing_id_makes_a_peer_known_at_once)
{
    socket router(ROUTER);
    attachment how;
    how.locally_connected = true;
    how.connect_routing_id = "mine";
    wire peer(router, how);
    EXPECT_EQ(errc::none, router.send(to("mine", "early")));
    EXPECT_EQ(parts{"early"}, peer.receive());
    router->identified(peer.near(), "its own");
    EXPECT_EQ(errc::none, router.send(to("its own", "lost")));
    peer.send({"x"});
    EXPECT_EQ((parts{"mine", "x"}), router.receive());
    EXPECT_EQ(nothing, peer.receive());
    wire second(router, how);
    EXPECT_FALSE(second.accepted);
}

TEST(router_test, refuses_a_second_peer_of_the_same_name)
{
    socket router(ROUTER), first(DEALER), second(DEALER);
    ASSERT_TRUE(join(first, router, {.name = "same"}));
    EXPECT_FALSE(join(second, router, {.name = "same"}));
    first.send("1");
    second.send("2");
    EXPECT_EQ((parts{"same", "1"}), router.receive());
    EXPECT_EQ(nothing, router.receive());
    first.disconnect(first.end());
    EXPECT_EQ(nothing, router.receive());
    socket third(DEALER);
    EXPECT_TRUE(join(third, router, {.name = "same"}));
}

TEST(router_test, a_second_connected_peer_of_the_same_name_stays_unread)
{
    socket router(ROUTER), first(DEALER);
    ASSERT_TRUE(join(first, router, {.name = "same"}));
    attachment how;
    how.locally_connected = true;
    wire second(router, how);
    router->identified(second.near(), "same");
    second.send({"unread"});
    EXPECT_EQ(nothing, router.receive());
    EXPECT_EQ(errc::none, router.send(to("same", "x")));
    EXPECT_EQ(parts{"x"}, first.receive());
    EXPECT_EQ(nothing, second.receive());
}

TEST(router_test, handover_gives_the_name_to_the_newcomer_and_keeps_what_was_received)
{
    pattern_options options;
    options.router_handover = true;
    for (int frames_received = 0; frames_received < 4; ++frames_received) {
        socket router(ROUTER, options), first(DEALER), second(DEALER);
        ASSERT_TRUE(join(first, router, {.name = "same"}));
        first.send({"1a", "1b"});
        first.send("2");
        EXPECT_EQ(errc::none, router.send({"same", "before"}));
        message::owned_frame f;
        for (int i = 0; i < frames_received; ++i) EXPECT_EQ(errc::none, router.receive_frame(f));
        EXPECT_EQ(errc::none, router.send_frame("same", true));
        EXPECT_EQ(errc::none, router.send_frame("half", true));
        ASSERT_TRUE(join(second, router, {.name = "same"}));
        EXPECT_EQ(errc::none, router.send_frame("swallowed"));
        second.send("3");
        parts rest{"same", "1a", "1b"};
        rest.erase(rest.begin(), rest.begin() + frames_received);
        if (!rest.empty()) {
            EXPECT_EQ(rest, router.receive());
        }
        EXPECT_EQ((parts{"same", "2"}), router.receive());
        EXPECT_EQ((parts{"same", "3"}), router.receive());
        EXPECT_EQ(nothing, router.receive());
        EXPECT_EQ(errc::none, router.send(to("same", "to the newcomer")));
        EXPECT_EQ(parts{"to the newcomer"}, second.receive());
        EXPECT_EQ(parts{"before"}, first.receive());
        EXPECT_EQ(nothing, first.receive());
        EXPECT_EQ(1u, router.pipes());
    }
}

TEST(router_test, what_a_departed_peer_sent_is_received)
{
    socket router(ROUTER), peer(DEALER);
    ASSERT_TRUE(join(peer, router, {.name = "peer"}));
    peer.send({"a", "b"});
    message::owned_frame f;
    EXPECT_EQ(errc::none, router.receive_frame(f));
    peer.disconnect(peer.end());
    EXPECT_EQ(errc::none, router.send(to("peer", "dropped")));
    EXPECT_EQ((parts{"a", "b"}), router.receive());
    EXPECT_EQ(nothing, router.receive());
    EXPECT_EQ(0u, router.pipes());
}

TEST(router_test, a_disconnect_in_mid_message_starts_a_new_one)
{
    socket router(ROUTER), one(DEALER), two(DEALER);
    ASSERT_TRUE(join(one, router, {.name = "one"}));
    ASSERT_TRUE(join(two, router, {.name = "two"}));
    one.send({"1a", "1b"});
    two.send("2");
    message::owned_frame f;
    EXPECT_EQ(errc::none, router.receive_frame(f));
    EXPECT_EQ(errc::none, router.receive_frame(f));
    router.disconnect(router.end(0));
    EXPECT_EQ((parts{"two", "2"}), router.receive());
}

TEST(router_test, a_peer_that_goes_in_mid_message_swallows_the_rest)
{
    socket router(ROUTER), one(DEALER), two(DEALER);
    ASSERT_TRUE(join(one, router, {.name = "one"}));
    ASSERT_TRUE(join(two, router, {.name = "two"}));
    EXPECT_EQ(errc::none, router.send_frame("one", true));
    EXPECT_EQ(errc::none, router.send_frame("a", true));
    one.disconnect(one.end());
    EXPECT_EQ(errc::none, router.send_frame("two", true));
    EXPECT_EQ(errc::none, router.send_frame("b"));
    EXPECT_EQ(errc::none, router.send(to("two", "whole")));
    EXPECT_EQ(parts{"whole"}, two.receive());
}

TEST(router_test, tells_of_peers_that_come_and_go)
{
    pattern_options options;
    options.router_notify = 3;
    options.disconnect_message = "bye";
    socket router(ROUTER, options);
    {
        socket peer(DEALER);
        ASSERT_TRUE(join(peer, router, {.name = "peer"}));
        EXPECT_TRUE(router.can_receive());
        peer.send("x");
    }
    EXPECT_EQ((parts{"peer", ""}), router.receive());
    EXPECT_EQ((parts{"peer", "x"}), router.receive());
    EXPECT_EQ((parts{"peer", "bye"}), router.receive());
    EXPECT_EQ((parts{"peer", ""}), router.receive());
    EXPECT_EQ(nothing, router.receive());
}

TEST(router_test, does_not_sleep_over_the_news_of_a_departure)
{
    pattern_options options;
    options.router_notify = 2;
    socket router(ROUTER, options), peer(DEALER);
    ASSERT_TRUE(join(peer, router, {.name = "peer"}));
    EXPECT_EQ(nothing, router.receive());
    EXPECT_FALSE(router.sleep());
    peer.disconnect(peer.end());
    router.pump();
    EXPECT_TRUE(router.sleep());
    EXPECT_EQ((parts{"peer", ""}), router.receive());
}

TEST(router_test, probes_each_peer)
{
    pattern_options options;
    options.probe_router = true;
    socket router(ROUTER, options), peer(DEALER);
    ASSERT_TRUE(join(peer, router));
    EXPECT_EQ(parts{""}, peer.receive());
    EXPECT_EQ(nothing, peer.receive());
}

TEST(router_test, the_name_carries_the_properties_of_the_message)
{
    socket router(ROUTER);
    attachment how;
    how.identified = true;
    how.routing_id = "peer";
    wire peer(router, how);
    peer.far().writer.set_metadata(message::metadata::create({{"Peer-Address", "here"}}));
    peer.send({"x"});
    message::owned_frame f;
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(errc::none, router.receive_frame(f));
        ASSERT_TRUE(f.properties());
        EXPECT_STREQ("here", f.properties()->find("Peer-Address"));
    }
}

TEST(router_test, raw_mode_gives_names_of_its_own_and_closes_on_demand)
{
    pattern_options options;
    options.router_raw = true;
    socket router(ROUTER, options);
    attachment how;
    how.identified = true;
    how.routing_id = "ignored";
    wire peer(router, how);
    const parts arrival = router.receive();
    ASSERT_EQ(2u, arrival.size());
    EXPECT_EQ(5u, arrival[0].size());
    EXPECT_EQ("", arrival[1]);
    EXPECT_EQ(errc::none, router.send_frame(arrival[0], true));
    EXPECT_EQ(errc::none, router.send_frame("the flag means nothing", true));
    EXPECT_EQ(errc::none, router.send(to(arrival[0], "last")));
    EXPECT_EQ(errc::none, router.send(to(arrival[0], "")));
    EXPECT_EQ(0u, router.pipes());
    EXPECT_EQ(parts{"the flag means nothing"}, peer.receive());
    EXPECT_EQ(parts{"last"}, peer.receive());
    EXPECT_TRUE(peer.ended());
    EXPECT_EQ(nothing, router.receive());
}

TEST(router_test, takes_fairly_from_many_named_peers)
{
    socket router(ROUTER);
    std::list<socket> peers;
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(join(peers.emplace_back(DEALER), router, {.name = "peer" + std::to_string(i)}));
        for (int n = 0; n < 3; ++n) peers.back().send(std::to_string(n));
    }
    for (int n = 0; n < 3; ++n) {
        for (int i = 0; i < 50; ++i) {
            EXPECT_EQ(to("peer" + std::to_string(i), std::to_string(n)), router.receive());
        }
    }
    EXPECT_EQ(nothing, router.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
