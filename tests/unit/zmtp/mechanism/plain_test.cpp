// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PLAIN, client and server: each command from its octets, and what comes of commands that are none.
#include "zmtp/mechanism/plain.hpp"

#include "unit/zmtp/handshake_script.hpp"
#include "unit/zmtp/zap_frames.hpp"
#include "zmtp/mechanism/plain_client.hpp"
#include "zmtp/mechanism/plain_server.hpp"

#include <gtest/gtest.h>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

local_peer client(const std::string& username = "joe", const std::string& password = "secret")
{
    security_settings security;
    security.mechanism = mechanism_kind::plain;
    security.plain_username = username;
    security.plain_password = password;
    return secured(local(socket_type::push), security);
}

local_peer server()
{
    security_settings security;
    security.mechanism = mechanism_kind::plain;
    security.as_server = true;
    return secured(local(socket_type::pull), security);
}

octets plain_greeting(int as_server)
{
    return greeting(1, "PLAIN", as_server);
}

octets hello()
{
    return command_frame(wire({5, "HELLO", 3, "joe", 6, "secret"}));
}

octets welcome()
{
    return command_frame(wire({7, "WELCOME"}));
}

octets initiate(const octets& metadata)
{
    return command_frame(wire({8, "INITIATE", metadata}));
}

octets error(const std::string& reason)
{
    return command_frame(wire({5, "ERROR", int(reason.size()), reason}));
}

octets push_metadata()
{
    return property_of("Socket-Type", "PUSH");
}

/// A server that has been asked by "joe" and asks the handler now.
script asking()
{
    return script(server());
}

void let_ask(script& s)
{
    s.reads(plain_greeting(0)).writes(plain_greeting(1)).reads(hello());
    ASSERT_NE(s.machine.question(), nullptr);
}

TEST(plain_client_test, says_who_it_is_and_then_what_it_is)
{
    script push(client());
    push.writes(signature()).reads(plain_greeting(1)).writes(wire({3, greeting_rest(1, "PLAIN", 0), hello()}));
    EXPECT_EQ(push.machine.question(), nullptr);
    push.reads(welcome()).writes(initiate(push_metadata()));
    push.reads(ready_of("PULL"), state::done).writes({});
    EXPECT_EQ(push.machine.remote().properties, (std::vector<property>{{"Socket-Type", "PULL"}}));
    EXPECT_FALSE(push.machine.take_sealing().out);
}

TEST(plain_client_test, name_and_password_may_be_empty_or_as_long_as_their_length_allows)
{
    for (const std::string& text : {std::string(), std::string(255, 'x')}) {
        script push(client(text, text));
        push.reads(plain_greeting(1));
        const int size = int(text.size());
        push.writes(wire({plain_greeting(0), command_frame(wire({5, "HELLO", size, text, size, text}))}));
    }
}

TEST(plain_client_test, commands_out_of_turn_are_refused_without_a_word)
{
    const octets unknown = command_frame(wire({3, "FOO"}));
    for (const octets& early : {ready_of("PULL"), hello(), initiate(push_metadata()), unknown}) {
        script push(client());
        push.reads(plain_greeting(1));
        drain(push.machine);
        push.reads(early, state::failed).fails_with(handshake_error::zmtp_unexpected_command).writes({});
    }
    for (const octets& late : {welcome(), hello(), unknown, command_frame(wire({9, "FOO"}))}) {
        script push(client());
        push.reads(plain_greeting(1)).reads(welcome());
        drain(push.machine);
        push.reads(late, state::failed).fails_with(handshake_error::zmtp_unexpected_command).writes({});
    }
}

TEST(plain_client_test, malformed_commands_are_refused)
{
    const std::pair<octets, handshake_error> first[] = {
        {command_frame(wire({7, "WELCOME", 0})), handshake_error::zmtp_malformed_command_welcome},
        {command_frame(wire({5, "ERROR"})), handshake_error::zmtp_malformed_command_error},
        {command_frame(wire({5, "ERROR", 4, "400"})), handshake_error::zmtp_malformed_command_error},
    };
    for (const auto& [command, code] : first) {
        script push(client());
        push.reads(plain_greeting(1)).reads(command, state::failed).fails_with(code);
    }
    for (const octets& metadata : {wire({3, "Key"}), property_of("Socket-Type", "PUSH")}) {
        script push(client());
        push.reads(plain_greeting(1)).reads(welcome());
        push.reads(ready(metadata), state::failed).fails_with(handshake_error::zmtp_invalid_metadata);
    }
}

TEST(plain_client_test, a_server_makes_it_keep_no_more_than_commands_may_have)
{
    script push(client());
    push.reads(plain_greeting(1)).reads(wire({0x06, zeros(6), 4, 1}), state::failed);
    push.fails_with(handshake_error::zmtp_malformed_command_unspecified);
    script welcomed(client());
    welcomed.reads(plain_greeting(1)).reads(welcome()).reads(wire({0x06, zeros(6), 0x10, 1}), state::failed);
    welcomed.fails_with(handshake_error::zmtp_malformed_command_unspecified);
}

