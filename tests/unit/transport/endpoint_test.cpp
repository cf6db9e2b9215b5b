// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The endpoint grammar: what parses, into what, and which error the rest is.
#include "transport/endpoint.hpp"
#include "transport/ipc/ipc_endpoint.hpp"
#include "transport/ipc/ipc_transport.hpp"
#include "transport/registry.hpp"
#include "transport/tcp/tcp_endpoint.hpp"
#include "transport/tcp/tcp_transport.hpp"
#include "transport/udp/udp_endpoint.hpp"
#include "transport/udp/udp_transport.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zlink::transport {

namespace {

using ipc::ipc_endpoint;
using tcp::host_port;
using tcp::tcp_endpoint;

host_port at(std::string host, std::uint16_t port, std::string zone = {})
{
    return {std::move(host), std::move(zone), port};
}

host_port bound_to(std::string_view text)
{
    const result<endpoint> parsed = parse_bind_endpoint(text);
    EXPECT_TRUE(parsed) << text;
    return parsed ? tcp::parts_of(*parsed->where).host : host_port{};
}

tcp_endpoint connected_to(std::string_view text)
{
    const result<endpoint> parsed = parse_connect_endpoint(text);
    EXPECT_TRUE(parsed) << text;
    return parsed ? tcp::parts_of(*parsed->where) : tcp_endpoint{};
}

void expect_bind_error(std::string_view text, errc error)
{
    EXPECT_EQ(parse_bind_endpoint(text).error(), error) << text;
}

void expect_connect_error(std::string_view text, errc error)
{
    EXPECT_EQ(parse_connect_endpoint(text).error(), error) << text;
}

}  // namespace

TEST(endpoint_test, needs_a_scheme_and_an_address)
{
    for (const char* text : {"", "foo", "tcp", "tcp:", "tcp:/", "tcp:/127.0.0.1:1", "://", "://x", "tcp://", "ipc://",
                             "inproc://", "foo://"}) {
        expect_bind_error(text, errc::invalid_argument);
        expect_connect_error(text, errc::invalid_argument);
    }
}

TEST(endpoint_test, other_schemes_are_not_supported)
{
    for (const char* text : {"foo://x", "TCP://127.0.0.1:1", " tcp://127.0.0.1:1", "pgm://127.0.0.1:1", "tcp ://x:1"}) {
        expect_bind_error(text, errc::protocol_not_supported);
        expect_connect_error(text, errc::protocol_not_supported);
    }
}

TEST(endpoint_test, keeps_the_text_it_was_made_of)
{
    EXPECT_EQ(parse_connect_endpoint("tcp://lo:0;server1:5555")->text, "tcp://lo:0;server1:5555");
    EXPECT_EQ(parse_bind_endpoint("ipc://*")->text, "ipc://*");
}

TEST(endpoint_test, tells_the_scheme)
{
    EXPECT_EQ(parse_bind_endpoint("tcp://*:1")->over->scheme(), "tcp");
    EXPECT_EQ(parse_bind_endpoint("ipc://x")->over->scheme(), "ipc");
    EXPECT_EQ(parse_bind_endpoint("inproc://x")->over->scheme(), "inproc");
}

TEST(endpoint_test, a_nul_byte_is_never_part_of_one)
{
    using namespace std::string_view_literals;
    expect_bind_error("ipc://a\0b"sv, errc::invalid_argument);
    expect_bind_error("tcp://127.0.0.1:5\0"sv, errc::invalid_argument);
    expect_connect_error("inproc://a\0"sv, errc::invalid_argument);
}

TEST(endpoint_test, tcp_bind_takes_addresses_interfaces_and_wildcards)
{
    EXPECT_EQ(bound_to("tcp://127.0.0.1:5555"), at("127.0.0.1", 5555));
    EXPECT_EQ(bound_to("tcp://eth0:5555"), at("eth0", 5555));
    EXPECT_EQ(bound_to("tcp://eth0:1:5555"), at("eth0:1", 5555));
    EXPECT_EQ(bound_to("tcp://*:5555"), at("*", 5555));
    EXPECT_EQ(bound_to("tcp://*:*"), at("*", 0));
    EXPECT_EQ(bound_to("tcp://127.0.0.1:0"), at("127.0.0.1", 0));
    EXPECT_EQ(bound_to("tcp://127.0.0.1:65535"), at("127.0.0.1", 65535));
}

