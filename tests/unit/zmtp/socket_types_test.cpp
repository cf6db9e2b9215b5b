// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Names and legal pairs of socket types.
#include "zmtp/socket_types.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

using namespace zlink::zmtp;

namespace {

constexpr int types = 21;

TEST(socket_types_test, have_the_names_of_the_rfc)
{
    const char* expected[types] = {"PAIR",  "PUB",  "SUB",    "REQ",     "REP", "DEALER", "ROUTER",
                                   "PULL",  "PUSH", "XPUB",   "XSUB",    "",    "SERVER", "CLIENT",
                                   "RADIO", "DISH", "GATHER", "SCATTER", "",    "PEER",   "CHANNEL"};
    for (int i = 0; i < types; ++i) {
        EXPECT_EQ(socket_type_name(socket_type(i)), expected[i]);
        if (*expected[i]) {
            EXPECT_EQ(socket_type_from_name(expected[i]), socket_type(i));
        }
    }
    EXPECT_EQ(socket_type_name(socket_type(types)), "");
    EXPECT_FALSE(socket_type_from_name("STREAM"));
    EXPECT_FALSE(socket_type_from_name("dealer"));
    EXPECT_FALSE(socket_type_from_name(""));
}

TEST(socket_types_test, pair_up_as_in_the_table_of_the_rfc)
{
    const std::set<std::pair<std::string, std::string>> legal{
        {"REQ", "REP"},         {"REQ", "ROUTER"},     {"REP", "REQ"},        {"REP", "DEALER"},
        {"DEALER", "REP"},      {"DEALER", "DEALER"},  {"DEALER", "ROUTER"},  {"ROUTER", "REQ"},
        {"ROUTER", "DEALER"},   {"ROUTER", "ROUTER"},  {"PUB", "SUB"},        {"PUB", "XSUB"},
        {"XPUB", "SUB"},        {"XPUB", "XSUB"},      {"SUB", "PUB"},        {"SUB", "XPUB"},
        {"XSUB", "PUB"},        {"XSUB", "XPUB"},      {"PUSH", "PULL"},      {"PULL", "PUSH"},
        {"PAIR", "PAIR"},       {"SERVER", "CLIENT"},  {"CLIENT", "SERVER"},  {"RADIO", "DISH"},
        {"DISH", "RADIO"},      {"GATHER", "SCATTER"}, {"SCATTER", "GATHER"}, {"PEER", "PEER"},
        {"CHANNEL", "CHANNEL"},
    };
    for (int a = 0; a < types; ++a) {
        for (int b = 0; b < types; ++b) {
            const std::string one{socket_type_name(socket_type(a))};
            const std::string other{socket_type_name(socket_type(b))};
            EXPECT_EQ(compatible(socket_type(a), socket_type(b)), legal.contains({one, other})) << one << ' ' << other;
        }
    }
    EXPECT_FALSE(compatible(socket_type::pair, socket_type(77)));
    EXPECT_FALSE(compatible(socket_type(77), socket_type::pair));
}

TEST(socket_types_test, appear_to_20_peers_as_the_types_that_version_knows)
{
    EXPECT_EQ(socket_type_octet(socket_type::pair), 0);
    EXPECT_EQ(socket_type_octet(socket_type::push), 8);
    EXPECT_EQ(socket_type_octet(socket_type::xpub), 1);
    EXPECT_EQ(socket_type_octet(socket_type::xsub), 2);
    EXPECT_EQ(socket_type_from_octet(6), socket_type::router);
    EXPECT_EQ(socket_type_from_octet(9), socket_type::xpub);
    for (int octet = 11; octet < types; ++octet) EXPECT_FALSE(socket_type_from_octet(std::uint8_t(octet)));
    EXPECT_FALSE(socket_type_from_octet(255));
}

TEST(socket_types_test, announce_an_identity_only_where_routers_are_met)
{
    for (int i = 0; i < types; ++i) {
        const auto type = socket_type(i);
        const bool expected = type == socket_type::req || type == socket_type::dealer || type == socket_type::router;
        EXPECT_EQ(announces_identity(type), expected) << socket_type_name(type);
        const bool subscribes = type == socket_type::sub || type == socket_type::xsub;
        EXPECT_EQ(announces_set_identity(type), subscribes) << socket_type_name(type);
    }
}

}  // namespace
