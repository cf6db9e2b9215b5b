// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reasons in words: each error has some, and what a peer says cannot spoil them.
#include "engine/failure_words.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace zlink::engine {
namespace {

using zmtp::handshake_error;

TEST(failure_words_test, a_shortage_of_descriptors_says_what_to_do)
{
    EXPECT_NE(std::string_view::npos, words_of_accept(errc::too_many_files).find("ulimit -n"));
    EXPECT_NE(std::string_view::npos, words_of_accept(from_errno(ENFILE)).find("fs.file-max"));
    EXPECT_NE(std::string_view::npos, words_of_accept(errc::access_denied).find("not let in"));
    EXPECT_EQ("Cannot allocate memory", words_of_accept(errc::out_of_memory));
}

TEST(failure_words_test, an_error_of_a_handshake_has_text_detail_and_advice)
{
    EXPECT_EQ("peer answers by HTTP; a web server is there; check the port",
              words_of_handshake(handshake_error::http_answer, {}));
    EXPECT_EQ("peer answers by HTTP; a web server is there; check the port",
              words_of_handshake(handshake_error::http_answer, zmtp::to_text(handshake_error::http_answer)));
    EXPECT_EQ("unexpected command: too early",
              words_of_handshake(handshake_error::zmtp_unexpected_command, "too early"));
}

TEST(failure_words_test, of_what_a_peer_says_only_printable_octets_come_through)
{
    EXPECT_EQ("the peer refused the handshake: a?[2Jb?",
              words_of_handshake(handshake_error::no_detail, "a\x1b[2Jb\xff"));
}

TEST(failure_words_test, each_status_of_zap_has_words_of_its_own)
{
    for (const int status : {300, 400, 500}) {
        EXPECT_NE(std::string_view::npos, words_of_refusal(status).find(std::to_string(status))) << status;
    }
    EXPECT_EQ("authentication refused", words_of_refusal(0));
}

TEST(failure_words_test, a_peer_that_closes_early_is_looked_at_by_mechanism_and_side)
{
    using zmtp::mechanism_kind;
    EXPECT_NE(std::string_view::npos, words_of_early_close(mechanism_kind::curve, false).find("ZMQ_CURVE_SERVERKEY"));
    EXPECT_NE(std::string_view::npos, words_of_early_close(mechanism_kind::plain, false).find("ZMQ_PLAIN_USERNAME"));
    EXPECT_EQ(words_of_early_close(mechanism_kind::null, false), words_of_early_close(mechanism_kind::curve, true));
}

}  // namespace
}  // namespace zlink::engine
