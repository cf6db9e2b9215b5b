// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The client of CURVE, told by a server that is written once more from the RFC, and that can be wrong in any place.
#include "unit/zmtp/mechanism/curve_fixture.hpp"

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;
using zlink::fuzz::curve_key;
using zlink::fuzz::curve_server_peer;
using zlink::fuzz::joined;

namespace {

constexpr auto failed = mechanism_state::failed;
constexpr auto ready_state = mechanism_state::ready;

local_peer client_local()
{
    return secured(local(socket_type::dealer, "cl"), curve_client_settings());
}

struct curve_client_test : testing::Test {
    curve_side<curve::client> client{client_local()};
    curve_server_peer server;

    void until_hello(curve_side<curve::client>& one) { ASSERT_TRUE(server.take_hello(one.says())); }
    void until_initiate(curve_side<curve::client>& one)
    {
        until_hello(one);
        one.hears(server.welcome());
        ASSERT_TRUE(server.open_initiate(one.says()));
    }
};

TEST_F(curve_client_test, completes_the_handshake)
{
    const octets hello = client.says();
    EXPECT_EQ(hello.size(), 200u);
    EXPECT_EQ(hex(std::span(hello).first(80)), hex(wire({5, "HELLO", 1, 0, zeros(72)})));
    EXPECT_EQ(zlink::fuzz::number_of(std::span(hello).subspan(112)), 1u);
    ASSERT_TRUE(server.take_hello(hello));
    client.says_nothing();

    client.hears(server.welcome());
    const octets said = client.says();
    EXPECT_EQ(zlink::fuzz::number_of(std::span(said).subspan(105)), 2u);
    const auto initiate = server.open_initiate(said);
    ASSERT_TRUE(initiate);
    EXPECT_EQ(hex(initiate->client), hex(client_keys().open));
    ASSERT_TRUE(initiate->vouch);
    EXPECT_EQ(hex(*initiate->vouch), hex(joined({server.theirs, server_keys().open})));
    EXPECT_EQ(text(initiate->metadata), text(wire({type_property("DEALER"), property_of("Identity", "cl")})));

    client.hears(server.ready(1, type_property("ROUTER")), ready_state).says_nothing();
    EXPECT_EQ(client.peer.properties, (std::vector<property>{{"Socket-Type", "ROUTER"}}));
}

TEST_F(curve_client_test, keeps_no_more_of_a_server_that_has_not_proved_its_key)
{
    until_hello(client);
    EXPECT_EQ(client.machine.longest_command(), 1024u);
    client.hears(server.welcome());
    (void)client.says();
    EXPECT_EQ(client.machine.longest_command(), max_handshake_frame);
}

TEST_F(curve_client_test, a_server_cannot_say_what_the_client_finds_out)
{
    until_initiate(client);
    client.hears(server.ready(1, forged_metadata("ROUTER")), ready_state);
    EXPECT_EQ(client.peer.properties, unforged_properties("ROUTER"));
}

TEST_F(curve_client_test, seals_and_opens_from_there)
{
    until_initiate(client);
    client.hears(server.ready(7, type_property("ROUTER")), ready_state);
    const sealing traffic = client.machine.take_sealing();
    ASSERT_TRUE(traffic.in && traffic.out);
    EXPECT_FALSE(client.machine.take_sealing().out);

    const octets first = sealed(*traffic.out, wire({"hello"}));
    EXPECT_EQ(zlink::fuzz::number_of(std::span(first).subspan(8)), 3u);
    const auto in_box = server.open_message(first);
    ASSERT_TRUE(in_box);
    EXPECT_EQ(text(*in_box), text(wire({0, "hello"})));

    EXPECT_FALSE(opened(*traffic.in, server.message(7, 0, {}), handshake_error::zmtp_invalid_sequence));
    const auto got = opened(*traffic.in, server.message(8, 0, wire({"world"})));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->text, "world");
}

TEST_F(curve_client_test, each_connection_has_keys_of_its_own)
{
    const octets one = client.says();
    curve_side<curve::client> again{client_local()};
    EXPECT_EQ(hex(one), hex(again.says()));  // by the same random octets

    const local_peer peer = client_local();
    curve::client first(peer, zlink::crypto::system_random()), second(peer, zlink::crypto::system_random());
    EXPECT_NE(hex(said_by(first).at(0)), hex(said_by(second).at(0)));
}

TEST_F(curve_client_test, welcome_has_to_be_whole)
{
    until_hello(client);
    const octets good = server.welcome();
    for (std::size_t size = 0; size <= good.size() + 1; ++size) {
        if (size == good.size()) continue;
        octets bad = good;
        bad.resize(size);
        curve_side<curve::client> one{client_local()};
        one.says();
        one.hears(bad, failed)
            .says_nothing()
            .fails_with(size < 8 ? handshake_error::zmtp_unexpected_command : handshake_error::zmtp_cryptographic);
    }
}

