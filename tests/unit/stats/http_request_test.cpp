// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/http_request.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zlink::stats {

namespace {

bool is_here(std::string_view host) noexcept
{
    return host == "here";
}

/// The status, whole and octet by octet.
int status_of(const std::string& octets, http_request::host_check check = nullptr)
{
    http_request whole(check), slow(check);
    EXPECT_TRUE(whole.advance(octets)) << octets;
    bool done = false;
    for (const char c : octets) done = done || slow.advance({&c, 1});
    EXPECT_TRUE(done);
    EXPECT_EQ(whole.status(), slow.status());
    return whole.status();
}

page_request asked(const std::string& target)
{
    http_request one;
    EXPECT_TRUE(one.advance("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(200, one.status()) << target;
    EXPECT_TRUE(one.is_sole());
    return one.asked();
}

TEST(http_request_test, pages_have_their_paths)
{
    EXPECT_EQ(page::words, asked("/").what);
    EXPECT_EQ(page::metrics, asked("/metrics").what);
    EXPECT_EQ(page::numbers, asked("/stats.json").what);
    EXPECT_FALSE(asked("/stats.json").peers);
    EXPECT_TRUE(asked("/stats.json?peers=1").peers);
    EXPECT_TRUE(asked("/metrics?x=y&peers=1&").peers);
    EXPECT_FALSE(asked("/metrics?peers=0&peers=11").peers);
}

TEST(http_request_test, a_request_that_is_not_sound_is_refused_by_its_status)
{
    const std::string host = "Host: x\r\n\r\n";
    EXPECT_EQ(404, status_of("GET /other HTTP/1.1\r\n" + host));
    EXPECT_EQ(404, status_of("GET /metrics/ HTTP/1.1\r\n" + host));
    EXPECT_EQ(405, status_of("POST /metrics HTTP/1.1\r\n" + host));
    EXPECT_EQ(405, status_of("HEAD / HTTP/1.1\r\n" + host));
    EXPECT_EQ(505, status_of("GET / HTTP/2.0\r\n" + host));
    EXPECT_EQ(400, status_of("GET / HTTP/1.1\r\n\r\n"));
    EXPECT_EQ(400, status_of("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(400, status_of("GET http://x/ HTTP/1.1\r\n" + host));
    EXPECT_EQ(400, status_of("GET /\r\n" + host));
    EXPECT_EQ(400, status_of("GET / x HTTP/1.1\r\n" + host));
    EXPECT_EQ(400, status_of("get / HTTP/1.1\r\n" + host));
    EXPECT_EQ(400, status_of("GET / HTTP/1.1x\r\n" + host));
    EXPECT_EQ(400, status_of("GET / HTTP/1.1\r\nContent-Length: 5\r\n" + host + "12345"));
    EXPECT_EQ(400, status_of("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + host));
    EXPECT_EQ(400, status_of(std::string("\xff\0\0\0\0\0\0\0\1\x7f", 10)));
    EXPECT_EQ(200, status_of("GET / HTTP/1.0\r\n\r\n"));
}

TEST(http_request_test, a_request_without_an_end_is_refused_at_8192_octets)
{
    http_request endless;
    EXPECT_FALSE(endless.advance(std::string(8191, 'x')));
    EXPECT_TRUE(endless.advance("x"));
    EXPECT_EQ(431, endless.status());
    EXPECT_EQ(431, status_of("GET / HTTP/1.1\r\nX: " + std::string(64 * 1024, 'x')));
}

TEST(http_request_test, over_tcp_the_host_is_this_machine)
{
    EXPECT_EQ(200, status_of("GET / HTTP/1.1\r\nHost: here\r\n\r\n", is_here));
    EXPECT_EQ(403, status_of("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", is_here));
    EXPECT_EQ(403, status_of("POST / HTTP/1.1\r\nHost: evil.example\r\n\r\n", is_here));
    EXPECT_EQ(403, status_of("GET / HTTP/1.0\r\n\r\n", is_here));
}

TEST(http_request_test, what_comes_behind_a_request_is_noticed)
{
    http_request more;
    EXPECT_TRUE(more.advance("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET"));
    EXPECT_FALSE(more.is_sole());
}

TEST(http_request_test, answers_are_whole)
{
    const std::string told = http_answer(200, "a/b", "content");
    EXPECT_TRUE(told.starts_with("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 7\r\n")) << told;
    EXPECT_TRUE(told.ends_with("\r\nConnection: close\r\n\r\ncontent")) << told;
    EXPECT_NE(std::string::npos, http_refusal(405).find("\r\nAllow: GET\r\n"));
    for (const int status : {400, 403, 404, 405, 431, 503, 505})
        EXPECT_TRUE(http_refusal(status).starts_with("HTTP/1.1 " + std::to_string(status) + " "));
}

}  // namespace

}  // namespace zlink::stats