TEST(plain_client_test, error_says_why_at_either_step)
{
    for (const bool welcomed : {false, true}) {
        script refused(client());
        refused.reads(plain_greeting(1));
        if (welcomed) refused.reads(welcome());
        refused.reads(error("400"), state::failed).fails_with(handshake_error::auth);
        EXPECT_EQ(refused.machine.auth_status(), 400);

        script broken(client());
        broken.reads(plain_greeting(1));
        if (welcomed) broken.reads(welcome());
        broken.reads(error("no"), state::failed).fails_with(handshake_error::no_detail);
        EXPECT_EQ(broken.machine.error_text(), "no");
    }
}

TEST(plain_client_test, error_as_libzmq_says_it_is_one)
{
    for (const bool welcomed : {false, true}) {
        script refused(client());
        refused.reads(plain_greeting(1));
        if (welcomed) refused.reads(welcome());
        refused.reads(command_frame(wire({"^RROR", 3, "500"})), state::failed).fails_with(handshake_error::auth);
        EXPECT_EQ(refused.machine.auth_status(), 500);
    }
    for (const octets& broken : {wire({"^RROR"}), wire({"^RROR", 4, "500"})}) {
        script push(client());
        push.reads(plain_greeting(1)).reads(command_frame(broken), state::failed);
        push.fails_with(handshake_error::zmtp_malformed_command_error);
    }
    script push(client());
    push.reads(plain_greeting(1)).reads(command_frame(wire({"^RRO"})), state::failed);
    push.fails_with(handshake_error::zmtp_unexpected_command);
}

TEST(plain_server_test, asks_the_handler_then_welcomes_then_is_ready)
{
    script pull = asking();
    pull.writes(signature());
    pull.reads(plain_greeting(0)).writes(wire({3, greeting_rest(1, "PLAIN", 1)}));
    EXPECT_EQ(pull.machine.question(), nullptr);
    pull.reads(hello()).writes({});
    ASSERT_NE(pull.machine.question(), nullptr);
    EXPECT_EQ(pull.machine.question()->mechanism, "PLAIN");
    EXPECT_EQ(pull.machine.question()->credentials, (std::vector<octets>{wire({"joe"}), wire({"secret"})}));

    const zap_frames answer(zap_reply_of("200", "joe", property_of("Level", "high")));
    pull.resumes(answer.reply()).writes(welcome());
    EXPECT_EQ(pull.machine.question(), nullptr);
    pull.reads(initiate(push_metadata()), state::done).writes(ready_of("PULL"));
    const std::vector<property> expected{{"User-Id", "joe"}, {"Level", "high"}, {"Socket-Type", "PUSH"}};
    EXPECT_EQ(pull.machine.remote().properties, expected);
}

TEST(plain_server_test, a_client_cannot_say_what_the_server_finds_out)
{
    script pull = asking();
    let_ask(pull);
    const zap_frames answer(zap_reply_of("200", "joe"));
    pull.resumes(answer.reply()).reads(initiate(forged_metadata("PUSH")), state::done);
    std::vector<property> expected = unforged_properties("PUSH");
    expected.insert(expected.begin(), {"User-Id", "joe"});
    EXPECT_EQ(pull.machine.remote().properties, expected);
}

TEST(plain_client_test, a_server_cannot_say_what_the_client_finds_out)
{
    script push(client());
    push.reads(plain_greeting(1)).reads(welcome()).reads(ready(forged_metadata("PULL")), state::done);
    EXPECT_EQ(push.machine.remote().properties, unforged_properties("PULL"));
}

TEST(plain_server_test, credentials_may_be_empty)
{
    script pull = asking();
    pull.reads(plain_greeting(0)).reads(command_frame(wire({5, "HELLO", 0, 0})));
    ASSERT_NE(pull.machine.question(), nullptr);
    EXPECT_EQ(pull.machine.question()->credentials, (std::vector<octets>{{}, {}}));
}

TEST(plain_server_test, malformed_hello_is_refused)
{
    const octets bodies[] = {
        wire({5, "HELLO"}),
        wire({5, "HELLO", 3}),
        wire({5, "HELLO", 3, "jo"}),
        wire({5, "HELLO", 3, "joe"}),
        wire({5, "HELLO", 3, "joe", 6}),
        wire({5, "HELLO", 3, "joe", 6, "secre"}),
        wire({5, "HELLO", 255, 255}),
        wire({5, "HELLO", 3, "joe", 6, "secret", 0}),
    };
    for (const octets& body : bodies) {
        script pull = asking();
        pull.reads(plain_greeting(0));
        drain(pull.machine);
        pull.reads(command_frame(body), state::failed).fails_with(handshake_error::zmtp_malformed_command_hello);
        EXPECT_EQ(pull.machine.question(), nullptr);
        pull.writes({});
    }
}

