// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// udp between real sockets, on the loopback interface alone.
#include "base/unique_fd.hpp"
#include "transport/datagram_port.hpp"
#include "transport/ip/ip_options.hpp"
#include "transport/stream_options.hpp"
#include "transport/udp/udp_options.hpp"
#include "transport/udp/udp_port.hpp"
#include "transport/udp/udp_socket.hpp"
#include "transport/udp/udp_transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>

namespace zlink::transport::udp {
namespace {

using strings = std::vector<std::string>;

std::span<const std::byte> octets_of(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> octets)
{
    return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

int option_of(int fd, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(0, ::getsockopt(fd, level, name, &value, &size));
    return value;
}

class udp_port_test : public ::testing::Test {
protected:
    datagram_transport::bound bind(const std::string& text, datagram_head heads = datagram_head::group)
    {
        const auto where = the_transport().parse_bind(text);
        EXPECT_TRUE(where) << text;
        auto made = the_transport().bind(**where, heads, options_);
        EXPECT_TRUE(made) << text << " " << to_errno(made.error());
        return made ? std::move(*made) : datagram_transport::bound{};
    }

    std::unique_ptr<datagram_port> connect(const std::string& endpoint)
    {
        const auto where = the_transport().parse_connect(std::string_view(endpoint).substr(6));
        EXPECT_TRUE(where) << endpoint;
        auto made = the_transport().connect(**where, options_);
        EXPECT_TRUE(made) << endpoint << " " << to_errno(made.error());
        return made ? std::move(*made) : nullptr;
    }

    static datagram_port::sent send(datagram_port& by, const std::vector<std::pair<std::string, std::string>>& all)
    {
        std::vector<datagram> some;
        for (const auto& [head, body] : all) some.push_back({octets_of(head), octets_of(body)});
        return by.send(some);
    }

    /// The next `count` datagrams, "head|body".
    static strings receive(datagram_port& by, std::size_t count, std::size_t at_once = 1000)
    {
        strings all;
        bool more = true;
        while (all.size() < count) {
            pollfd ready{by.descriptor(), POLLIN, 0};
            if (!more && ::poll(&ready, 1, 10'000) != 1) break;
            std::vector<datagram> room(std::min(at_once, count - all.size()));
            const auto got = by.receive(room);
            for (std::size_t i = 0; i < got.count; ++i)
                all.push_back(text_of(room[i].head) + "|" + text_of(room[i].body));
            more = got.more;
        }
        return all;
    }

    stream_options options_;
};

TEST_F(udp_port_test, carries_groups)
{
    const auto dish = bind("127.0.0.1:*");
    const auto radio = connect(dish.text);
    EXPECT_FALSE(dish.port->sends());
    EXPECT_FALSE(radio->receives());
    const auto sent = send(*radio, {{"a", "1"}, {"b", ""}, {"", "3"}, {std::string(255, 'g'), "4"}});
    EXPECT_EQ(4u, sent.taken);
    EXPECT_EQ(0u, sent.dropped);
    EXPECT_FALSE(sent.blocked);
    EXPECT_EQ((strings{"a|1", "b|", "|3", std::string(255, 'g') + "|4"}), receive(*dish.port, 4));
}

TEST_F(udp_port_test, carries_many_of_one_size_in_order)
{
    options_.rcvbuf = 1 << 20;
    const auto dish = bind("127.0.0.1:*");
    const auto radio = connect(dish.text);
    std::vector<std::pair<std::string, std::string>> all;
    strings expected;
    for (int i = 1000; i < 1200; ++i) {
        all.emplace_back("g", std::to_string(i));
        expected.push_back("g|" + std::to_string(i));
    }
    EXPECT_EQ(200u, send(*radio, all).taken);
    EXPECT_EQ(expected, receive(*dish.port, 200, 7));
}

TEST_F(udp_port_test, carries_the_largest_datagram_and_drops_a_larger_one)
{
    const auto dish = bind("127.0.0.1:*");
    const auto radio = connect(dish.text);
    const std::string largest(65'507 - 2, 'x');
    const auto sent = send(*radio, {{"g", largest + "x"}, {"g", largest}, {"g", "after"}});
    EXPECT_EQ(3u, sent.taken);
    EXPECT_EQ(1u, sent.dropped);
    EXPECT_EQ((strings{"g|" + largest, "g|after"}), receive(*dish.port, 2));
}

TEST_F(udp_port_test, drops_and_counts_malformed_datagrams)
{
    const auto dish = bind("127.0.0.1:*");
    const auto radio = connect(dish.text);
    const unique_fd raw(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto port = *bound_port(dish.port->descriptor());
    const auto to = *ip::ip_address::from_literal("127.0.0.1", port);
    const std::string half(200, '\x80');
    ASSERT_EQ(0, ::sendto(raw.get(), "", 0, 0, to.data(), to.size()));
    ASSERT_EQ(100, ::sendto(raw.get(), half.data(), 100, 0, to.data(), to.size()));
    ASSERT_EQ(200, ::sendto(raw.get(), half.data(), 200, 0, to.data(), to.size()));
    datagram room[4];
    std::size_t malformed = 0;
    while (malformed < 2) {
        pollfd ready{dish.port->descriptor(), POLLIN, 0};
        ASSERT_EQ(1, ::poll(&ready, 1, 10'000));
        const auto got = dish.port->receive(room);
        malformed += got.malformed;
        if (got.count == 1) {
            EXPECT_EQ(128u, room[0].head.size());
            EXPECT_EQ(71u, room[0].body.size());
        }
    }
    EXPECT_EQ(2u, malformed);
}

TEST_F(udp_port_test, answers_by_address)
{
    for (const char* const where : {"127.0.0.1:*", "*:*"}) {
        options_.ipv6 = where[0] == '*';  // then the socket speaks both
        const auto server = bind(where, datagram_head::address);
        options_.ipv6 = false;
        const auto client = bind("127.0.0.1:*", datagram_head::address);
        const auto port = std::to_string(*bound_port(server.port->descriptor()));
        EXPECT_EQ(1u, send(*client.port, {{"127.0.0.1:" + port, "question"}}).taken);
        const std::string from = client.text.substr(6) + std::string(1, '\0');
        EXPECT_EQ(strings{from + "|question"}, receive(*server.port, 1));
        const auto sent = send(*server.port, {{"nobody", "x"}, {from, "answer"}, {"[::1]:1", "x"}});
        EXPECT_EQ(3u, sent.taken);
        EXPECT_GE(sent.dropped, 1u);
        EXPECT_EQ(strings{"127.0.0.1:" + port + std::string(1, '\0') + "|answer"}, receive(*client.port, 1));
    }
}

TEST_F(udp_port_test, sends_on_though_nobody_listens)
{
    auto dish = bind("127.0.0.1:*");
    const auto radio = connect(dish.text);
    dish.port.reset();
    for (int i = 0; i < 10; ++i) {
        const auto sent = send(*radio, {{"g", "x"}, {"g", "yy"}});
        EXPECT_EQ(2u, sent.taken);
        EXPECT_FALSE(sent.blocked);
    }
}

TEST_F(udp_port_test, of_a_group_reaches_every_member)
{
    const std::string interface = "127.0.0.1;";
    const auto first = bind(interface + "239.255.83.7:*");
    const std::string endpoint = first.text.substr(6);
    const auto second = bind(endpoint);
    const auto other = bind(interface + "239.255.83.8" + endpoint.substr(endpoint.rfind(':')));
    const auto radio = connect(first.text);
    const auto to_other = connect(other.text);
    EXPECT_EQ(1u, send(*to_other, {{"g", "other"}}).taken);
    EXPECT_EQ(1u, send(*radio, {{"g", "all"}}).taken);
    EXPECT_EQ(strings{"g|all"}, receive(*first.port, 1));
    EXPECT_EQ(strings{"g|all"}, receive(*second.port, 1));
    EXPECT_EQ(strings{"g|other"}, receive(*other.port, 1));
}

TEST_F(udp_port_test, of_a_group_has_the_options_for_multicast)
{
    const auto usual = connect("udp://127.0.0.1;239.255.83.7:5");
    EXPECT_EQ(1, option_of(usual->descriptor(), IPPROTO_IP, IP_MULTICAST_TTL));
    EXPECT_EQ(1, option_of(usual->descriptor(), IPPROTO_IP, IP_MULTICAST_LOOP));
    options_.change<udp_options>().multicast_hops = 7;
    options_.change<udp_options>().multicast_loop = false;
    const auto set = connect("udp://127.0.0.1;239.255.83.7:5");
    EXPECT_EQ(7, option_of(set->descriptor(), IPPROTO_IP, IP_MULTICAST_TTL));
    EXPECT_EQ(0, option_of(set->descriptor(), IPPROTO_IP, IP_MULTICAST_LOOP));
    options_.ipv6 = true;
    const auto v6 = connect("udp://*;[ff12::83]:5");
    EXPECT_EQ(7, option_of(v6->descriptor(), IPPROTO_IPV6, IPV6_MULTICAST_HOPS));
    EXPECT_EQ(0, option_of(v6->descriptor(), IPPROTO_IPV6, IPV6_MULTICAST_LOOP));
}

TEST_F(udp_port_test, has_the_buffers_that_were_asked_for)
{
    options_.sndbuf = 20'000;
    options_.rcvbuf = 30'000;
    const auto dish = bind("127.0.0.1:*");
    EXPECT_EQ(2 * 20'000, option_of(dish.port->descriptor(), SOL_SOCKET, SO_SNDBUF));  // the kernel's rule
    EXPECT_EQ(2 * 30'000, option_of(dish.port->descriptor(), SOL_SOCKET, SO_RCVBUF));
}

TEST_F(udp_port_test, may_share_its_address_and_gets_a_port_of_its_own)
{
    const auto first = bind("127.0.0.1:*");
    const auto second = bind(first.text.substr(6));
    EXPECT_EQ(first.text, second.text);
    strings seen{first.text};
    std::vector<datagram_transport::bound> others;
    for (int i = 0; i < 50; ++i) {
        others.push_back(bind("127.0.0.1:*"));
        EXPECT_EQ(seen.end(), std::find(seen.begin(), seen.end(), others.back().text));
        seen.push_back(others.back().text);
    }
}

TEST_F(udp_port_test, cannot_be_bound_to_a_foreign_address_or_device)
{
    const auto foreign = the_transport().parse_bind("192.0.2.77:*");
    EXPECT_EQ(errc::address_not_available, the_transport().bind(**foreign, datagram_head::group, options_).error());
    options_.change<ip::ip_options>().bind_to_device = "nosuch0";
    const auto where = the_transport().parse_bind("127.0.0.1:*");
    EXPECT_FALSE(the_transport().bind(**where, datagram_head::group, options_));
    const auto peer = the_transport().parse_connect("127.0.0.1:5");
    EXPECT_FALSE(the_transport().connect(**peer, options_));
}

TEST_F(udp_port_test, knows_what_a_bind_is_recorded_as)
{
    const auto text = [&](const char* endpoint) {
        return the_transport().bound_text(**the_transport().parse_bind(endpoint), options_);
    };
    EXPECT_EQ("udp://0.0.0.0:5555", text("*:5555"));
    EXPECT_EQ("udp://127.0.0.1;239.0.0.1:5555", text("127.0.0.1;239.0.0.1:5555"));
    EXPECT_EQ("", text("nosuch0:5555"));
}

}  // namespace
}  // namespace zlink::transport::udp
