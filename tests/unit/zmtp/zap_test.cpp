// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZAP requests and replies, frame by frame.
#include "zmtp/zap.hpp"

#include "unit/zmtp/handshake_script.hpp"
#include "unit/zmtp/zap_frames.hpp"

#include <gtest/gtest.h>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

TEST(zap_test, request_follows_the_example_of_the_rfc)
{
    const zap_request request{"PLAIN", {wire({"admin"}), wire({"secret"})}};
    const octets id = wire({"BOB"});
    const std::vector<octets> expected{{},
                                       wire({"1.0"}),
                                       wire({"0001"}),
                                       wire({"test"}),
                                       wire({"192.168.55.1"}),
                                       wire({"BOB"}),
                                       wire({"PLAIN"}),
                                       wire({"admin"}),
                                       wire({"secret"})};
    EXPECT_EQ(zap_request_frames(request, {"0001", "test", "192.168.55.1", id}), expected);
}

TEST(zap_test, request_without_credentials_ends_with_the_mechanism)
{
    const std::vector<octets> expected{{}, wire({"1.0"}), wire({"1"}), {}, {}, {}, wire({"NULL"})};
    EXPECT_EQ(zap_request_frames({"NULL", {}}, {"1", "", "", {}}), expected);
}

TEST(zap_test, reply_tells_status_user_and_metadata)
{
    for (const auto& [code, status] : {std::pair{"200", 200}, {"300", 300}, {"400", 400}, {"500", 500}}) {
        const zap_frames frames(zap_reply_of(code, "joe", property_of("Level", "high")));
        zap_answer answer;
        ASSERT_EQ(parse_zap_reply(frames.reply(), answer), handshake_error::none);
        EXPECT_EQ(answer.status, status);
        EXPECT_EQ(answer.user_id, "joe");
        EXPECT_EQ(answer.metadata, (std::vector<property>{{"Level", "high"}}));
    }
}

TEST(zap_test, bad_replies_are_told_apart)
{
    const auto verdict = [](std::size_t frame, const octets& content) {
        std::vector<octets> reply = zap_reply_of("200");
        reply[frame] = content;
        const zap_frames frames(reply);
        zap_answer answer;
        return parse_zap_reply(frames.reply(), answer);
    };
    EXPECT_EQ(verdict(0, wire({"x"})), handshake_error::zap_unspecified);
    for (const char* version : {"", "1", "1.1", "1.00"}) {
        EXPECT_EQ(verdict(1, wire({version})), handshake_error::zap_bad_version);
    }
    for (const char* id : {"", "2", "11"}) EXPECT_EQ(verdict(2, wire({id})), handshake_error::zap_bad_request_id);
    for (const char* status : {"", "20", "2000", "100", "600", "201", "210", "abc"}) {
        EXPECT_EQ(verdict(3, wire({status})), handshake_error::zap_invalid_status_code);
    }
    for (const octets& metadata : {wire({0}), wire({1, "a"}), wire({1, "a", 0, 0, 0, 1}), wire({200})}) {
        EXPECT_EQ(verdict(6, metadata), handshake_error::zap_invalid_metadata);
    }
}

TEST(zap_test, reply_has_seven_frames)
{
    std::vector<octets> reply;
    for (std::size_t n = 0; n < 12; ++n) {
        const zap_frames frames(reply);
        zap_answer answer;
        EXPECT_EQ(parse_zap_reply(frames.reply(), answer),
                  n == 7 ? handshake_error::none : handshake_error::zap_malformed_reply);
        reply.push_back(n < 7 ? zap_reply_of("200")[n] : octets());
    }
}

}  // namespace
