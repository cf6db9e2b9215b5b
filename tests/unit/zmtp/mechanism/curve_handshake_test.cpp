// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whole handshakes of CURVE, ours with ours: octet for octet as RFC 26 has it, in pieces, and against peers that speak
// something else. (With a fault at each step: handshake_faults_test.cpp.)
#include "message/frame_header.hpp"
#include "unit/zmtp/mechanism/curve_fixture.hpp"

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

// The keys are client_keys() and server_keys(), what is random counts up from 0x80; computed by crypto_box from a
// script.
constexpr std::string_view hello_vector =
    "0548454c4c4f0100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "000000000000000000000000000000000000000000000000493e82fc74464a59268817623d2053c5eb8e2cc4a988b4fee179ec6b010d531d"
    "00000000000000013fb4980a0ccf4ebabf66f036000d7a86b57022657a80f41ac1c8862e0ecd270a8ae1644d37a5e1851c4bd032edc0808f"
    "e321968fc441194ddcc1274594ebb87dcbf62d0cc7a93d756e3ae501b26e6372";
constexpr std::string_view welcome_vector =
    "0757454c434f4d45d0d1d2d3d4d5d6d7d8d9dadbdcdddedf71f91c116700cac27d822a18cca1abcd06a66f731814e495fa44c66654a141c0"
    "47862bda7b122d9814448d558d381f3ca7ef939f0900a0618357d6e2bb39bad0b9de1dce6003da2caf542084e260d7f6bfc57ee618d07105"
    "aa782a1e3e0b1b43d98d0b20f2e1e5bf2f81e1c0f6aff59edefbe7ee127a6c8ff0cb2f779a386258020268ea71175660b1be6ac0747fb672";
constexpr std::string_view initiate_vector =
    "08494e495449415445c0c1c2c3c4c5c6c7c8c9cacbcccdcecf2d8ed5e1e4e3ebcd376c6540643651ffdc51e628dde68ca84c174f5f725c5b"
    "d7cb203728d94123f2c99875da6c2cea594ce06d1a02e2c2bdd3aed1b88f8dfd1337a1591f5139d09052f2ae80b7e83ebf00000000000000"
    "029a620344638cdf5463574f8a65bfa1cdd322e2d9f7be54ab9f3d53f14b8a32d2ddc84347fee259f638be7ef6d9035ee80daa8a0c8dce4e"
    "a1536ccc01d70ebb44335b5b6789f5f339decd61e1d8f8f68fa0e82b5a40da17069818da37d08b630f672b333e6340a9b5acf2d529d191d4"
    "940cbc1bae56b205e133c80c3f487669654cdc79a746b974a62d041f9704f8ac387498897631471f4ebdb1811ac2f1b1bc11070602ecde9b"
    "2bd2686a6fee1e32e987c835";
constexpr std::string_view ready_vector =
    "0552454144590000000000000001beb1b5f4dae16f0ea05269dc6dfa7d9c43bae57c5728242e8d8d9346822baee440df30d4fea29685d392"
    "f14519e84d84c379d1";
constexpr std::string_view client_message_vector =
    "074d4553534147450000000000000003bcc795bfea9a2df4ec7feccf870d547507f850cd76af";
constexpr std::string_view server_message_vector =
    "074d455353414745000000000000000242ed0987d46e4588d0eebf770ad60667a8eed41fe99395f9";

octets from_hex(std::string_view digits)
{
    const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    octets out;
    for (std::size_t i = 0; i < digits.size(); i += 2)
        out.push_back(std::byte(value(digits[i]) << 4 | value(digits[i + 1])));
    return out;
}

local_peer client_local()
{
    return secured(local(socket_type::dealer), curve_client_settings());
}

local_peer server_local()
{
    return secured(local(socket_type::router), curve_server_settings());
}

TEST(curve_test, says_what_the_rfc_has)
{
    curve_side<curve::client> client{client_local()};
    curve_side<curve::server> server{server_local()};
    const octets hello = client.says();
    EXPECT_EQ(hex(hello), hex(from_hex(hello_vector)));
    const octets welcome = server.hears(hello).says();
    EXPECT_EQ(hex(welcome), hex(from_hex(welcome_vector)));
    const octets initiate = client.hears(welcome).says();
    EXPECT_EQ(hex(initiate), hex(from_hex(initiate_vector)));
    const octets said_ready = server.hears(initiate).resumes(zap_absent{}).says();
    EXPECT_EQ(hex(said_ready), hex(from_hex(ready_vector)));
    client.hears(said_ready, mechanism_state::ready);

    const sealing of_client = client.machine.take_sealing(), of_server = server.machine.take_sealing();
    using zlink::message::flag_command, zlink::message::flag_more;
    const octets one = sealed(*of_client.out, wire({"hello"}), flag_more);
    EXPECT_EQ(hex(one), hex(from_hex(client_message_vector)));
    const octets other = sealed(*of_server.out, wire({4, "PING", 0, 0}), flag_command);
    EXPECT_EQ(hex(other), hex(from_hex(server_message_vector)));
    EXPECT_EQ(opened(*of_server.in, one)->flags, flag_more);
    EXPECT_EQ(opened(*of_client.in, other)->flags, flag_command);
}

