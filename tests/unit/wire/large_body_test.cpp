// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A large frame while it arrives: whole in the end however it comes, and no more memory than octets call for.
#include "wire/large_body.hpp"

#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace zlink::wire {
namespace {

using pipe::test::bytes;
using pipe::test::pattern_of;
using pipe::test::text;

message::frame_header header_of(std::uint64_t size)
{
    return {message::flag_long, message::long_header_size, size};
}

constexpr std::size_t at_once = large_body::allocated_at_once;
constexpr std::size_t sizes[] = {1,        300, 8192, at_once - 1, at_once, at_once + 1, 2 * at_once, 2 * at_once + 1,
                                 5'000'000};

void expect_whole(large_body& body, const std::string& content)
{
    EXPECT_TRUE(body.complete());
    message::buffer* b = body.release();
    ASSERT_NE(nullptr, b);
    EXPECT_FALSE(body.active());
    EXPECT_EQ(content.size(), b->capacity());
    EXPECT_TRUE(content == text(b->data(), content.size()));
    b->release();
}

TEST(large_body_test, is_idle_at_first)
{
    const large_body body;
    EXPECT_FALSE(body.active());
}

TEST(large_body_test, is_read_into_its_own_memory)
{
    for (const std::size_t size : sizes) {
        for (const std::size_t step : {std::size_t{1000}, std::size_t{70'000}, size}) {
            const std::string content = pattern_of(size);
            large_body body;
            ASSERT_TRUE(body.begin(header_of(size)));
            EXPECT_TRUE(body.active());
            std::size_t done = 0;
            while (!body.complete()) {
                std::size_t room = 0;
                std::byte* to = body.space(room);
                ASSERT_GT(room, 0u);
                ASSERT_LE(done + room, size);
                EXPECT_EQ(done + room == size, body.last_space());
                const std::size_t n = std::min(step, room);
                std::memcpy(to, content.data() + done, n);
                body.arrived(n);
                done += n;
            }
            EXPECT_EQ(size, done);
            expect_whole(body, content);
        }
    }
}

TEST(large_body_test, takes_octets_that_came_with_its_header)
{
    for (const std::size_t size : sizes) {
        const std::string content = pattern_of(size);
        large_body body;
        ASSERT_TRUE(body.begin(header_of(size)));
        const std::size_t first = size / 3;
        ASSERT_EQ(first, body.take(bytes(content), first));
        EXPECT_FALSE(body.complete());
        const std::string rest = content.substr(first) + "the next frame";
        ASSERT_EQ(size - first, body.take(bytes(rest), rest.size()));
        EXPECT_EQ(0u, body.take(bytes(rest), rest.size()));
        expect_whole(body, content);
    }
}

// A peer may announce what it likes; memory comes at most twice as fast as octets.
TEST(large_body_test, an_announced_length_costs_nothing)
{
    large_body body;
    ASSERT_TRUE(body.begin(header_of(std::uint64_t{1} << 40)));
    std::size_t room = 0, arrived = 0;
    ASSERT_NE(nullptr, body.space(room));
    EXPECT_EQ(at_once, room);
    while (arrived < 8 * at_once) {
        std::byte* to = body.space(room);
        ASSERT_NE(nullptr, to);
        EXPECT_LE(arrived + room, std::max(at_once, 2 * arrived));
        std::memset(to, 1, room);
        body.arrived(room);
        arrived += room;
        EXPECT_FALSE(body.complete());
    }
}

TEST(large_body_test, small_ones_are_allocated_as_they_are)
{
    large_body body;
    ASSERT_TRUE(body.begin(header_of(10'000)));
    std::size_t room = 0;
    ASSERT_NE(nullptr, body.space(room));
    EXPECT_EQ(10'000u, room);
    EXPECT_TRUE(body.last_space());
}

TEST(large_body_test, remembers_its_header)
{
    large_body body;
    ASSERT_TRUE(body.begin({message::flag_long | message::flag_more, message::long_header_size, 5000}));
    EXPECT_EQ(5000u, body.header().body_size);
    EXPECT_TRUE(body.header().flags & message::flag_more);
}

TEST(large_body_test, may_be_dropped_and_begun_again)
{
    large_body body;
    ASSERT_TRUE(body.begin(header_of(100'000)));
    EXPECT_EQ(3u, body.take(bytes("abc"), 3));
    body.drop();
    EXPECT_FALSE(body.active());
    body.drop();
    const std::string content = pattern_of(2000);
    ASSERT_TRUE(body.begin(header_of(2000)));
    EXPECT_EQ(2000u, body.take(bytes(content), 2000));
    expect_whole(body, content);
}

}  // namespace
}  // namespace zlink::wire
