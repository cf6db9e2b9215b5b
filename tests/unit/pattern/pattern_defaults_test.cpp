// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The answers that a socket type gives if it has none of its own.
#include "pattern/pattern_defaults.hpp"

#include "pattern/routing_record.hpp"

#include <gtest/gtest.h>

namespace zlink::pattern {
namespace {

/// A socket type with neither peers nor messages.
class plainest final : public pattern_defaults {
public:
    errc send(const pipe::outgoing&) override { return errc::not_supported; }
    errc receive(pipe::delivery&) override { return errc::not_supported; }
    bool can_send() override { return false; }
    bool can_receive() override { return false; }
    bool attach(pipe::pipe_end&, const attachment&) override { return false; }
    void on_peer_closed(pipe::pipe_end&) override {}
    void detach(pipe::pipe_end&) override {}
};

TEST(pattern_defaults_test, there_is_no_shortcut)
{
    plainest type;
    EXPECT_EQ(nullptr, type.sole_target());
    EXPECT_EQ(nullptr, type.sole_source());
}

TEST(pattern_defaults_test, there_are_no_subscriptions)
{
    plainest type;
    EXPECT_EQ(errc::invalid_argument, type.subscribe({}, true));
    EXPECT_EQ(errc::invalid_argument, type.subscribe({}, false));
    EXPECT_EQ(-1, type.topics_count());
}

TEST(pattern_defaults_test, peers_have_neither_numbers_nor_states)
{
    plainest type;
    EXPECT_EQ(0u, type.last_connected());
    EXPECT_EQ(errc::not_supported, type.disconnect_peer(1));
    EXPECT_EQ(errc::not_supported, type.state_of("peer").error());
}

TEST(pattern_defaults_test, nothing_comes_while_it_is_about_to_sleep)
{
    plainest type;
    EXPECT_TRUE(type.announce_sleep());
    EXPECT_FALSE(type.confirm_sleep());
}

TEST(routing_record_test, a_new_pipe_is_of_a_peer_without_name_and_number_that_has_its_place)
{
    const routing_record record;
    EXPECT_FALSE(record.identified);
    EXPECT_FALSE(record.draining);
    EXPECT_FALSE(record.rejected);
    EXPECT_FALSE(record.place_was_left);
    EXPECT_EQ("", record.routing_id);
    EXPECT_EQ(0u, record.number);
}

}  // namespace
}  // namespace zlink::pattern
