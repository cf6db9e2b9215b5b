// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The server of CURVE, told by a client that is written once more from the RFC, and that can be wrong in any place.
#include "unit/zmtp/mechanism/curve_fixture.hpp"

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;
using zlink::fuzz::curve_client_peer;
using zlink::fuzz::curve_key;
using zlink::fuzz::curve_pair;

namespace {

constexpr auto failed = mechanism_state::failed;
constexpr auto ready_state = mechanism_state::ready;

local_peer server_local(const std::string& domain = "", bool enforce = false)
{
    security_settings settings = curve_server_settings();
    settings.zap_domain = domain;
    settings.zap_enforce_domain = enforce;
    return secured(local(socket_type::router, "srv"), settings);
}

struct curve_server_test : testing::Test {
    curve_side<curve::server> server{server_local()};
    curve_client_peer client;

    octets good_initiate(const std::string& type = "DEALER")
    {
        auto fields = client.good_initiate();
        fields.metadata = type_property(type);
        return client.initiate(fields);
    }
    void until_welcome()
    {
        server.hears(client.hello());
        ASSERT_TRUE(client.take_welcome(server.says()));
    }
    void until_question()
    {
        until_welcome();
        server.hears(good_initiate()).says_nothing();
        ASSERT_NE(server.machine.question(), nullptr);
    }
};

TEST_F(curve_server_test, completes_the_handshake)
{
    server.says_nothing();
    server.hears(client.hello());
    const octets welcome = server.says();
    EXPECT_EQ(welcome.size(), 168u);
    ASSERT_TRUE(client.take_welcome(welcome));

    server.hears(good_initiate()).says_nothing();
    ASSERT_NE(server.machine.question(), nullptr);
    EXPECT_EQ(server.machine.question()->mechanism, "CURVE");
    ASSERT_EQ(server.machine.question()->credentials.size(), 1u);
    EXPECT_EQ(hex(server.machine.question()->credentials[0]), hex(client_keys().open));

    const zap_frames answer(zap_reply_of("200", "joe", property_of("Level", "high")));
    server.resumes(answer.reply());
    const octets said = server.says();
    EXPECT_EQ(server.machine.state(), ready_state);
    EXPECT_EQ(zlink::fuzz::number_of(std::span(said).subspan(6)), 1u);
    const auto metadata = client.open_ready(said);
    ASSERT_TRUE(metadata);
    EXPECT_EQ(text(*metadata), text(wire({type_property("ROUTER"), property_of("Identity", "srv")})));
    const std::vector<property> expected{{"User-Id", "joe"}, {"Level", "high"}, {"Socket-Type", "DEALER"}};
    EXPECT_EQ(server.peer.properties, expected);
}

TEST_F(curve_server_test, a_client_cannot_say_what_the_server_finds_out)
{
    until_welcome();
    auto fields = client.good_initiate();
    fields.metadata = forged_metadata("DEALER");
    server.hears(client.initiate(fields));
    const zap_frames answer(zap_reply_of("200", "joe"));
    server.resumes(answer.reply()).says();
    std::vector<property> expected = unforged_properties("DEALER");
    expected.insert(expected.begin(), {"User-Id", "joe"});
    EXPECT_EQ(server.peer.properties, expected);
}

TEST_F(curve_server_test, seals_and_opens_from_there)
{
    until_question();
    server.resumes(zap_absent{}).says();
    const sealing traffic = server.machine.take_sealing();
    ASSERT_TRUE(traffic.in && traffic.out);
    EXPECT_FALSE(server.machine.take_sealing().in);
    // INITIATE had number 2.
    EXPECT_FALSE(opened(*traffic.in, client.message(2, 0, {}), handshake_error::zmtp_invalid_sequence));

    const octets first = sealed(*traffic.out, wire({"hello"}));
    EXPECT_EQ(zlink::fuzz::number_of(std::span(first).subspan(8)), 2u);
    const auto text_in_box = client.open_message(first);
    ASSERT_TRUE(text_in_box);
    EXPECT_EQ(text(*text_in_box), text(wire({0, "hello"})));

    const auto got = opened(*traffic.in, client.message(3, 1, wire({"world"})));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->text, "world");
}