TEST(endpoint_test, ipv6_addresses_may_stand_in_brackets_and_have_a_zone)
{
    EXPECT_EQ(bound_to("tcp://[::1]:5555"), at("::1", 5555));
    EXPECT_EQ(bound_to("tcp://::1:5555"), at("::1", 5555));
    EXPECT_EQ(bound_to("tcp://[fe80::1%eth0]:*"), at("fe80::1", 0, "eth0"));
    EXPECT_EQ(connected_to("tcp://[fe80::1%2]:5555").host, at("fe80::1", 5555, "2"));
    expect_bind_error("tcp://[fe80::1%]:1", errc::invalid_argument);
    expect_connect_error("tcp://[fe80::1%]:1", errc::invalid_argument);
}

TEST(endpoint_test, tcp_ports_are_numbers_up_to_65535)
{
    for (const char* text : {"tcp://127.0.0.1", "tcp://127.0.0.1:", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:-1",
                             "tcp://127.0.0.1:5x", "tcp://127.0.0.1: 5", "tcp://127.0.0.1:http", "tcp://127.0.0.1:+5",
                             "tcp://127.0.0.1:99999999999999999999", "tcp://127.0.0.1:**"}) {
        expect_bind_error(text, errc::invalid_argument);
        expect_connect_error(text, errc::invalid_argument);
    }
}

TEST(endpoint_test, tcp_bind_has_no_source)
{
    expect_bind_error("tcp://127.0.0.1:1;127.0.0.1:2", errc::invalid_argument);
}

TEST(endpoint_test, tcp_connect_takes_names_and_addresses)
{
    EXPECT_EQ(connected_to("tcp://server1:5555"), (tcp_endpoint{at("server1", 5555), std::nullopt}));
    EXPECT_EQ(connected_to("tcp://a-b.c_d.example:1").host, at("a-b.c_d.example", 1));
    EXPECT_EQ(connected_to("tcp://127.0.0.1:5555").host, at("127.0.0.1", 5555));
    EXPECT_EQ(connected_to("tcp://[::1]:5555").host, at("::1", 5555));
    EXPECT_EQ(connected_to("tcp://::1:5555").host, at("::1", 5555));
}

TEST(endpoint_test, tcp_connect_refuses_wildcards_and_nonsense)
{
    for (const char* text : {"tcp://*:5555", "tcp://127.0.0.1:*", "tcp://[*]:5555", "tcp://in val id:1234",
                             "tcp://a/b:1", "tcp://-a:1", "tcp://localhost:invalid", "tcp://%lo:1", "tcp://:5555",
                             "tcp://[]:5555", "tcp://[:5555", "tcp://a]:5555", "tcp://\xc3\xbc:5", "tcp://a*b:5"}) {
        expect_connect_error(text, errc::invalid_argument);
    }
}

TEST(endpoint_test, tcp_connect_may_name_its_source)
{
    EXPECT_EQ(connected_to("tcp://eth1:0;server1:5555"), (tcp_endpoint{at("server1", 5555), at("eth1", 0)}));
    EXPECT_EQ(connected_to("tcp://192.168.1.17:5555;192.168.1.1:5556"),
              (tcp_endpoint{at("192.168.1.1", 5556), at("192.168.1.17", 5555)}));
    EXPECT_EQ(connected_to("tcp://[::1]:*;[::1]:5555"), (tcp_endpoint{at("::1", 5555), at("::1", 0)}));
    EXPECT_EQ(connected_to("tcp://*:7777;127.0.0.1:5555").source, at("*", 7777));
    for (const char* text : {"tcp://lo;127.0.0.1:5555", "tcp://;127.0.0.1:5555", "tcp://127.0.0.1:5555;",
                             "tcp://a:1;b:2;c:5", "tcp://:0;127.0.0.1:5555", "tcp://lo:0;*:5555"}) {
        expect_connect_error(text, errc::invalid_argument);
    }
}

