// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// DGRAM: an address and a body, to and from one port of datagrams.
#include "pattern/dgram.hpp"

#include "joined_sockets.hpp"

namespace zlink::pattern::test {
namespace {

constexpr auto DGRAM = socket_type::dgram;

TEST(dgram_test, sends_and_receives_an_address_and_a_body)
{
    socket a(DGRAM), port(DGRAM);
    ASSERT_TRUE(join(a, port));
    EXPECT_EQ(errc::none, a.send({"127.0.0.1:1", "body"}));
    EXPECT_EQ((parts{"127.0.0.1:1", "body"}), port.receive());
    EXPECT_EQ(errc::none, port.send({"127.0.0.1:2", ""}));
    EXPECT_EQ((parts{"127.0.0.1:2", ""}), a.receive());
    EXPECT_EQ(nothing, a.receive());
}

TEST(dgram_test, refuses_messages_of_another_form)
{
    socket a(DGRAM), port(DGRAM);
    ASSERT_TRUE(join(a, port));
    EXPECT_EQ(errc::invalid_argument, a->send(frame_of("alone", false)));
    EXPECT_EQ(errc::none, a->send(frame_of("127.0.0.1:1", true)));
    EXPECT_EQ(errc::invalid_argument, a->send(frame_of("not the last", true)));
    EXPECT_EQ(nothing, port.receive());
    EXPECT_EQ(errc::none, a->send(frame_of("body", false)));
    EXPECT_EQ((parts{"127.0.0.1:1", "body"}), port.receive());
}

TEST(dgram_test, without_a_port_reaches_nobody)
{
    socket a(DGRAM);
    EXPECT_EQ(errc::host_unreachable, a->send(frame_of("127.0.0.1:1", true)));
    EXPECT_FALSE(a.can_send());
    EXPECT_FALSE(a.can_receive());
    EXPECT_EQ(nothing, a.receive());
}

TEST(dgram_test, has_one_port)
{
    socket a(DGRAM), port(DGRAM), second(DGRAM);
    ASSERT_TRUE(join(a, port));
    EXPECT_FALSE(join(a, second));
    EXPECT_EQ(errc::none, a.send({"127.0.0.1:1", "body"}));
    EXPECT_EQ((parts{"127.0.0.1:1", "body"}), port.receive());
}

TEST(dgram_test, begins_a_new_message_with_a_new_port)
{
    socket a(DGRAM), port(DGRAM), second(DGRAM);
    ASSERT_TRUE(join(a, port));
    EXPECT_EQ(errc::none, a->send(frame_of("127.0.0.1:1", true)));
    a.disconnect(a.end());
    EXPECT_EQ(errc::host_unreachable, a->send(frame_of("body", false)));
    ASSERT_TRUE(join(a, second));
    EXPECT_EQ(errc::none, a.send({"127.0.0.1:2", "body"}));
    EXPECT_EQ((parts{"127.0.0.1:2", "body"}), second.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
