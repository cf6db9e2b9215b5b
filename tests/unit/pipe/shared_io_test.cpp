// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/inline_io.hpp"
#include "pipe/shared_io.hpp"

#include "support/idle_io.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe::test {
namespace {

class some_connection final : public idle_io {};

TEST(shared_io_test, application_threads_may_do_io_between_offer_and_withdrawal)
{
    some_connection connection;
    shared_io io;
    EXPECT_FALSE(io.write_token.try_take());
    EXPECT_FALSE(io.read_token.try_take());
    io.offer(connection);
    ASSERT_TRUE(io.write_token.try_take());
    EXPECT_EQ(&connection, &io.connection());
    EXPECT_FALSE(io.write_token.give());
    ASSERT_TRUE(io.read_token.try_take());
    EXPECT_EQ(&connection, &io.connection());
    EXPECT_FALSE(io.read_token.give());
    withdraw(io);
    EXPECT_FALSE(io.write_token.offered());
    EXPECT_FALSE(io.read_token.offered());
    io.offer(connection);
    EXPECT_TRUE(io.write_token.available()) << "the next connection of the same pipe";
}

TEST(shared_io_test, a_muted_peer_stays_muted)
{
    shared_io io;
    EXPECT_FALSE(io.is_muted());
    io.mute();
    EXPECT_TRUE(io.is_muted());
}

TEST(shared_io_test, tells_whether_the_io_thread_writes)
{
    shared_io io;
    EXPECT_FALSE(io.io_thread_writes());
    io.set_io_thread_writes(true);
    EXPECT_TRUE(io.io_thread_writes());
    io.set_io_thread_writes(false);
    EXPECT_FALSE(io.io_thread_writes());
}

}  // namespace
}  // namespace zlink::pipe::test