TEST(endpoint_test, ipc_takes_paths_abstract_names_and_a_wildcard_to_bind)
{
    using kind = ipc_endpoint::kind;
    EXPECT_EQ(ipc::parts_of(*parse_bind_endpoint("ipc:///tmp/x")->where), (ipc_endpoint{kind::path, "/tmp/x"}));
    EXPECT_EQ(ipc::parts_of(*parse_bind_endpoint("ipc://relative")->where), (ipc_endpoint{kind::path, "relative"}));
    EXPECT_EQ(ipc::parts_of(*parse_bind_endpoint("ipc://@name")->where), (ipc_endpoint{kind::abstract, "name"}));
    EXPECT_EQ(ipc::parts_of(*parse_bind_endpoint("ipc://*")->where), (ipc_endpoint{kind::any, ""}));
    EXPECT_EQ(ipc::parts_of(*parse_connect_endpoint("ipc://*")->where), (ipc_endpoint{kind::path, "*"}));
    EXPECT_EQ(ipc::parts_of(*parse_connect_endpoint("ipc://a:b;c d")->where), (ipc_endpoint{kind::path, "a:b;c d"}));
    expect_bind_error("ipc://@", errc::invalid_argument);
    expect_connect_error("ipc://@", errc::invalid_argument);
}

TEST(endpoint_test, ipc_paths_must_fit_a_socket_address)
{
    const std::string longest = "ipc:///" + std::string(106, 'x');
    EXPECT_TRUE(parse_bind_endpoint(longest));
    EXPECT_TRUE(parse_connect_endpoint("ipc://@" + std::string(106, 'x')));
    expect_bind_error(longest + "x", errc::name_too_long);
    expect_connect_error(longest + "x", errc::name_too_long);
    expect_connect_error("ipc://@" + std::string(107, 'x'), errc::name_too_long);
}

TEST(endpoint_test, inproc_names_are_arbitrary)
{
    const auto bound = parse_bind_endpoint("inproc://a:b://;*");
    EXPECT_EQ(bound->over->names()->name_of(*bound->where), "a:b://;*");
    const auto connected = parse_connect_endpoint("inproc://" + std::string(300, 'n'));
    EXPECT_EQ(connected->over->names()->name_of(*connected->where), std::string(300, 'n'));
}

TEST(endpoint_test, normal_form_parses_back_to_the_same)
{
    for (const char* text : {"ipc:///tmp/x", "ipc://@name", "ipc://*"}) {
        EXPECT_EQ(ipc::to_text(ipc::parts_of(*parse_bind_endpoint(text)->where)), text);
    }
}

TEST(registry_test, knows_every_transport_by_its_scheme)
{
    std::size_t index = 0;
    for (const transport* const row : transports()) {
        EXPECT_EQ(find_transport(row->scheme()), row);
        EXPECT_EQ(index_of(*row), index++);
    }
    EXPECT_EQ(find_transport("pgm"), nullptr);
    EXPECT_EQ(find_transport(""), nullptr);
}

TEST(registry_test, tells_what_zmq_has_lists)
{
    EXPECT_TRUE(find_transport("ipc")->is_capability());
    EXPECT_FALSE(find_transport("tcp")->is_capability());
    EXPECT_FALSE(find_transport("inproc")->is_capability());
}

TEST(registry_test, tcp_and_ipc_have_streams_and_inproc_has_none)
{
    EXPECT_NE(find_transport("tcp")->streams(), nullptr);
    EXPECT_NE(find_transport("ipc")->streams(), nullptr);
    EXPECT_EQ(find_transport("inproc")->streams(), nullptr);
}

TEST(endpoint_test, of_datagrams_has_no_streams)
{
    const auto where = parse_bind_endpoint("udp://*:5555");
    ASSERT_TRUE(where);
    EXPECT_EQ(&udp::the_transport(), where->over);
    EXPECT_EQ(&udp::the_transport(), where->over->datagrams());
    EXPECT_EQ(nullptr, where->over->streams());
    EXPECT_FALSE(where->over->is_capability());
    EXPECT_EQ(5555, udp::parts_of(*where->where).target.port);
    EXPECT_EQ(nullptr, tcp::the_transport().datagrams());
    expect_connect_error("udp://*:5555", errc::invalid_argument);
}

TEST(endpoint_test, tells_its_transport_though_the_address_is_wrong)
{
    EXPECT_EQ(&tcp::the_transport(), *transport_of("tcp://nonsense"));
    EXPECT_EQ(errc::protocol_not_supported, transport_of("foo://x").error());
    EXPECT_EQ(errc::invalid_argument, transport_of("tcp://").error());
}

}  // namespace zlink::transport
