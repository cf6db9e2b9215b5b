// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Attempts to connect by tcp: which addresses are tried, in what order, and from which source.
#include "transport/tcp/tcp_attempt.hpp"

#include "transport/tcp/tcp_socket.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>

#include <cstring>
#include <string>
#include <vector>

namespace zlink::transport::tcp {
namespace {

runtime::socket_address address_of(const ip_address& literal)
{
    runtime::socket_address found{};
    std::memcpy(&found.storage, literal.data(), literal.size());
    found.length = literal.size();
    return found;
}

class tcp_attempt_test : public testing::Test {
protected:
    void SetUp() override
    {
        auto listening = open_listener(*ip_address::from_literal("127.0.0.1", 0), {});
        ASSERT_TRUE(listening);
        listener_ = std::move(*listening);
        port_ = local_address(listener_.get())->port();
        where_.host.port = port_;
        where_.host.host = "there.example";
    }

    [[nodiscard]] ip_address literal(const char* text) const { return *ip_address::from_literal(text, port_); }

    unique_fd listener_;
    std::uint16_t port_ = 0;
    tcp_endpoint where_;
    stream_options options_;
};

TEST_F(tcp_attempt_test, a_name_is_looked_up_first)
{
    tcp_attempt attempt(where_, options_);
    EXPECT_EQ("there.example", attempt.name_to_look_up());
    EXPECT_FALSE(attempt.has_next());
    const std::vector found{address_of(literal("127.0.0.1"))};
    attempt.take_addresses(found);
    EXPECT_TRUE(attempt.has_next());
    EXPECT_EQ("", attempt.name_to_look_up());
}

TEST_F(tcp_attempt_test, a_literal_needs_no_look_up_and_is_tried_once)
{
    tcp_attempt attempt(where_, options_);
    attempt.add(literal("127.0.0.1"));
    EXPECT_EQ("", attempt.name_to_look_up());
    ASSERT_TRUE(attempt.has_next());
    int number = -1;
    const auto opened = attempt.open(number);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->made->descriptor(), number);
    EXPECT_EQ("tcp://127.0.0.1:" + std::to_string(port_), opened->made->peer_endpoint());
    EXPECT_FALSE(attempt.has_next());
}

TEST_F(tcp_attempt_test, addresses_are_tried_one_after_the_other)
{
    tcp_attempt attempt(where_, options_);
    attempt.add(literal("127.0.0.2"));
    attempt.add(literal("127.0.0.1"));
    int number = -1;
    for (const char* host : {"127.0.0.2", "127.0.0.1"}) {
        ASSERT_TRUE(attempt.has_next());
        const auto opened = attempt.open(number);
        if (opened) {
            EXPECT_EQ(std::string("tcp://") + host + ':' + std::to_string(port_), opened->made->peer_endpoint());
        }
    }
    EXPECT_FALSE(attempt.has_next());
}

TEST_F(tcp_attempt_test, a_look_up_without_an_address_leaves_nothing_to_try)
{
    tcp_attempt attempt(where_, options_);
    attempt.take_addresses({});
    EXPECT_FALSE(attempt.has_next());
}

TEST_F(tcp_attempt_test, a_connection_comes_from_its_source)
{
    where_.source.emplace();
    where_.source->host = "127.0.0.3";
    tcp_attempt attempt(where_, options_);
    attempt.add(literal("127.0.0.1"));
    int number = -1;
    const auto opened = attempt.open(number);
    ASSERT_TRUE(opened);
    EXPECT_TRUE(opened->made->local_endpoint().starts_with("tcp://127.0.0.3:")) << opened->made->local_endpoint();
}

}  // namespace
}  // namespace zlink::transport::tcp
