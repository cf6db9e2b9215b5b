// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Security settings: those of a new socket, as the man page of zmq_setsockopt gives them, and which of them check
// peers.
#include "zmtp/security.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace zlink::zmtp {
namespace {

TEST(security_test, a_new_socket_has_no_mechanism_and_admits_peers_of_any_version)
{
    const security_settings fresh;
    EXPECT_EQ(mechanism_kind::null, fresh.mechanism);
    EXPECT_FALSE(fresh.as_server);
    EXPECT_EQ("", fresh.zap_domain);
    EXPECT_FALSE(fresh.zap_enforce_domain);
    EXPECT_EQ("", fresh.plain_username);
    EXPECT_EQ("", fresh.plain_password);
    EXPECT_EQ(1, fresh.oldest_zmtp);
}

TEST(security_test, a_new_socket_has_no_keys)
{
    const curve_settings fresh;
    const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
    EXPECT_EQ(nullptr, fresh.own);
    EXPECT_TRUE(std::ranges::all_of(fresh.public_key, is_zero));
    EXPECT_TRUE(std::ranges::all_of(fresh.server_key, is_zero));
}

TEST(security_test, mechanisms_have_the_values_of_the_option)
{
    EXPECT_EQ(0, int(mechanism_kind::null));
    EXPECT_EQ(1, int(mechanism_kind::plain));
    EXPECT_EQ(2, int(mechanism_kind::curve));
}

TEST(security_test, peers_are_checked_by_a_mechanism_or_by_the_handler_of_a_domain)
{
    security_settings settings;
    EXPECT_FALSE(settings.checks_peers());
    settings.zap_domain = "global";
    EXPECT_TRUE(settings.checks_peers());
    for (const mechanism_kind kind : {mechanism_kind::plain, mechanism_kind::curve}) {
        security_settings with_mechanism;
        with_mechanism.mechanism = kind;
        EXPECT_TRUE(with_mechanism.checks_peers());
    }
}

}  // namespace
}  // namespace zlink::zmtp
