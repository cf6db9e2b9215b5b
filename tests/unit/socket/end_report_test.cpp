// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The words for what keeps a context from ending.
#include "socket/end_report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::socket {
namespace {

const engine::session_host* host_number(std::uintptr_t n)
{
    return reinterpret_cast<const engine::session_host*>(n * 64);
}

using sockets_that_are_open = std::vector<unclosed_socket>;
using messages_that_wait = std::vector<engine::unwritten>;

std::string delay(const sockets_that_are_open& open, const messages_that_wait& left)
{
    return words_of_delay(open, left);
}

TEST(end_report_test, names_open_sockets)
{
    EXPECT_EQ("1 socket open: a REP", delay({{socket_type::rep, host_number(1)}}, {}));
    EXPECT_EQ("3 sockets open: an XPUB; a STREAM; a DGRAM", delay({{socket_type::xpub, host_number(1)},
                                                                   {socket_type::stream, host_number(2)},
                                                                   {socket_type::dgram, host_number(3)}},
                                                                  {}));
}

TEST(end_report_test, names_messages_of_open_and_closed_sockets)
{
    const messages_that_wait left{{host_number(1), socket_type::router, "tcp://a:1", 17, false, false, 0},
                                  {host_number(1), socket_type::router, "tcp://b:1", 1, true, true, 100},
                                  {host_number(2), socket_type::push, "", 3, false, true, -1}};
    EXPECT_EQ("1 socket open: a ROUTER with 17 messages for tcp://a:1 and up to 1 message for tcp://b:1, linger 100, "
              "and 1 closed socket not done: a PUSH with 3 messages for a peer, linger -1",
              delay({{socket_type::router, host_number(1)}}, left));
}

TEST(end_report_test, cuts_long_lists)
{
    sockets_that_are_open many;
    for (std::uintptr_t i = 1; i <= 20; ++i) many.push_back({socket_type::pub, host_number(i)});
    EXPECT_EQ("20 sockets open: a PUB; a PUB; a PUB; a PUB; a PUB; a PUB; a PUB; a PUB; and 12 more", delay(many, {}));
}

TEST(end_report_test, has_words_if_nothing_is_known)
{
    EXPECT_EQ("its last connections are about to end", delay({}, {}));
    EXPECT_TRUE(ask_workers({}).empty());
}

}  // namespace
}  // namespace zlink::socket
