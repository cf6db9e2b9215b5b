// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Resolution without DNS, normal forms of addresses, and accept filters.
#include "transport/ip/ip_address.hpp"
#include "transport/tcp/accept_filter.hpp"

#include <gtest/gtest.h>

#include <string>

#include <net/if.h>

namespace zlink::transport::ip {

using tcp::accept_filter;

namespace {

ip_address literal(const std::string& host, std::uint16_t port = 0)
{
    const auto address = ip_address::from_literal(host, port);
    EXPECT_TRUE(address) << host;
    return address.value_or(ip_address::any(false, 0));
}

std::string local_text(const host_port& host, bool ipv6)
{
    const result<ip_address> address = resolve_local(host, ipv6);
    return address ? address->text() : "error " + std::to_string(to_errno(address.error()));
}

std::string peer_text(const host_port& host, bool ipv6)
{
    const result<std::optional<ip_address>> address = resolve_peer(host, ipv6);
    if (!address) {
        return "error " + std::to_string(to_errno(address.error()));
    }
    return *address ? (*address)->text() : "dns";
}

std::string error_text(errc error)
{
    return "error " + std::to_string(to_errno(error));
}

/// The loopback interface, whatever the system calls it; empty when it has none up.
std::string loopback_interface()
{
    char name[IF_NAMESIZE];
    return ::if_indextoname(1, name) != nullptr ? name : "";
}

}  // namespace

TEST(ip_address_test, texts_have_brackets_for_ipv6_alone)
{
    EXPECT_EQ(literal("127.0.0.1", 5555).text(), "127.0.0.1:5555");
    EXPECT_EQ(literal("::1", 5555).text(), "[::1]:5555");
    EXPECT_EQ(literal("0:0::1", 1).host_text(), "::1");
    EXPECT_EQ(ip_address::any(false, 7).text(), "0.0.0.0:7");
    EXPECT_EQ(ip_address::any(true, 7).text(), "[::]:7");
}

TEST(ip_address_test, literals_are_numeric)
{
    EXPECT_EQ(literal("127.1").host_text(), "127.0.0.1");
    for (const char* host : {"", "localhost", "lo", "1.2.3.4.5", "1.2.3.4 x", "256.1.1.1", ":::", "[::1]", "*"}) {
        EXPECT_FALSE(ip_address::from_literal(host, 1)) << host;
    }
}

TEST(ip_address_test, maps_ipv4_into_ipv6_and_back)
{
    const ip_address plain = literal("10.1.2.3", 99);
    const ip_address mapped = plain.to_mapped();
    EXPECT_TRUE(mapped.is_v4_mapped());
    EXPECT_EQ(mapped.text(), "[::ffff:10.1.2.3]:99");
    EXPECT_EQ(mapped.to_unmapped(), plain);
    EXPECT_EQ(literal("::1").to_unmapped(), literal("::1"));
    EXPECT_EQ(mapped.to_mapped(), mapped);
}

TEST(ip_address_test, takes_only_internet_socket_addresses)
{
    sockaddr_storage other{};
    other.ss_family = AF_UNIX;
    const auto* address = reinterpret_cast<const sockaddr*>(&other);
    EXPECT_FALSE(ip_address::from_sockaddr(address, sizeof other));
    other.ss_family = AF_INET6;
    EXPECT_FALSE(ip_address::from_sockaddr(address, sizeof(sockaddr_in)));
    EXPECT_TRUE(ip_address::from_sockaddr(address, sizeof other));
    const ip_address copy = literal("1.2.3.4", 5);
    EXPECT_EQ(ip_address::from_sockaddr(copy.data(), copy.size()), copy);
}

TEST(resolve_local_test, wildcard_is_any_address_of_the_family)
{
    EXPECT_EQ(local_text({"*", "", 5555}, false), "0.0.0.0:5555");
    EXPECT_EQ(local_text({"*", "", 5555}, true), "[::]:5555");
}

TEST(resolve_local_test, ipv6_maps_ipv4_literals_and_admits_its_own)
{
    EXPECT_EQ(local_text({"127.0.0.1", "", 1}, false), "127.0.0.1:1");
    EXPECT_EQ(local_text({"127.0.0.1", "", 1}, true), "[::ffff:127.0.0.1]:1");
    EXPECT_EQ(local_text({"::1", "", 1}, true), "[::1]:1");
    EXPECT_EQ(local_text({"::1", "", 1}, false), error_text(errc::no_device));
}

TEST(resolve_local_test, names_are_those_of_interfaces_never_of_dns)
{
    const std::string loopback = loopback_interface();
    ASSERT_FALSE(loopback.empty());
    EXPECT_EQ(local_text({loopback, "", 5}, false), "127.0.0.1:5");
    EXPECT_EQ(local_text({"localhost", "", 5}, false), error_text(errc::no_device));
    EXPECT_EQ(local_text({"nosuch0", "", 5}, true), error_text(errc::no_device));
    EXPECT_EQ(local_text({"", "", 5}, false), error_text(errc::no_device));
}

TEST(resolve_local_test, zones_must_exist)
{
    EXPECT_EQ(local_text({"fe80::1", "nosuch0", 5}, true), error_text(errc::invalid_argument));
    EXPECT_EQ(local_text({"fe80::1", "0", 5}, true), error_text(errc::invalid_argument));
    const std::string loopback = loopback_interface();
    ASSERT_FALSE(loopback.empty());
    EXPECT_EQ(local_text({"fe80::1", loopback, 5}, true), "[fe80::1%" + loopback + "]:5");
    EXPECT_EQ(local_text({"fe80::1", "1", 5}, true), "[fe80::1%" + loopback + "]:5");
}

TEST(resolve_peer_test, literals_need_no_dns)
{
    EXPECT_EQ(peer_text({"127.0.0.1", "", 5}, false), "127.0.0.1:5");
    EXPECT_EQ(peer_text({"127.0.0.1", "", 5}, true), "[::ffff:127.0.0.1]:5");
    EXPECT_EQ(peer_text({"::1", "", 5}, true), "[::1]:5");
    EXPECT_EQ(peer_text({"::1", "", 5}, false), error_text(errc::invalid_argument));
    EXPECT_EQ(peer_text({"fe80::1", "nosuch0", 5}, true), error_text(errc::invalid_argument));
    EXPECT_EQ(peer_text({"server.example", "", 5}, false), "dns");
    EXPECT_EQ(peer_text({"lo", "", 5}, true), "dns");
}

TEST(resolve_source_test, follows_the_family_of_the_peer)
{
    const ip_address v4 = literal("127.0.0.1", 5);
    const ip_address v6 = literal("::1", 5);
    EXPECT_EQ(resolve_source({"127.0.0.1", "", 7}, v4)->text(), "127.0.0.1:7");
    EXPECT_EQ(resolve_source({"127.0.0.1", "", 7}, v4.to_mapped())->text(), "[::ffff:127.0.0.1]:7");
    EXPECT_EQ(resolve_source({"127.0.0.1", "", 7}, v6).error(), errc::address_not_available);
    EXPECT_EQ(resolve_source({"::1", "", 7}, v6)->text(), "[::1]:7");
    EXPECT_EQ(resolve_source({"*", "", 7}, v4)->text(), "0.0.0.0:7");
    EXPECT_EQ(resolve_source({"*", "", 7}, v6)->text(), "[::]:7");
    EXPECT_EQ(resolve_source({"nosuch0", "", 7}, v4).error(), errc::no_device);
    EXPECT_EQ(resolve_source({loopback_interface(), "", 7}, v4.to_mapped())->text(), "[::ffff:127.0.0.1]:7");
}

TEST(connect_candidates_test, without_ipv6_only_ipv4)
{
    const ip_address resolved[] = {literal("::1"), literal("10.0.0.1"), literal("10.0.0.2"), literal("10.0.0.1")};
    const auto candidates = connect_candidates({"name", "", 80}, resolved, false);
    ASSERT_EQ(candidates.size(), 2u);
    EXPECT_EQ(candidates[0], literal("10.0.0.1", 80));
    EXPECT_EQ(candidates[1], literal("10.0.0.2", 80));
}

TEST(connect_candidates_test, with_ipv6_its_addresses_first)
{
    const ip_address resolved[] = {literal("10.0.0.1"), literal("fd00::1"), literal("::ffff:10.0.0.1")};
    const auto candidates = connect_candidates({"name", "", 80}, resolved, true);
    ASSERT_EQ(candidates.size(), 2u);
    EXPECT_EQ(candidates[0], literal("fd00::1", 80));
    EXPECT_EQ(candidates[1], literal("::ffff:10.0.0.1", 80));
    EXPECT_TRUE(connect_candidates({"name", "", 80}, {}, true).empty());
}

TEST(accept_filter_test, refuses_what_is_not_a_network)
{
    for (const char* text :
         {"", "/8", "localhost", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/x", "::/129", "10.0.0.0/-1"}) {
        EXPECT_EQ(accept_filter::parse(text).error(), errc::invalid_argument) << text;
    }
}

TEST(accept_filter_test, admits_addresses_of_its_network)
{
    const auto admits = [](const char* network, const char* peer) {
        return accept_filter::parse(network)->admits(literal(peer, 1234));
    };
    EXPECT_TRUE(admits("127.0.0.1", "127.0.0.1"));
    EXPECT_FALSE(admits("127.0.0.1", "127.0.0.2"));
    EXPECT_TRUE(admits("10.0.0.0/8", "10.255.1.2"));
    EXPECT_FALSE(admits("10.0.0.0/8", "11.0.0.1"));
    EXPECT_TRUE(admits("192.168.0.0/23", "192.168.1.200"));
    EXPECT_FALSE(admits("192.168.0.0/23", "192.168.2.1"));
    EXPECT_TRUE(admits("0.0.0.0/0", "8.8.8.8"));
    EXPECT_FALSE(admits("0.0.0.0/0", "fd00::1"));
    EXPECT_TRUE(admits("10.0.0.0/8", "::ffff:10.1.1.1"));
    EXPECT_TRUE(admits("::ffff:10.0.0.0/104", "10.1.1.1"));
    EXPECT_TRUE(admits("fd00::/17", "fd00:7fff::1"));
    EXPECT_FALSE(admits("fd00::/17", "fd00:8000::1"));
}

}  // namespace zlink::transport::ip