TEST_F(curve_server_test, keeps_of_the_transient_key_nothing_but_the_cookie)
{
    // Of two connections of one client the cookie of one is no good for the other.
    until_welcome();
    curve_side<curve::server> other{server_local(), 0x10};
    curve_client_peer to_other;
    other.hears(to_other.hello());
    ASSERT_TRUE(to_other.take_welcome(other.says()));
    other.hears(good_initiate(), failed).says_nothing().fails_with(handshake_error::zmtp_cryptographic);
}

TEST_F(curve_server_test, hello_has_to_be_whole)
{
    const octets good = client.hello();
    for (std::size_t size = 0; size < good.size(); ++size) {
        curve_side<curve::server> one{server_local()};
        one.hears(std::span(good).first(size), failed)
            .says_nothing()
            .fails_with(size < 6 ? handshake_error::zmtp_malformed_command_unspecified
                                 : handshake_error::zmtp_malformed_command_hello);
    }
    octets longer = good;
    longer.push_back(std::byte{0});
    server.hears(longer, failed).says_nothing().fails_with(handshake_error::zmtp_malformed_command_hello);
}

TEST_F(curve_server_test, hello_with_an_octet_altered)
{
    const octets good = client.hello();
    for (std::size_t at = 0; at < good.size(); ++at) {
        octets bad = good;
        bad[at] ^= std::byte{0x01};
        curve_side<curve::server> one{server_local()};
        one.hears(bad, failed)
            .says_nothing()
            .fails_with(at < 6    ? handshake_error::zmtp_unexpected_command
                        : at < 80 ? handshake_error::zmtp_malformed_command_hello
                                  : handshake_error::zmtp_cryptographic);
    }
}

TEST_F(curve_server_test, hello_of_another_version_or_signature)
{
    curve_client_peer::hello_fields fields;
    fields.version = {std::byte{2}, std::byte{0}};
    server.hears(client.hello(fields), failed).fails_with(handshake_error::zmtp_malformed_command_hello);

    curve_side<curve::server> minor{server_local()};
    fields.version = {std::byte{1}, std::byte{1}};
    minor.hears(client.hello(fields), failed).fails_with(handshake_error::zmtp_malformed_command_hello);

    curve_side<curve::server> signature{server_local()};
    fields = {};
    fields.text[63] = std::byte{1};
    signature.hears(client.hello(fields), failed).fails_with(handshake_error::zmtp_malformed_command_hello);
}

TEST_F(curve_server_test, hello_for_another_server)
{
    curve_client_peer::hello_fields fields;
    fields.server = curve_pair(0x77).open;
    server.hears(client.hello(fields), failed).says_nothing().fails_with(handshake_error::zmtp_cryptographic);
}

TEST_F(curve_server_test, keys_that_give_a_key_anybody_could_guess_are_refused)
{
    // Points of low order: a peer that sends one knows the agreed key without a secret key of its own.
    for (const int first : {0, 1}) {
        octets body = client.hello();
        std::fill_n(body.begin() + 80, 32, std::byte{0});
        body[80] = std::byte(first);
        curve_side<curve::server> one{server_local()};
        one.hears(body, failed).says_nothing().fails_with(handshake_error::zmtp_cryptographic);
    }
    until_welcome();
    auto fields = client.good_initiate();
    fields.permanent.open = curve_key{};
    server.hears(client.initiate(fields), failed).says_nothing().fails_with(handshake_error::zmtp_cryptographic);
}

TEST_F(curve_server_test, without_a_secret_key_nobody_is_understood)
{
    security_settings settings = curve_server_settings();
    settings.curve.own = nullptr;
    curve_side<curve::server> one{secured(local(socket_type::router), settings)};
    one.hears(client.hello(), failed).says_nothing().fails_with(handshake_error::zmtp_cryptographic);
}

