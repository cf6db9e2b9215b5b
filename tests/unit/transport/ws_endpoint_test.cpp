// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Endpoints of ws: what is the authority, what the host that a request names, and what the path.
#include "transport/ws/ws_endpoint.hpp"

#include "transport/stream_wrapping.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zlink::transport::ws {
namespace {

TEST(ws_endpoint_test, has_an_authority_and_a_path)
{
    const auto parsed = parse_ws("example.com:80/chat?room=1");
    ASSERT_TRUE(parsed);
    EXPECT_EQ("example.com:80", parsed->authority);
    EXPECT_EQ("example.com:80", parsed->host);
    EXPECT_EQ("/chat?room=1", parsed->path);
}

TEST(ws_endpoint_test, has_the_root_as_its_path_if_none_is_named)
{
    for (const char* text : {"*:80", "*:80/"}) EXPECT_EQ("/", parse_ws(text)->path) << text;
}

// libzmq's later versions, too; 4.3.5 takes the last one.
TEST(ws_endpoint_test, the_path_begins_at_the_first_slash)
{
    for (const char* path : {"/a/b", "/a/b/", "//", "/a//b", "/a:1/b", "/a;b:1/c"}) {
        for (const std::string authority : {"*:80", "[::1]:80", "eth0:0;example.com:80"}) {
            const auto parsed = parse_ws(authority + path);
            ASSERT_TRUE(parsed) << authority << path;
            EXPECT_EQ(authority, parsed->authority);
            EXPECT_EQ(path, parsed->path);
        }
    }
}

TEST(ws_endpoint_test, a_request_does_not_name_the_source)
{
    const auto parsed = parse_ws("eth0:0;example.com:80/chat");
    ASSERT_TRUE(parsed);
    EXPECT_EQ("eth0:0;example.com:80", parsed->authority);
    EXPECT_EQ("example.com:80", parsed->host);
}

TEST(ws_endpoint_test, refuses_paths_that_a_request_cannot_have)
{
    for (const char* text : {"", "/chat", "a:1/b c", "a:1/b\r\nHost: c", "a:1/b#c", "a:1/\x7f", "a:1/\xc3\xa4"})
        EXPECT_EQ(errc::invalid_argument, parse_ws(text).error()) << text;
}

TEST(wrapped_name_test, takes_the_place_of_the_scheme_below)
{
    const wrapped_name name{"ws", "/path"};
    EXPECT_EQ("ws://1.2.3.4:5/path", name.of("tcp://1.2.3.4:5"));
    EXPECT_EQ("", name.of("")) << "unknown below, unknown here";
}

}  // namespace
}  // namespace zlink::transport::ws
