// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connecting by way of a SOCKS5 proxy: what can be checked without a network, where the attempt goes, and the dialog.
#include "transport/tcp/socks_connect.hpp"

#include "transport/tcp/tcp_options.hpp"
#include "transport/tcp/tcp_socket.hpp"
#include "unit/failures.hpp"

#include <gtest/gtest.h>

#include <poll.h>

#include <memory>
#include <string>
#include <string_view>

namespace zlink::transport::tcp {
namespace {

constexpr int patience_ms = 10000;

stream_options by(const std::string& proxy)
{
    stream_options options;
    options.change<tcp_options>().socks.proxy = proxy;
    return options;
}

tcp_endpoint peer(const std::string& name = "example.com", std::uint16_t port = 5555)
{
    tcp_endpoint to;
    to.host.host = name;
    to.host.port = port;
    return to;
}

TEST(socks_connect_test, a_proxy_is_a_host_and_a_port)
{
    for (const char* good : {"127.0.0.1:1080", "proxy.example:1080", "[::1]:1080"}) {
        stream_options options = by(good);
        options.ipv6 = true;
        EXPECT_TRUE(check_socks(peer(), options)) << good;
    }
    for (const char* bad : {"", "127.0.0.1", "127.0.0.1:0", ":1080", "127.0.0.1:x"}) {
        EXPECT_EQ(errc::invalid_argument, check_socks(peer(), by(bad)).error()) << bad;
        EXPECT_NE(std::string::npos, zlink::test::last_failure().find("SOCKS proxy")) << bad;
    }
}

TEST(socks_connect_test, a_proxy_cannot_be_told_every_peer)
{
    tcp_endpoint with_zone = peer("fe80::1");
    with_zone.host.zone = "eth0";
    EXPECT_EQ(errc::invalid_argument, check_socks(with_zone, by("127.0.0.1:1080")).error());
    EXPECT_NE(std::string::npos, zlink::test::last_failure().find("zone"));

    EXPECT_TRUE(check_socks(peer(std::string(255, 'a')), by("127.0.0.1:1080")));
    EXPECT_EQ(errc::invalid_argument, check_socks(peer(std::string(256, 'a')), by("127.0.0.1:1080")).error());
    EXPECT_NE(std::string::npos, zlink::test::last_failure().find("255 octets"));
}

TEST(socks_connect_test, the_name_of_the_proxy_is_looked_up_and_not_that_of_the_peer)
{
    const tcp_endpoint to = peer();
    const stream_options by_name = by("proxy.example:1080"), by_address = by("127.0.0.1:1080");
    const auto named = connect_by_socks(to, by_name);
    ASSERT_TRUE(named);
    EXPECT_EQ("proxy.example", (*named)->name_to_look_up());
    EXPECT_FALSE((*named)->has_next());
    const auto literal = connect_by_socks(to, by_address);
    ASSERT_TRUE(literal);
    EXPECT_EQ("", (*literal)->name_to_look_up());
    EXPECT_TRUE((*literal)->has_next());
}

TEST(socks_connect_test, there_is_no_attempt_without_a_proxy)
{
    const tcp_endpoint to = peer();
    const stream_options none;
    EXPECT_EQ(errc::invalid_argument, connect_by_socks(to, none).error());
}

/// A proxy of the test, and a stream that connects by way of it.
class socks_dialog_test : public testing::Test {
protected:
    void SetUp() override
    {
        auto listening = open_listener(*ip_address::from_literal("127.0.0.1", 0), {});
        ASSERT_TRUE(listening);
        listener_ = std::move(*listening);
        options_ = by("127.0.0.1:" + std::to_string(local_address(listener_.get())->port()));
        auto attempt = connect_by_socks(to_, options_);
        ASSERT_TRUE(attempt);
        int number = -1;
        auto opened = (*attempt)->open(number);
        ASSERT_TRUE(opened);
        EXPECT_TRUE(opened->in_progress) << "there is a dialog to wait for";
        stream_ = std::move(opened->made);
        wait_for(listener_.get(), POLLIN);
        proxy_.reset(::accept(listener_.get(), nullptr, nullptr));
        ASSERT_TRUE(proxy_);
    }

    static void wait_for(int fd, short events)
    {
        pollfd waiting{fd, events, 0};
        EXPECT_EQ(1, ::poll(&waiting, 1, patience_ms));
    }
    /// The connect goes on when its descriptor is ready.
    errc go_on(short events)
    {
        wait_for(stream_->descriptor(), events);
        const auto outcome = stream_->finish_connect();
        return outcome ? errc::none : outcome.error();
    }
    void expect_at_proxy(std::string_view expected)
    {
        std::string come(expected.size(), '\0');
        EXPECT_EQ(ssize_t(come.size()), ::recv(proxy_.get(), come.data(), come.size(), MSG_WAITALL));
        EXPECT_EQ(expected, come);
    }
    void answer(std::string_view octets)
    {
        EXPECT_EQ(ssize_t(octets.size()), ::send(proxy_.get(), octets.data(), octets.size(), MSG_NOSIGNAL));
    }

    const tcp_endpoint to_ = peer("example.com", 0x1234);
    stream_options options_;
    unique_fd listener_, proxy_;
    std::unique_ptr<stream> stream_;
};

constexpr std::string_view greeting{"\5\1\0", 3};
constexpr std::string_view no_login{"\5\0", 2};
constexpr std::string_view request{"\5\1\0\3\x0b"
                                   "example.com\x12\x34",
                                   18};

TEST_F(socks_dialog_test, is_connected_when_the_proxy_is)
{
    EXPECT_EQ(errc::again, go_on(POLLOUT));
    EXPECT_TRUE(stream_->connect_waits_for_input());
    expect_at_proxy(greeting);
    answer(no_login);
    EXPECT_EQ(errc::again, go_on(POLLIN));
    expect_at_proxy(request);
    answer({"\5\0\0\1\x7f\0\0\1\x12\x34", 10});
    EXPECT_EQ(errc::none, go_on(POLLIN));
}

TEST_F(socks_dialog_test, tells_why_the_proxy_refuses)
{
    EXPECT_EQ(errc::again, go_on(POLLOUT));
    expect_at_proxy(greeting);
    answer({"\5\xff", 2});
    const errc why = go_on(POLLIN);
    EXPECT_NE(errc::none, why);
    EXPECT_NE(errc::again, why);
    EXPECT_TRUE(stream_->tells_failed_connect());
    EXPECT_NE(std::string::npos, zlink::test::latest_failure_of_connection().find("SOCKS proxy"));
}

TEST_F(socks_dialog_test, a_proxy_that_ends_the_connection_has_not_answered)
{
    EXPECT_EQ(errc::again, go_on(POLLOUT));
    expect_at_proxy(greeting);
    proxy_.reset();
    EXPECT_EQ(errc::connection_reset, go_on(POLLIN));
    EXPECT_NE(std::string::npos, zlink::test::latest_failure_of_connection().find("before it had answered"));
}

}  // namespace
}  // namespace zlink::transport::tcp
