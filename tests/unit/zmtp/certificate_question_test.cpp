// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The question about a client's certificate: before all that the mechanism says and asks, whichever it is.
#include "unit/zmtp/handshake_script.hpp"
#include "unit/zmtp/zap_frames.hpp"

#include <gtest/gtest.h>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

class certificate_question_test : public testing::Test {
protected:
    static local_peer with(mechanism_kind mechanism, const std::string& domain = "", bool enforce = false)
    {
        security_settings security;
        security.mechanism = mechanism;
        security.as_server = mechanism != mechanism_kind::null;
        security.zap_domain = domain;
        security.zap_enforce_domain = enforce;
        return secured(local(socket_type::pull), security);
    }
    void expect_question(handshake& of)
    {
        ASSERT_NE(of.question(), nullptr);
        EXPECT_EQ(of.question()->mechanism, "TLS");
        EXPECT_EQ(of.question()->credentials, std::vector<octets>{certificate_});
    }

    const octets certificate_ = wire({0x30, 3, "der"});
};

TEST_F(certificate_question_test, is_asked_when_the_mechanism_would_begin_which_says_nothing_before_the_answer)
{
    script pull(with(mechanism_kind::null));
    pull.machine.ask_about_certificate("TLS", certificate_);
    EXPECT_EQ(pull.machine.question(), nullptr);
    pull.writes(signature()).reads(greeting()).writes(wire({3, greeting_rest()}));
    expect_question(pull.machine);
    pull.reads(ready_of("PUSH")).writes({});
    expect_question(pull.machine);
    const zap_frames answer(zap_reply_of("200", "joe", property_of("Level", "high")));
    pull.resumes(answer.reply(), state::done).writes(ready_of("PULL"));
    const std::vector<property> expected{{"User-Id", "joe"}, {"Level", "high"}, {"Socket-Type", "PUSH"}};
    EXPECT_EQ(pull.machine.remote().properties, expected);
}

TEST_F(certificate_question_test, goes_before_the_mechanisms_own)
{
    script pull(with(mechanism_kind::plain));
    pull.machine.ask_about_certificate("TLS", certificate_);
    pull.reads(greeting(1, "PLAIN")).reads(command_frame(wire({5, "HELLO", 3, "joe", 1, "x"})));
    drain(pull.machine);
    expect_question(pull.machine);
    const zap_frames yes(zap_reply_of("200", "joe")), no(zap_reply_of("400"));
    pull.resumes(yes.reply()).writes({});
    ASSERT_NE(pull.machine.question(), nullptr);
    EXPECT_EQ(pull.machine.question()->mechanism, "PLAIN");
    pull.resumes(no.reply(), state::failed).writes(command_frame(wire({5, "ERROR", 3, "400"})));
    EXPECT_EQ(pull.machine.auth_status(), 400);
}

TEST_F(certificate_question_test, a_refusal_is_told_in_place_of_the_mechanisms_first_command_if_it_lasts)
{
    for (const int status : {300, 400, 500}) {
        for (const bool plain : {false, true}) {
            const std::string code = std::to_string(status);
            SCOPED_TRACE(code);
            script pull(with(plain ? mechanism_kind::plain : mechanism_kind::null));
            pull.machine.ask_about_certificate("TLS", certificate_);
            pull.reads(greeting(1, plain ? "PLAIN" : "NULL"));
            drain(pull.machine);
            const zap_frames answer(zap_reply_of(code));
            pull.resumes(answer.reply(), state::failed).fails_with(handshake_error::auth);
            pull.writes(status == 300 ? octets() : command_frame(wire({5, "ERROR", 3, code})));
            EXPECT_EQ(pull.machine.auth_status(), status);
            EXPECT_EQ(pull.machine.question(), nullptr);
        }
    }
}

TEST_F(certificate_question_test, what_is_wrong_with_the_peers_commands_ends_it_without_an_answer)
{
    script pull(with(mechanism_kind::null));
    pull.machine.ask_about_certificate("TLS", certificate_);
    pull.reads(greeting()).reads(command_frame(wire({5, "REDAY"})), state::failed);
    pull.fails_with(handshake_error::zmtp_unexpected_command);
    const zap_frames late(zap_reply_of("200"));
    pull.resumes(late.reply(), state::failed);
}

TEST_F(certificate_question_test, without_an_answer_the_peer_is_admitted_unless_that_needs_a_handler)
{
    const auto end = [&](local_peer peer, const mechanism_event& event) {
        handshake pull(std::move(peer));
        pull.ask_about_certificate("TLS", certificate_);
        (void)pull.advance(greeting());
        EXPECT_NE(pull.question(), nullptr);
        (void)pull.resume(event);
        return pull.error();
    };
    EXPECT_EQ(end(with(mechanism_kind::null), zap_absent{}), handshake_error::none);
    EXPECT_EQ(end(with(mechanism_kind::null, "some"), zap_absent{}), handshake_error::none);
    EXPECT_EQ(end(with(mechanism_kind::null, "some", true), zap_absent{}), handshake_error::no_zap_handler);
    EXPECT_EQ(end(with(mechanism_kind::null), zap_gone{}), handshake_error::no_zap_handler);
    EXPECT_EQ(end(with(mechanism_kind::null), zap_reply{}), handshake_error::zap_malformed_reply);

    EXPECT_EQ(end(with(mechanism_kind::null, "", true), zap_absent{}), handshake_error::no_zap_handler);
}

TEST_F(certificate_question_test, is_asked_without_a_domain_too)
{
    for (const mechanism_kind mechanism : {mechanism_kind::null, mechanism_kind::plain}) {
        script pull(with(mechanism, "", true));
        pull.machine.ask_about_certificate("TLS", certificate_);
        pull.reads(greeting(1, mechanism == mechanism_kind::plain ? "PLAIN" : "NULL"));
        expect_question(pull.machine);
        const zap_frames no(zap_reply_of("400"));
        pull.resumes(no.reply(), state::failed).fails_with(handshake_error::auth);
    }
}

TEST_F(certificate_question_test, peers_from_before_mechanisms_are_turned_away)
{
    script old(with(mechanism_kind::null));
    old.machine.ask_about_certificate("TLS", certificate_);
    old.reads(wire({signature(), 1, 8}), state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);

    handshake over_ws(with(mechanism_kind::null), handshake::beginning::elsewhere);
    over_ws.ask_about_certificate("TLS", certificate_);
    over_ws.begin(false);
    EXPECT_EQ(over_ws.error(), handshake_error::zmtp_mechanism_mismatch);
}

}  // namespace
