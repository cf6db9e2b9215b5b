// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// NULL with a ZAP domain: nothing is said before the handler has answered. (Without one: handshake_test.cpp.)
#include "zmtp/mechanism/null.hpp"

#include "unit/zmtp/handshake_script.hpp"
#include "unit/zmtp/zap_frames.hpp"

#include <gtest/gtest.h>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

local_peer with_domain(bool enforce = false)
{
    security_settings security;
    security.zap_domain = "test";
    security.zap_enforce_domain = enforce;
    return secured(local(socket_type::pull), security);
}

TEST(null_test, asks_nobody_without_a_domain)
{
    script pull(local(socket_type::pull));
    pull.reads(greeting());
    EXPECT_EQ(pull.machine.question(), nullptr);
}

TEST(null_test, waits_for_the_handler_before_ready)
{
    script pull(with_domain());
    pull.writes(signature());
    EXPECT_EQ(pull.machine.question(), nullptr);
    pull.reads(greeting()).writes(wire({3, greeting_rest()}));
    ASSERT_NE(pull.machine.question(), nullptr);
    EXPECT_EQ(pull.machine.question()->mechanism, "NULL");
    EXPECT_TRUE(pull.machine.question()->credentials.empty());

    const zap_frames answer(zap_reply_of("200", "joe", property_of("Level", "high")));
    pull.resumes(answer.reply()).writes(ready_of("PULL")).reads(ready_of("PUSH"), state::done);
    const std::vector<property> expected{{"User-Id", "joe"}, {"Level", "high"}, {"Socket-Type", "PUSH"}};
    EXPECT_EQ(pull.machine.remote().properties, expected);
    EXPECT_FALSE(pull.machine.take_sealing().out);
    EXPECT_FALSE(pull.machine.take_sealing().in);
}

TEST(null_test, ready_of_the_peer_may_come_before_the_answer)
{
    script pull(with_domain());
    const octets said = ready(wire({property_of("Socket-Type", "PUSH"), property_of("User-Id", "root")}));
    pull.reads(greeting()).reads(said);
    drain(pull.machine);
    ASSERT_NE(pull.machine.question(), nullptr);

    const zap_frames answer(zap_reply_of("200", "joe"));
    pull.resumes(answer.reply(), state::done).writes(ready_of("PULL"));
    const std::vector<property> expected{{"User-Id", "joe"}, {"Socket-Type", "PUSH"}};
    EXPECT_EQ(pull.machine.remote().properties, expected);
}

TEST(null_test, a_peer_cannot_say_what_this_side_finds_out)
{
    script pull(local(socket_type::pull));
    pull.reads(greeting()).reads(ready(forged_metadata("PUSH")), state::done);
    EXPECT_EQ(pull.machine.remote().properties, unforged_properties("PUSH"));
    EXPECT_EQ(text(pull.machine.remote().routing_id), "me");
}

TEST(null_test, of_a_frame_that_has_begun_when_the_answer_comes_nothing_is_lost)
{
    const octets long_frame = wire({2, zeros(6), 1, 4, std::string(260, 'x')});
    for (const octets& frame : {wire({0, 5, "hello"}), wire({1, 3, "one"}), long_frame}) {
        for (std::size_t begun = 0; begun < frame.size(); ++begun) {
            script pull(with_domain());
            pull.reads(greeting()).reads(ready_of("PUSH")).reads(copy(std::span(frame).first(begun)));
            const zap_frames answer(zap_reply_of("200"));
            pull.resumes(answer.reply(), state::done);
            EXPECT_EQ(hex(pull.machine.begun_traffic()), hex(std::span(frame).first(begun)));
        }
    }
    script pull(with_domain());
    const zap_frames answer(zap_reply_of("200"));
    pull.reads(greeting()).resumes(answer.reply()).reads(ready_of("PUSH"), state::done);
    EXPECT_TRUE(pull.machine.begun_traffic().empty());
}

TEST(null_test, what_comes_while_waiting_is_bounded)
{
    script pull(with_domain());
    pull.reads(greeting()).reads(ready_of("PUSH")).reads(wire({0, 5, "hello"}), state::failed);
    pull.fails_with(handshake_error::zmtp_unexpected_command);
    EXPECT_EQ(pull.machine.question(), nullptr);
}

TEST(null_test, refusal_is_told_unless_the_peer_may_come_again)
{
    for (const auto& [code, status] : {std::pair{"300", 300}, {"400", 400}, {"500", 500}}) {
        script pull(with_domain());
        pull.reads(greeting());
        drain(pull.machine);
        const zap_frames answer(zap_reply_of(code));
        pull.resumes(answer.reply(), state::failed).fails_with(handshake_error::auth);
        EXPECT_EQ(pull.machine.auth_status(), status);
        pull.writes(status == 300 ? octets() : command_frame(wire({5, "ERROR", 3, code})));
    }
}

TEST(null_test, nonsense_of_the_handler_refuses_the_peer_without_a_word)
{
    script pull(with_domain());
    pull.reads(greeting());
    drain(pull.machine);
    const zap_frames answer(zap_reply_of("201"));
    pull.resumes(answer.reply(), state::failed).fails_with(handshake_error::zap_invalid_status_code).writes({});
}

TEST(null_test, a_handler_that_goes_before_it_answers_admits_nobody)
{
    script pull(with_domain());
    pull.reads(greeting());
    drain(pull.machine);
    pull.resumes(zap_gone{}, state::failed).fails_with(handshake_error::no_zap_handler).writes({});
}

TEST(null_test, without_a_handler_the_peer_is_admitted_unless_the_domain_is_enforced)
{
    script pull(with_domain());
    pull.reads(greeting());
    drain(pull.machine);
    pull.resumes(zap_absent{}).writes(ready_of("PULL")).reads(ready_of("PUSH"), state::done);
    EXPECT_EQ(pull.machine.remote().properties, (std::vector<property>{{"Socket-Type", "PUSH"}}));

    script strict(with_domain(true));
    strict.reads(greeting());
    drain(strict.machine);
    strict.resumes(zap_absent{}, state::failed).fails_with(handshake_error::no_zap_handler).writes({});
    EXPECT_FALSE(is_protocol_error(strict.machine.error()));
}

TEST(null_test, late_answers_change_nothing)
{
    const zap_frames yes(zap_reply_of("200")), no(zap_reply_of("400"));
    script early(with_domain());
    early.resumes(yes.reply()).reads(greeting());
    ASSERT_NE(early.machine.question(), nullptr);

    script twice(with_domain());
    twice.reads(greeting());
    twice.resumes(yes.reply())
        .resumes(no.reply())
        .reads(ready_of("PUSH"), state::done)
        .resumes(no.reply(), state::done);

    script failed(with_domain());
    failed.reads(greeting()).reads(ready_of("PULL"), state::failed).resumes(yes.reply(), state::failed);
    failed.fails_with(handshake_error::zmtp_invalid_metadata);
}

TEST(null_test, where_a_domain_is_set_peers_from_before_mechanisms_stay_outside)
{
    for (const octets& in : {wire({signature(), 1, 8, 0, 0}), wire({signature(), 0, 8, 1, 0}), wire({1, 0})}) {
        script pull(with_domain());
        pull.reads(in, state::failed).fails_with(handshake_error::zmtp_mechanism_mismatch);
    }
}

}  // namespace