TEST_F(curve_client_test, welcome_with_an_octet_altered)
{
    until_hello(client);
    const octets good = server.welcome();
    for (std::size_t at = 0; at < good.size(); ++at) {
        octets bad = good;
        bad[at] ^= std::byte{0x40};
        curve_side<curve::client> one{client_local()};
        one.says();
        one.hears(bad, failed)
            .says_nothing()
            .fails_with(at < 8 ? handshake_error::zmtp_unexpected_command : handshake_error::zmtp_cryptographic);
    }
}

TEST_F(curve_client_test, server_with_another_key_is_not_believed)
{
    until_hello(client);
    const octets random(16, std::byte{1});
    const octets forged = joined({wire({7, "WELCOME"}), random,
                                  zlink::fuzz::box(octets(128), joined({wire({"WELCOME-"}), random}), server.theirs,
                                                   zlink::fuzz::curve_pair(0x66).secret)});
    ASSERT_EQ(forged.size(), 168u);
    client.hears(forged, failed).says_nothing().fails_with(handshake_error::zmtp_cryptographic);
}

TEST_F(curve_client_test, keys_that_give_a_key_anybody_could_guess_are_refused)
{
    until_hello(client);
    client.hears(server.welcome(joined({curve_key{}, server.cookie})), failed)
        .says_nothing()
        .fails_with(handshake_error::zmtp_cryptographic);

    // Also what a client has that was never told of a server.
    security_settings settings = curve_client_settings();
    settings.curve.server_key = {};
    curve_side<curve::client> one{secured(local(socket_type::dealer), settings)};
    one.says_nothing().fails_with(handshake_error::zmtp_cryptographic);

    settings = curve_client_settings();
    settings.curve.own = nullptr;
    curve_side<curve::client> without{secured(local(socket_type::dealer), settings)};
    without.says_nothing().fails_with(handshake_error::zmtp_cryptographic);
}

TEST_F(curve_client_test, ready_has_to_be_whole)
{
    until_initiate(client);
    const octets good = server.ready(1, type_property("ROUTER"));
    for (std::size_t size = 0; size <= good.size() + 1; ++size) {
        if (size == good.size()) continue;
        octets bad = good;
        bad.resize(size);
        curve_side<curve::client> one{client_local()};
        until_initiate(one);
        one.hears(bad, failed)
            .says_nothing()
            .fails_with(size < 6    ? handshake_error::zmtp_unexpected_command
                        : size < 30 ? handshake_error::zmtp_malformed_command_ready
                                    : handshake_error::zmtp_cryptographic);
    }
}

TEST_F(curve_client_test, ready_with_an_octet_altered)
{
    until_initiate(client);
    const octets good = server.ready(1, type_property("ROUTER"));
    for (std::size_t at = 0; at < good.size(); ++at) {
        octets bad = good;
        bad[at] ^= std::byte{0x02};
        curve_side<curve::client> one{client_local()};
        until_initiate(one);
        one.hears(bad, failed)
            .says_nothing()
            .fails_with(at < 6 ? handshake_error::zmtp_unexpected_command : handshake_error::zmtp_cryptographic);
    }
}

TEST_F(curve_client_test, metadata_that_will_not_do)
{
    for (const octets& metadata : {type_property("SUB"), wire({3, "So"})}) {
        curve_side<curve::client> one{client_local()};
        until_initiate(one);
        one.hears(server.ready(1, metadata), failed).says_nothing().fails_with(handshake_error::zmtp_invalid_metadata);
    }
}

TEST_F(curve_client_test, commands_out_of_order)
{
    until_hello(client);
    curve_side<curve::client> early{client_local()};
    early.says();
    early.hears(server.ready(1, {}), failed).fails_with(handshake_error::zmtp_unexpected_command);

    curve_side<curve::client> twice{client_local()};
    until_initiate(twice);
    twice.hears(server.welcome(), failed).says_nothing().fails_with(handshake_error::zmtp_unexpected_command);

    // Another client.
    curve_side<curve::client> other{client_local()};
    client.hears(other.says(), failed).says_nothing().fails_with(handshake_error::zmtp_unexpected_command);
}

TEST_F(curve_client_test, error_ends_it_with_the_servers_words)
{
    for (const bool late : {false, true}) {
        for (const auto& [reason, status] : {std::pair{"300", 300}, {"400", 400}, {"500", 500}, {"no", 0}, {"", 0}}) {
            curve_side<curve::client> one{client_local()};
            if (late) {
                until_initiate(one);
            } else {
                until_hello(one);
            }
            one.hears(wire({5, "ERROR", int(std::string(reason).size()), reason}), failed).says_nothing();
            EXPECT_EQ(one.machine.failure().error, status ? handshake_error::auth : handshake_error::no_detail);
            EXPECT_EQ(one.machine.failure().auth_status, status);
            EXPECT_EQ(one.machine.failure().text, reason);
        }
    }
    for (const octets& bad : {wire({5, "ERROR"}), wire({5, "ERROR", 4, "400"})}) {
        curve_side<curve::client> one{client_local()};
        until_hello(one);
        one.hears(bad, failed).fails_with(handshake_error::zmtp_malformed_command_error);
    }
}

}  // namespace
