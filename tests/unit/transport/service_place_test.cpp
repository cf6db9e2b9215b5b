// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/local_service/service_place.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace zlink::transport::local_service {

namespace {

std::string normal(std::string_view text)
{
    const auto parsed = parse_place(text);
    const auto* const place = std::get_if<service_place>(&parsed);
    return place ? to_text(*place) : "refused: " + std::get<std::string>(parsed);
}

TEST(service_place_test, paths_and_loopback_addresses_are_places)
{
    EXPECT_EQ("ipc:///run/app", normal("/run/app"));
    EXPECT_EQ("ipc:///run/app", normal("ipc:///run/app"));
    EXPECT_EQ("ipc://stats/a.sock", normal("stats/a.sock"));
    EXPECT_EQ("ipc://./9100", normal("./9100"));
    EXPECT_EQ("ipc://a:b", normal("a:b"));
    EXPECT_EQ("ipc:///a:1", normal("/a:1"));
    EXPECT_EQ("tcp://127.0.0.1:9100", normal("tcp://127.0.0.1:9100"));
    EXPECT_EQ("tcp://127.0.0.1:9100", normal("127.0.0.1:9100"));
    EXPECT_EQ("tcp://127.0.0.1:9100", normal("tcp://LocalHost:9100"));
    EXPECT_EQ("tcp://127.255.255.254:65535", normal("127.255.255.254:65535"));
    EXPECT_EQ("tcp://[::1]:1", normal("tcp://[::1]:1"));
    EXPECT_EQ("tcp://127.0.0.1:0", normal("127.0.0.1:0"));
}

TEST(service_place_test, whatever_others_could_read_is_refused_with_the_cure)
{
    for (const auto* const text : {"tcp://0.0.0.0:1",
                                   "tcp://10.0.0.1:1",
                                   "tcp://*:1",
                                   "tcp://[::]:1",
                                   "example.org:80",
                                   "tcp://128.0.0.1:1",
                                   "tcp://127.0.0.1.example.org:1",
                                   "tcp://127.0.0:1",
                                   "tcp://127.0.0.256:1",
                                   "tcp://127.0.0.1",
                                   "tcp://:1",
                                   "tcp://127.0.0.1:",
                                   "tcp://127.0.0.1:65536",
                                   "tcp://127.0.0.1:x",
                                   "tcp://127.0.0.1:-1",
                                   "udp://127.0.0.1:1",
                                   "",
                                   "ipc://",
                                   "@abstract",
                                   "ipc://@abstract",
                                   "ipc://*"}) {
        const std::string told = normal(text);
        EXPECT_TRUE(told.starts_with("refused: ")) << text << ": " << told;
        EXPECT_NE(std::string::npos, told.find("use the path of a file, or tcp://127.0.0.1:PORT")) << told;
    }
    EXPECT_EQ("ipc:///" + std::string(106, 'x'), normal("/" + std::string(106, 'x')));
    EXPECT_NE(std::string::npos, normal("/" + std::string(107, 'x')).find("use a shorter one"));
}

TEST(service_place_test, a_host_that_means_this_machine)
{
    for (const auto* const host :
         {"localhost", "LOCALHOST", "localhost:80", "127.0.0.1", "127.1.2.3:9100", "[::1]", "[::1]:65535"})
        EXPECT_TRUE(is_loopback_host(host)) << host;
    for (const auto* const host : {"", "example.org", "localhost.example.org", "127.0.0.1.nip.io", "127.0.0.1:x", "::1",
                                   "[::1", "10.0.0.1", "localhost:", "[::2]", "127.0.0.1:80:80", "0.0.0.0"})
        EXPECT_FALSE(is_loopback_host(host)) << host;
}

TEST(service_place_test, the_process_is_put_into_the_text)
{
    EXPECT_EQ("/run/7.sock", with_process("/run/%p.sock", 7));
    EXPECT_EQ("%p7%", with_process("%%p%p%%", 7));
    EXPECT_EQ("", with_process("", 7));
    EXPECT_FALSE(with_process("/run/%", 7));
    EXPECT_FALSE(with_process("/run/%d", 7));
    EXPECT_GT(this_process(), 0);
}

}  // namespace

}  // namespace zlink::transport::local_service