TEST_F(curve_server_test, commands_out_of_order)
{
    until_welcome();
    const octets initiate = good_initiate();
    for (const octets& body :
         {initiate, wire({5, "READY"}), wire({5, "ERROR", 0}), wire({4, "PING", 0, 0}), client.message(1, 0, {})}) {
        curve_side<curve::server> at_once{server_local()};
        at_once.hears(body, failed).says_nothing().fails_with(handshake_error::zmtp_unexpected_command);
    }
    server.hears(client.hello(), failed).says_nothing().fails_with(handshake_error::zmtp_unexpected_command);
    server.hears(initiate, failed).says_nothing();
}

TEST_F(curve_server_test, initiate_has_to_be_whole)
{
    until_welcome();
    auto fields = client.good_initiate();
    fields.metadata = type_property("DEALER");
    const octets good = client.initiate(fields);
    for (std::size_t size = 1; size < good.size(); ++size) {
        curve_side<curve::server> one{server_local()};
        one.hears(client.hello()).says();
        one.hears(std::span(good).first(size), failed)
            .says_nothing()
            .fails_with(size < 9     ? handshake_error::zmtp_malformed_command_unspecified
                        : size < 257 ? handshake_error::zmtp_malformed_command_initiate
                                     : handshake_error::zmtp_cryptographic);
    }
}

TEST_F(curve_server_test, initiate_with_an_octet_altered)
{
    until_welcome();
    const octets good = good_initiate();
    for (std::size_t at = 0; at < good.size(); ++at) {
        octets bad = good;
        bad[at] ^= std::byte{0x80};
        curve_side<curve::server> one{server_local()};
        one.hears(client.hello()).says();
        one.hears(bad, failed)
            .says_nothing()
            .fails_with(at < 9 ? handshake_error::zmtp_unexpected_command : handshake_error::zmtp_cryptographic);
    }
}

TEST_F(curve_server_test, number_of_initiate_has_to_count_on)
{
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}}) {
        curve_side<curve::server> one{server_local()};
        one.hears(client.hello());
        ASSERT_TRUE(client.take_welcome(one.says()));
        auto fields = client.good_initiate();
        fields.number = number;
        fields.metadata = type_property("DEALER");
        one.hears(client.initiate(fields), failed).fails_with(handshake_error::zmtp_invalid_sequence);
    }
    until_welcome();
    auto fields = client.good_initiate();
    fields.number = ~std::uint64_t{0};
    fields.metadata = type_property("DEALER");
    server.hears(client.initiate(fields));
}

TEST_F(curve_server_test, vouch_has_to_be_for_the_keys_in_use)
{
    const curve_key other = curve_pair(0x55).open;
    const auto spoilt = [&](auto spoil, handshake_error expected) {
        curve_side<curve::server> one{server_local()};
        one.hears(client.hello());
        ASSERT_TRUE(client.take_welcome(one.says()));
        auto fields = client.good_initiate();
        fields.metadata = type_property("DEALER");
        spoil(fields);
        one.hears(client.initiate(fields), failed).says_nothing().fails_with(expected);
    };
    spoilt([&](auto& f) { f.vouched_client = other; }, handshake_error::zmtp_key_exchange);
    spoilt([&](auto& f) { f.vouched_server = other; }, handshake_error::zmtp_key_exchange);
    // A client that says it is somebody whose secret key it has not got.
    spoilt([&](auto& f) { f.permanent.open = other; }, handshake_error::zmtp_cryptographic);
}

TEST_F(curve_server_test, metadata_is_checked_before_anybody_is_asked)
{
    for (const octets& metadata :
         {type_property("PUB"), wire({5, "Soc"}), property_of("Identity", std::string(256, 'x'))}) {
        curve_side<curve::server> one{server_local()};
        one.hears(client.hello());
        ASSERT_TRUE(client.take_welcome(one.says()));
        auto fields = client.good_initiate();
        fields.metadata = metadata;
        one.hears(client.initiate(fields), failed).says_nothing().fails_with(handshake_error::zmtp_invalid_metadata);
    }
}

// Metadata longer than a buffer on the stack.
TEST_F(curve_server_test, cve_2019_13132_long_metadata_is_taken)
{
    until_welcome();
    auto fields = client.good_initiate();
    fields.metadata = wire({type_property("DEALER"), property_of("X-Long", std::string(3000, 'x'))});
    const octets body = client.initiate(fields);
    ASSERT_LE(body.size(), server.machine.longest_command());
    server.hears(body);
    ASSERT_NE(server.machine.question(), nullptr);
    ASSERT_EQ(server.peer.properties.size(), 2u);
    EXPECT_EQ(server.peer.properties[1].second, std::string(3000, 'x'));
}

