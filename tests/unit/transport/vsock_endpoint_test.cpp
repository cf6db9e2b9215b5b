// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Endpoints of vsock: what parses, into what, and what is refused.
#include "transport/vsock/vsock_endpoint.hpp"

#include "transport/endpoint.hpp"
#include "transport/registry.hpp"
#include "transport/vsock/vsock_transport.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zlink::transport::vsock {
namespace {

constexpr std::uint32_t any = vsock_endpoint::any;

void expect_bound_to(const vsock_endpoint& expected, std::string_view text)
{
    const auto parsed = parse_bind(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(expected, *parsed) << text;
}

TEST(vsock_endpoint_test, has_a_context_id_and_a_port)
{
    for (const char* text : {"3:5555", "03:05555"}) {
        expect_bound_to({3, 5555}, text);
        EXPECT_EQ((vsock_endpoint{3, 5555}), *parse_connect(text)) << text;
    }
    expect_bound_to({0, 0}, "0:0");
    expect_bound_to({4294967294, 4294967294}, "4294967294:4294967294");
}

TEST(vsock_endpoint_test, an_at_sign_is_loopback)
{
    expect_bound_to({1, 5555}, "@:5555");
    expect_bound_to({1, any}, "@:*");
    EXPECT_EQ((vsock_endpoint{1, 5555}), *parse_connect("@:5555"));
}

TEST(vsock_endpoint_test, an_asterisk_or_minus_one_is_any)
{
    for (const char* text : {"*:*", "-1:-1", "*:-1", "4294967295:4294967295"}) expect_bound_to({any, any}, text);
    expect_bound_to({any, 5555}, "*:5555");
    expect_bound_to({any, 5555}, "-1:5555");
    expect_bound_to({3, any}, "3:*");
    expect_bound_to({3, any}, "3:-1");
}

TEST(vsock_endpoint_test, a_peer_has_both)
{
    for (const char* text : {"*:5555", "-1:5555", "4294967295:5555", "3:*", "3:-1", "@:*", "*:*", "3:4294967295"})
        EXPECT_EQ(errc::invalid_argument, parse_connect(text).error()) << text;
}

TEST(vsock_endpoint_test, refuses_what_is_no_number_of_32_bits)
{
    for (const char* text : {"",
                             ":",
                             "3",
                             "3:",
                             ":5555",
                             "@",
                             "@:",
                             "@:@",
                             "3:@",
                             "@1:5",
                             "**:5",
                             "3:5a",
                             "3a:5",
                             "3: 5",
                             " 3:5",
                             "3:5 ",
                             "+3:5",
                             "3:+5",
                             "-2:5",
                             "3:-2",
                             "-0:5",
                             "--1:5",
                             "4294967296:5",
                             "3:4294967296",
                             "3:99999999999999999999",
                             "3:4:5",
                             "[3]:5",
                             "0x3:5",
                             "3:5/path",
                             "*;3:5"}) {
        EXPECT_EQ(errc::invalid_argument, parse_bind(text).error()) << text;
        EXPECT_EQ(errc::invalid_argument, parse_connect(text).error()) << text;
    }
}

TEST(vsock_endpoint_test, its_text_parses_into_the_same)
{
    EXPECT_EQ("vsock://*:*", to_text({}));
    for (const vsock_endpoint& one : {vsock_endpoint{}, {1, 2}, {any, 7}, {0, any}, {4294967294, 0}}) {
        const auto parsed = parse_bind_endpoint(to_text(one));
        ASSERT_TRUE(parsed);
        EXPECT_EQ(&the_transport(), parsed->over);
        EXPECT_EQ(one, parts_of(*parsed->where));
    }
}

TEST(vsock_endpoint_test, its_scheme_is_a_capability)
{
    EXPECT_EQ(&the_transport(), find_transport("vsock"));
    EXPECT_TRUE(the_transport().is_capability());
    EXPECT_TRUE(the_transport().options().empty());
    EXPECT_EQ("vsock://*:7", the_transport().bound_text(*parse_bind_endpoint("vsock://-1:7")->where, "", {}));
}

}  // namespace
}  // namespace zlink::transport::vsock
