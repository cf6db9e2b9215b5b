// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Rows of the option table that only sockets have: the server of a mechanism, and numbers that one pattern looks at.
#include "socket/option_table.hpp"

#include "base/option_row.hpp"
#include "socket/options.hpp"

#include <zmq.h>

#include <gtest/gtest.h>

#include <set>

namespace zlink::socket::option_table {
namespace {

using engine::mechanism_kind;

class option_table_test : public testing::Test {
protected:
    static constexpr row plain_server = with(1, set_server<mechanism_kind::plain>, get_server<mechanism_kind::plain>);

    errc set(int value) { return plain_server.set(plain_server, options_, {&value, sizeof value}); }
    [[nodiscard]] int get() const
    {
        int value = -1;
        std::size_t size = sizeof value;
        EXPECT_EQ(errc::none, plain_server.get(options_, {&value, &size}));
        return value;
    }

    socket_options options_;
};

TEST_F(option_table_test, one_makes_a_server_of_the_mechanism)
{
    EXPECT_EQ(0, get());
    EXPECT_EQ(errc::none, set(1));
    EXPECT_EQ(mechanism_kind::plain, options_.security.mechanism);
    EXPECT_TRUE(options_.security.as_server);
    EXPECT_EQ(1, get());
}

TEST_F(option_table_test, zero_takes_the_mechanism_away)
{
    choose_mechanism(options_, mechanism_kind::plain, true);
    EXPECT_EQ(errc::none, set(0));
    EXPECT_EQ(mechanism_kind::null, options_.security.mechanism);
    EXPECT_FALSE(options_.security.as_server);
    EXPECT_EQ(0, get());
}

TEST_F(option_table_test, other_values_are_refused_and_change_nothing)
{
    ASSERT_EQ(errc::none, set(1));
    EXPECT_EQ(errc::invalid_argument, set(2));
    EXPECT_EQ(errc::invalid_argument, set(-1));
    EXPECT_EQ(errc::invalid_argument, plain_server.set(plain_server, options_, {nullptr, 0}));
    EXPECT_EQ(1, get());
}

TEST_F(option_table_test, a_client_or_another_mechanism_is_not_a_server_of_it)
{
    choose_mechanism(options_, mechanism_kind::plain, false);
    EXPECT_EQ(0, get());
    choose_mechanism(options_, mechanism_kind::curve, true);
    EXPECT_EQ(0, get());
}

TEST_F(option_table_test, the_number_of_a_pattern_takes_effect_at_once_and_cannot_be_read)
{
    constexpr row number = pattern_number<&socket_options::pattern, &pattern::pattern_options::router_mandatory>(
        2, socket_type::router, 1);
    EXPECT_TRUE(number.at_once);
    EXPECT_EQ(nullptr, number.get);
    EXPECT_TRUE(number.accepted_by.contains(socket_type::router));
    EXPECT_FALSE(number.accepted_by.contains(socket_type::dealer));
    for (const int value : {-1, 2}) {
        EXPECT_EQ(errc::invalid_argument, number.set(number, options_, {&value, sizeof value})) << value;
    }
    constexpr int on = 1;
    EXPECT_EQ(errc::none, number.set(number, options_, {&on, sizeof on}));
    EXPECT_TRUE(options_.pattern.router_mandatory);
}

TEST_F(option_table_test, an_option_has_one_row_that_can_be_set_or_read)
{
    std::set<int> known;
    for (const rows& some : {connection_rows, pattern_rows, security_rows}) {
        EXPECT_FALSE(some.empty());
        for (const row& one : some) {
            EXPECT_TRUE(known.insert(one.option).second) << one.option;
            EXPECT_TRUE(one.set || one.get) << one.option;
            EXPECT_LE(one.lowest, one.highest) << one.option;
        }
    }
    EXPECT_NE(nullptr, find_row(connection_rows, ZMQ_HANDSHAKE_IVL));
    EXPECT_NE(nullptr, find_row(pattern_rows, ZMQ_ROUTER_MANDATORY));
    EXPECT_NE(nullptr, find_row(security_rows, ZMQ_PLAIN_SERVER));
}

}  // namespace
}  // namespace zlink::socket::option_table