TEST(plain_server_test, other_commands_than_hello_are_refused_before_the_handler_is_asked)
{
    for (const octets& other : {ready_of("PUSH"), welcome(), initiate(push_metadata()), error("400")}) {
        script pull = asking();
        pull.reads(plain_greeting(0)).reads(other, state::failed);
        pull.fails_with(handshake_error::zmtp_unexpected_command);
        EXPECT_EQ(pull.machine.question(), nullptr);
    }
    for (const octets& none : {command_frame(wire({0})), command_frame(wire({6, "HELLO"}))}) {
        script pull = asking();
        pull.reads(plain_greeting(0)).reads(none, state::failed);
        pull.fails_with(handshake_error::zmtp_malformed_command_unspecified);
    }
}

TEST(plain_server_test, anything_that_comes_while_the_handler_is_asked_is_refused)
{
    for (const octets& more : {hello(), initiate(push_metadata())}) {
        script pull = asking();
        let_ask(pull);
        pull.reads(more, state::failed).fails_with(handshake_error::zmtp_unspecified);
        EXPECT_EQ(pull.machine.question(), nullptr);
        const zap_frames late(zap_reply_of("200", "joe"));
        pull.resumes(late.reply(), state::failed).fails_with(handshake_error::zmtp_unspecified);
    }
}

TEST(plain_server_test, of_strangers_no_more_is_kept_than_a_hello_may_have)
{
    for (const bool asked : {false, true}) {
        script pull = asking();
        pull.reads(plain_greeting(0));
        if (asked) pull.reads(hello());
        pull.reads(wire({0x06, zeros(6), 4, 1}), state::failed);
        pull.fails_with(handshake_error::zmtp_malformed_command_unspecified);
    }
    const zap_frames yes(zap_reply_of("200"));
    script pull = asking();
    let_ask(pull);
    pull.resumes(yes.reply());
    pull.reads(initiate(wire({push_metadata(), property_of("X-Long", std::string(60000, 'x'))})), state::done);
}

TEST(plain_server_test, after_welcome_only_an_initiate_that_fits_will_do)
{
    const zap_frames yes(zap_reply_of("200"));
    const std::pair<octets, handshake_error> wrong[] = {
        {hello(), handshake_error::zmtp_unexpected_command},
        {ready_of("PUSH"), handshake_error::zmtp_unexpected_command},
        {initiate(wire({3, "Key"})), handshake_error::zmtp_invalid_metadata},
        {initiate(property_of("Socket-Type", "PULL")), handshake_error::zmtp_invalid_metadata},
        {initiate(property_of("Identity", std::string(256, 'i'))), handshake_error::zmtp_invalid_metadata},
    };
    for (const auto& [command, code] : wrong) {
        script pull = asking();
        let_ask(pull);
        pull.resumes(yes.reply()).reads(command, state::failed).fails_with(code);
    }
}

TEST(plain_server_test, refusal_is_told_unless_the_peer_may_come_again)
{
    for (const auto& [code, status] : {std::pair{"300", 300}, {"400", 400}, {"500", 500}}) {
        script pull = asking();
        let_ask(pull);
        const zap_frames answer(zap_reply_of(code));
        pull.resumes(answer.reply(), state::failed).fails_with(handshake_error::auth);
        EXPECT_EQ(pull.machine.auth_status(), status);
        pull.writes(status == 300 ? octets() : error(code));
    }
}

TEST(plain_server_test, without_a_handler_nobody_is_admitted)
{
    script pull = asking();
    let_ask(pull);
    pull.resumes(zap_absent{}, state::failed).fails_with(handshake_error::no_zap_handler).writes({});
}

TEST(plain_server_test, nonsense_of_the_handler_refuses_the_peer_without_a_word)
{
    script pull = asking();
    let_ask(pull);
    const zap_frames answer(zap_reply_of("2000"));
    pull.resumes(answer.reply(), state::failed).fails_with(handshake_error::zap_invalid_status_code).writes({});
}

TEST(plain_server_test, peers_that_cannot_say_who_they_are_stay_outside)
{
    for (const octets& in : {wire({signature(), 1, 8, 0, 0}), wire({signature(), 0, 8, 1, 0}), wire({1, 0})}) {
        script pull = asking();
        pull.reads(in, state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);
        EXPECT_EQ(pull.machine.question(), nullptr);
    }
    for (const std::string mechanism : {"NULL", "CURVE", "PLAINER", "plain", ""}) {
        script pull = asking();
        pull.reads(greeting(1, mechanism), state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);
    }
}

TEST(plain_server_test, two_of_a_kind_do_not_come_together)
{
    script one = asking();
    one.reads(plain_greeting(1), state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);
    script other(client());
    other.reads(plain_greeting(0)).reads(hello(), state::failed);
    other.fails_with(handshake_error::zmtp_unexpected_command);
}

}  // namespace
