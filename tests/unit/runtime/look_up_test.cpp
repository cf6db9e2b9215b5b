// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Look-ups that the caller waits for: literal addresses, which want no DNS, and names that no host can have.
#include "runtime/look_up.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>

#include <cstring>
#include <string>

namespace zlink::runtime {
namespace {

TEST(look_up_test, a_literal_is_its_own_address_once)
{
    const resolver::answer found = look_up("127.0.0.1");
    ASSERT_TRUE(found);
    ASSERT_EQ(1u, found->size());
    const socket_address& one = found->front();
    ASSERT_EQ(AF_INET, one.data()->sa_family);
    EXPECT_EQ(sizeof(sockaddr_in), one.length);
    EXPECT_EQ(htonl(INADDR_LOOPBACK), reinterpret_cast<const sockaddr_in*>(one.data())->sin_addr.s_addr);
}

TEST(look_up_test, a_literal_of_ipv6_is_found_too)
{
    const resolver::answer found = look_up("::1");
    ASSERT_TRUE(found);
    ASSERT_EQ(1u, found->size());
    const socket_address& one = found->front();
    ASSERT_EQ(AF_INET6, one.data()->sa_family);
    EXPECT_EQ(sizeof(sockaddr_in6), one.length);
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(one.data());
    EXPECT_EQ(0, std::memcmp(&in6addr_loopback, &v6->sin6_addr, sizeof in6addr_loopback));
}

TEST(look_up_test, there_is_no_host_of_a_name_that_is_too_long)
{
    EXPECT_EQ(errc::host_unreachable, look_up(std::string(300, 'a')).error());
}

}  // namespace
}  // namespace zlink::runtime