TEST(curve_bounds_test, of_a_stranger_no_more_than_a_few_kilobytes_are_kept)
{
    const curve_side<curve::server> one{server_local()};
    EXPECT_EQ(one.machine.longest_command(), 4096u);
    script server(server_local());
    server.reads(wire({greeting(1, "CURVE"), 0x06, zeros(6), 0x10, 0x00}));
    script beyond(server_local());
    beyond.reads(wire({greeting(1, "CURVE"), 0x06, zeros(6), 0x10, 0x01}), state::failed)
        .fails_with(handshake_error::zmtp_malformed_command_unspecified);
}

TEST_F(curve_server_test, refusal_of_the_handler_is_told_unless_the_client_may_come_again)
{
    for (const auto& [code, status] : {std::pair{"300", 300}, {"400", 400}, {"500", 500}}) {
        curve_side<curve::server> one{server_local("domain")};
        one.hears(client.hello());
        ASSERT_TRUE(client.take_welcome(one.says()));
        one.hears(good_initiate());
        const zap_frames answer(zap_reply_of(code));
        one.resumes(answer.reply(), failed);
        EXPECT_EQ(one.machine.failure().auth_status, status);
        if (status == 300) {
            one.says_nothing();
        } else {
            EXPECT_EQ(text(one.says()), text(wire({5, "ERROR", 3, code})));
        }
        one.fails_with(handshake_error::auth);
    }
}

TEST_F(curve_server_test, nonsense_of_the_handler_refuses_without_a_word)
{
    until_question();
    const zap_frames answer(zap_reply_of("201"));
    server.resumes(answer.reply(), failed).says_nothing().fails_with(handshake_error::zap_invalid_status_code);
}

TEST_F(curve_server_test, without_a_handler_clients_are_admitted_unless_the_domain_is_enforced)
{
    for (const char* domain : {"", "domain"}) {
        curve_side<curve::server> one{server_local(domain)};
        one.hears(client.hello());
        ASSERT_TRUE(client.take_welcome(one.says()));
        one.hears(good_initiate()).says_nothing();
        ASSERT_NE(one.machine.question(), nullptr);
        EXPECT_TRUE(client.open_ready(one.resumes(zap_absent{}).says()));
        EXPECT_EQ(one.machine.state(), ready_state);
    }
    curve_side<curve::server> strict{server_local("domain", true)};
    strict.hears(client.hello());
    ASSERT_TRUE(client.take_welcome(strict.says()));
    strict.hears(good_initiate());
    strict.resumes(zap_absent{}, failed).says_nothing().fails_with(handshake_error::no_zap_handler);
}

TEST_F(curve_server_test, a_handler_that_goes_before_it_answers_admits_nobody)
{
    curve_side<curve::server> asking{server_local("domain")};
    asking.hears(client.hello());
    ASSERT_TRUE(client.take_welcome(asking.says()));
    asking.hears(good_initiate());
    asking.resumes(zap_gone{}, failed).says_nothing().fails_with(handshake_error::no_zap_handler);
}

TEST_F(curve_server_test, where_a_domain_is_enforced_that_is_not_set_nobody_is_asked)
{
    curve_side<curve::server> one{server_local("", true)};
    one.hears(client.hello());
    ASSERT_TRUE(client.take_welcome(one.says()));
    one.hears(good_initiate());
    EXPECT_EQ(one.machine.question(), nullptr);
    EXPECT_TRUE(client.open_ready(one.says()));
    EXPECT_EQ(one.machine.state(), ready_state);
}

TEST_F(curve_server_test, what_comes_while_waiting_for_the_handler_ends_it)
{
    until_question();
    server.hears(client.message(3, 0, {}), failed).fails_with(handshake_error::zmtp_unexpected_command);
    const zap_frames late(zap_reply_of("200"));
    server.resumes(late.reply(), failed).says_nothing();
}

}  // namespace
