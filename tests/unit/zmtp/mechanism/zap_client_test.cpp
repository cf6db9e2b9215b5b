// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A mechanism's question to the ZAP handler, and what each answer makes of the peer.
#include "zmtp/mechanism/zap_client.hpp"

#include "unit/zmtp/handshake_script.hpp"
#include "unit/zmtp/zap_frames.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::zmtp::test {
namespace {

class zap_client_test : public testing::Test {
protected:
    zap_client_test()
    {
        client_.ask({"PLAIN", {wire({"joe"}), wire({"secret"})}});
        peer_.properties = {{"Socket-Type", "PUSH"}};
    }

    mechanism_failure take(const std::vector<octets>& frames)
    {
        const zap_frames reply(frames);
        return client_.take(reply.reply(), false, peer_);
    }

    zap_client client_;
    remote_peer peer_;
};

TEST_F(zap_client_test, waits_from_the_question_to_the_answer)
{
    EXPECT_TRUE(client_.waiting());
    ASSERT_NE(nullptr, client_.question());
    EXPECT_EQ("PLAIN", client_.question()->mechanism);
    EXPECT_EQ((std::vector{wire({"joe"}), wire({"secret"})}), client_.question()->credentials);
    EXPECT_EQ(handshake_error::none, take(zap_reply_of("200")).error);
    EXPECT_FALSE(client_.waiting());
    EXPECT_EQ(nullptr, client_.question());
}

TEST_F(zap_client_test, does_not_wait_before_it_has_asked)
{
    const zap_client fresh;
    EXPECT_FALSE(fresh.waiting());
    EXPECT_EQ(nullptr, fresh.question());
}

TEST_F(zap_client_test, properties_of_the_handler_come_before_those_of_the_peer)
{
    EXPECT_EQ(handshake_error::none, take(zap_reply_of("200", "joe", property_of("Group", "staff"))).error);
    EXPECT_EQ((std::vector<property>{{"User-Id", "joe"}, {"Group", "staff"}, {"Socket-Type", "PUSH"}}),
              peer_.properties);
}

TEST_F(zap_client_test, a_refusal_has_the_status_and_leaves_the_peer_alone)
{
    for (const int status : {300, 400, 500}) {
        const mechanism_failure failure = take(zap_reply_of(std::to_string(status), "joe"));
        EXPECT_EQ(handshake_error::auth, failure.error);
        EXPECT_EQ(status, failure.auth_status);
        EXPECT_EQ(std::to_string(status), failure.text);
        EXPECT_EQ(1u, peer_.properties.size());
    }
}

TEST_F(zap_client_test, a_peer_is_told_of_a_refusal_that_is_not_temporary)
{
    EXPECT_FALSE(is_told(take(zap_reply_of("300"))));
    EXPECT_TRUE(is_told(take(zap_reply_of("400"))));
    EXPECT_TRUE(is_told(take(zap_reply_of("500"))));
    EXPECT_FALSE(is_told(take(zap_reply_of("200"))));
    EXPECT_FALSE(is_told({handshake_error::no_zap_handler, "", 400}));
}

TEST_F(zap_client_test, a_reply_that_is_none_admits_no_peer)
{
    for (const auto& frames : {std::vector<octets>{}, {{}, wire({"1.0"})}, zap_reply_of("201")}) {
        const mechanism_failure failure = take(frames);
        EXPECT_NE(handshake_error::none, failure.error);
        EXPECT_NE("", failure.text);
        EXPECT_EQ(1u, peer_.properties.size());
    }
}

TEST_F(zap_client_test, without_a_handler_a_peer_is_admitted_only_if_it_may_stay_unchecked)
{
    EXPECT_EQ(handshake_error::none, client_.take(zap_absent{}, true, peer_).error);
    EXPECT_EQ(handshake_error::no_zap_handler, client_.take(zap_absent{}, false, peer_).error);
}

TEST_F(zap_client_test, a_handler_that_went_away_admits_no_peer)
{
    for (const bool unchecked : {false, true}) {
        EXPECT_EQ(handshake_error::no_zap_handler, client_.take(zap_gone{}, unchecked, peer_).error);
    }
}

}  // namespace
}  // namespace zlink::zmtp::test
