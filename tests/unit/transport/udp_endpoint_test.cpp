// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The grammar of udp endpoints, and the addresses that they stand for.
#include "transport/udp/udp_endpoint.hpp"
#include "transport/udp/udp_route.hpp"

#include <gtest/gtest.h>

#include <string>

#include <net/if.h>

namespace zlink::transport::udp {
namespace {

using ip::side;

udp_endpoint parsed(std::string_view text, side where)
{
    const auto found = parse(text, where);
    EXPECT_TRUE(found) << text;
    return found ? *found : udp_endpoint{};
}

std::string loopback_interface()
{
    char name[IF_NAMESIZE];
    return ::if_indextoname(1, name) != nullptr ? name : "";
}

std::string error_text(errc error)
{
    return "error " + std::to_string(to_errno(error));
}

std::string local_text(std::string_view text, bool ipv6 = false)
{
    const udp_endpoint where = parsed(text, side::local);
    const auto route = find_local(where, ipv6);
    return route ? text_of(*route, where.interface) : error_text(route.error());
}

std::string peer_text(std::string_view text, bool ipv6 = false)
{
    const udp_endpoint where = parsed(text, side::peer);
    const auto route = find_peer(where, ipv6);
    return route ? text_of(*route, where.interface) : error_text(route.error());
}

TEST(udp_endpoint_test, has_an_address_a_port_and_maybe_an_interface)
{
    EXPECT_EQ(parsed("127.0.0.1:5555", side::peer), (udp_endpoint{{"127.0.0.1", "", 5555}, ""}));
    EXPECT_EQ(parsed("*:*", side::local), (udp_endpoint{{"*", "", 0}, ""}));
    EXPECT_EQ(parsed("eth0;239.0.0.1:5", side::local), (udp_endpoint{{"239.0.0.1", "", 5}, "eth0"}));
    EXPECT_EQ(parsed("*;[ff02::1]:5", side::peer), (udp_endpoint{{"ff02::1", "", 5}, "*"}));
    EXPECT_EQ(parsed("[fe80::1];[ff02::1]:5", side::peer), (udp_endpoint{{"ff02::1", "", 5}, "fe80::1"}));
    EXPECT_EQ(parsed("server.example:5", side::peer), (udp_endpoint{{"server.example", "", 5}, ""}));
}

TEST(udp_endpoint_test, of_another_form_is_an_error)
{
    for (const char* text : {"", "127.0.0.1", ":5555", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1",
                             ";239.0.0.1:5", "eth0;", "eth0;:5", "[];239.0.0.1:5", "fe80::1%:5"}) {
        EXPECT_EQ(errc::invalid_argument, parse(text, side::local).error()) << text;
        EXPECT_EQ(errc::invalid_argument, parse(text, side::peer).error()) << text;
    }
}

TEST(udp_endpoint_test, of_a_peer_has_no_wildcard)
{
    for (const char* text : {"*:5", "127.0.0.1:*", "127.0.0.1:0", "*:*"}) {
        EXPECT_EQ(errc::invalid_argument, parse(text, side::peer).error()) << text;
    }
}

TEST(udp_route_test, of_a_receiver_is_a_local_address)
{
    EXPECT_EQ("udp://0.0.0.0:5", local_text("*:5"));
    EXPECT_EQ("udp://127.0.0.1:5", local_text("127.0.0.1:5"));
    EXPECT_EQ("udp://127.0.0.1:5", local_text(loopback_interface() + ":5"));
    EXPECT_EQ("udp://[::]:5", local_text("*:5", true));
    EXPECT_EQ("udp://127.0.0.1:5", local_text("127.0.0.1:5", true));
    EXPECT_EQ("udp://[::1]:5", local_text("[::1]:5", true));
    EXPECT_EQ(error_text(errc::no_device), local_text("[::1]:5"));
    EXPECT_EQ(error_text(errc::no_device), local_text("nosuch0:5"));
    EXPECT_EQ(error_text(errc::no_device), local_text("localhost:5"));
}

TEST(udp_route_test, of_a_sender_may_be_a_name)
{
    EXPECT_EQ("udp://127.0.0.1:5", peer_text("127.0.0.1:5"));
    EXPECT_EQ("udp://127.0.0.1:5", peer_text("localhost:5"));
    EXPECT_EQ("udp://[::1]:5", peer_text("[::1]:5", true));
    EXPECT_EQ(error_text(errc::invalid_argument), peer_text("[::1]:5"));
    EXPECT_EQ(error_text(errc::invalid_argument), peer_text("no such host:5"));
}

TEST(udp_route_test, of_a_group_may_have_an_interface)
{
    EXPECT_EQ("udp://239.0.0.1:5", local_text("239.0.0.1:5"));
    EXPECT_EQ("udp://*;239.0.0.1:5", local_text("*;239.0.0.1:5"));
    EXPECT_EQ("udp://127.0.0.1;239.0.0.1:5", local_text("127.0.0.1;239.0.0.1:5"));
    EXPECT_EQ("udp://127.0.0.1;239.0.0.1:5", peer_text("127.0.0.1;239.0.0.1:5", true));
    EXPECT_EQ("udp://*;[ff02::1]:5", peer_text("*;[ff02::1]:5", true));
    const std::string interface = loopback_interface();
    const auto route = find_local(parsed(interface + ";239.0.0.1:5", side::local), false);
    ASSERT_TRUE(route);
    EXPECT_TRUE(route->is_multicast());
    EXPECT_EQ("127.0.0.1", route->interface.host_text());
    const auto v6 = find_local(parsed(interface + ";[ff02::1]:5", side::local), true);
    if (v6) {  // the interface may have no address of IPv6
        EXPECT_EQ(1u, v6->interface_index);
    } else {
        EXPECT_EQ(errc::no_device, v6.error());
    }
}

TEST(udp_route_test, refuses_an_interface_that_does_not_fit)
{
    EXPECT_EQ(error_text(errc::invalid_argument), local_text("*;127.0.0.1:5"));
    EXPECT_EQ(error_text(errc::invalid_argument), peer_text("127.0.0.1;127.0.0.1:5"));
    EXPECT_EQ(error_text(errc::invalid_argument), local_text("239.0.0.2;239.0.0.1:5"));
    EXPECT_EQ(error_text(errc::invalid_argument), local_text("[::1];239.0.0.1:5", true));
    EXPECT_EQ(error_text(errc::no_device), local_text("nosuch0;239.0.0.1:5"));
    EXPECT_EQ(error_text(errc::no_device), local_text("[::1];[ff02::1]:5", true));
}

}  // namespace
}  // namespace zlink::transport::udp
