// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The table of socket types: sets of them, and what must hold between its rows. Names and legal pairs on the wire:
// zmtp/socket_types_test.cpp. The numbers of zmq.h: socket/options.cpp.
#include "base/socket_types.hpp"

#include <gtest/gtest.h>

namespace zlink {
namespace {

constexpr int last = int(socket_type::channel);

TEST(socket_types_test, are_known_by_their_number)
{
    for (int number = 0; number <= last; ++number) {
        ASSERT_TRUE(socket_type_of(number)) << number;
        EXPECT_EQ(number, int(*socket_type_of(number)));
    }
    for (const int number : {-1, last + 1, 256}) EXPECT_FALSE(socket_type_of(number)) << number;
}

TEST(socket_types_test, make_sets)
{
    constexpr socket_types none, publishers = types_that(&socket_traits::publishes);
    for (int number = 0; number <= last; ++number) {
        const auto type = socket_type(number);
        EXPECT_FALSE(none.contains(type));
        EXPECT_TRUE(types_that(nullptr).contains(type));
        EXPECT_EQ(type == socket_type::pub || type == socket_type::xpub || type == socket_type::radio,
                  publishers.contains(type))
            << number;
        EXPECT_EQ(type == socket_type::req || publishers.contains(type),
                  (publishers | socket_types{socket_type::req}).contains(type));
    }
    EXPECT_FALSE(types_that(nullptr).contains(socket_type(77)));
}

TEST(socket_types_test, that_have_peers_are_peers_of_these)
{
    for (int one = 0; one <= last; ++one) {
        for (int other = 0; other <= last; ++other) {
            EXPECT_EQ(traits(socket_type(one)).peers.contains(socket_type(other)),
                      traits(socket_type(other)).peers.contains(socket_type(one)))
                << one << ' ' << other;
        }
        const bool speaks_zmtp = one != int(socket_type::stream) && one != int(socket_type::dgram);
        EXPECT_EQ(speaks_zmtp, !traits(socket_type(one)).wire_name.empty()) << one;
        EXPECT_EQ(speaks_zmtp && one > int(socket_type::stream), traits(socket_type(one)).thread_safe) << one;
    }
}

// What is held back goes out when the thread comes to wait for input.
TEST(socket_types_test, hold_sends_only_if_they_receive)
{
    for (int number = 0; number <= last; ++number) {
        const socket_traits& has = traits(socket_type(number));
        EXPECT_TRUE(has.reads_inline || !has.holds_sends) << number;
        EXPECT_FALSE(has.publishes && (has.subscribes || has.reads_inline)) << number;
        EXPECT_TRUE(has.subscribes || !has.subscribes_by_message) << number;
    }
}

}  // namespace
}  // namespace zlink