/// Both sides, each reading what the other writes in pieces of that size.
struct dialog {
    handshake client{client_local()}, server{server_local()};

    void run(std::size_t size)
    {
        for (bool moved = true; moved;) {
            moved = pass(client, server, size);
            moved = pass(server, client, size) || moved;
            if (server.question()) {
                EXPECT_EQ(server.resume(zap_absent{}), state::done);
                moved = true;
            }
        }
    }

    static bool pass(handshake& from, handshake& to, std::size_t size)
    {
        octets out = drain(from);
        for (std::span<const std::byte> rest = out; !rest.empty();) {
            const auto piece = rest.first(std::min(size, rest.size()));
            EXPECT_EQ(to.advance(piece).consumed, piece.size());
            rest = rest.subspan(piece.size());
        }
        return !out.empty();
    }
};

TEST(curve_test, does_not_depend_on_how_octets_come)
{
    for (const std::size_t size : {1, 2, 3, 7, 63, 64, 65, 201, 202, 203, 1000}) {
        dialog talk;
        talk.run(size);
        ASSERT_EQ(talk.client.current(), state::done) << talk.client.error_text();
        ASSERT_EQ(talk.server.current(), state::done) << talk.server.error_text();
        const sealing client = talk.client.take_sealing(), server = talk.server.take_sealing();
        EXPECT_EQ(opened(*server.in, sealed(*client.out, wire({"ping"})))->text, "ping");
        EXPECT_EQ(opened(*client.in, sealed(*server.out, wire({"pong"})))->text, "pong");
    }
}

TEST(curve_test, split_at_each_octet)
{
    // The client's octets in two parts, at each place.
    octets from_client;
    {
        dialog talk;
        const octets greeting = drain(talk.client);
        EXPECT_EQ(greeting.size(), 10u);
    }
    for (std::size_t at = 1; at < 202; ++at) {
        dialog talk;
        std::size_t commands = 0;
        for (int i = 0; i < 12; ++i) {
            octets out = drain(talk.client);
            const std::size_t cut = std::min(at, out.size());
            talk.server.advance(std::span(out).first(cut));
            talk.server.advance(std::span(out).subspan(cut));
            commands += !out.empty();
            if (talk.server.question()) (void)talk.server.resume(zap_absent{});
            out = drain(talk.server);
            const std::size_t back = std::min(at, out.size());
            talk.client.advance(std::span(out).first(back));
            talk.client.advance(std::span(out).subspan(back));
        }
        EXPECT_EQ(talk.client.current(), state::done) << at;
        EXPECT_EQ(talk.server.current(), state::done) << at;
        EXPECT_GE(commands, 3u);
    }
}

TEST(curve_test, of_another_servers_key_nothing_is_said_but_goodbye)
{
    security_settings settings = curve_client_settings();
    settings.curve.server_key = zlink::fuzz::curve_pair(0x77).open;
    dialog talk;
    handshake client(secured(local(socket_type::dealer), settings));
    for (int i = 0; i < 4; ++i) {
        talk.server.advance(drain(client));
        client.advance(drain(talk.server));
    }
    EXPECT_EQ(talk.server.current(), state::failed);
    EXPECT_EQ(talk.server.error(), handshake_error::zmtp_cryptographic);
    EXPECT_EQ(client.current(), state::in_progress);
}

// --- a peer that does not speak CURVE stays outside ------------------------------------------------------------------

TEST(curve_downgrade_test, peers_of_other_mechanisms_stay_outside)
{
    for (const char* name : {"NULL", "PLAIN", "CURV", "CURVEX", "curve", ""}) {
        script server(server_local());
        server.reads(greeting(1, name), state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);
        script client(client_local());
        client.reads(greeting(1, name, 1), state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);
    }
}

// A peer that speaks ZMTP 2.0 or 1.0 is not asked for its keys.
TEST(curve_downgrade_test, cve_2014_7202_cve_2014_9721_peers_from_before_mechanisms_stay_outside)
{
    for (const octets& in : {wire({signature(), 1, 8, 0, 0}), wire({signature(), 0, 8, 1, 0}), wire({1, 0})}) {
        script server(server_local());
        server.reads(in, state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);
        script client(client_local());
        client.reads(in, state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);
    }
}

TEST(curve_downgrade_test, ready_of_null_is_no_hello)
{
    script server(server_local());
    server.reads(wire({greeting(1, "CURVE"), ready_of("DEALER")}), state::failed)
        .fails_with(handshake_error::zmtp_unexpected_command);
    script client(client_local());
    client.reads(wire({greeting(1, "CURVE", 1), ready_of("ROUTER")}), state::failed)
        .fails_with(handshake_error::zmtp_unexpected_command);
}

TEST(curve_downgrade_test, messages_before_the_end_are_refused)
{
    script server(server_local());
    server.reads(wire({greeting(1, "CURVE"), 0, 5, "hello"}), state::failed)
        .fails_with(handshake_error::zmtp_unexpected_command);
    script client(client_local());
    client.reads(wire({greeting(1, "CURVE", 1), 0, 5, "hello"}), state::failed)
        .fails_with(handshake_error::zmtp_unexpected_command);
}

TEST(curve_test, two_servers_do_not_wait_for_each_other)
{
    script server(server_local());
    server.reads(greeting(1, "CURVE", 1), state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);
}

}  // namespace
