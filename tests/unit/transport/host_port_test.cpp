// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// "host:port" without an endpoint around it, and the device that a socket is limited to.
#include "base/unique_fd.hpp"
#include "transport/ip/device.hpp"
#include "transport/ip/host_port.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>

namespace zlink::transport::ip {
namespace {

host_port parts(std::string_view text, side where = side::peer)
{
    const auto parsed = parse_host_port(text, where);
    EXPECT_TRUE(parsed) << text;
    return parsed ? *parsed : host_port{};
}

TEST(host_port_test, has_a_host_a_port_and_maybe_a_zone)
{
    EXPECT_EQ((host_port{"127.0.0.1", "", 5555}), parts("127.0.0.1:5555"));
    EXPECT_EQ((host_port{"::1", "", 80}), parts("[::1]:80"));
    EXPECT_EQ((host_port{"::1", "", 80}), parts("::1:80"));
    EXPECT_EQ((host_port{"fe80::1", "eth0", 80}), parts("[fe80::1%eth0]:80"));
    EXPECT_EQ((host_port{"", "", 65535}), parts(":65535"));
}

TEST(host_port_test, may_have_any_port_on_the_local_side_alone)
{
    EXPECT_EQ((host_port{"eth0", "", 0}), parts("eth0:*", side::local));
    EXPECT_EQ(errc::invalid_argument, parse_host_port("eth0:*", side::peer).error());
}

TEST(host_port_test, of_another_form_is_an_error)
{
    for (const char* const text : {"", "host", "host:", "host:65536", "host:-1", "host:1x", "host: 1", "[fe80::1%]:1"})
        EXPECT_EQ(errc::invalid_argument, parse_host_port(text, side::local).error()) << text;
}

TEST(device_test, limits_a_socket_if_there_is_one)
{
    const unique_fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ASSERT_TRUE(fd);
    EXPECT_TRUE(bind_to_device(fd.get(), ""));
    EXPECT_FALSE(bind_to_device(fd.get(), "nosuch0"));
}

}  // namespace
}  // namespace zlink::transport::ip
