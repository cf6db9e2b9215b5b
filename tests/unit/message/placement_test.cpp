// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Large bodies lie where nobody copies them slowly, wherever malloc() put their block.
#include "message/placement.hpp"

#include <gtest/gtest.h>

namespace zlink::message::placement {
namespace {

constexpr std::uintptr_t block = 1000 * page;

const void* address(std::uintptr_t at)
{
    return reinterpret_cast<const void*>(at);
}

TEST(placement_test, a_body_begins_behind_its_block_and_within_the_room_for_it)
{
    for (std::uintptr_t at = block; at < block + page; at += 16) {
        for (const std::size_t size : {std::size_t{40'000}, std::size_t{65'536}, std::size_t{262'144}}) {
            const std::size_t o = offset(address(at), size);
            EXPECT_LT(o, room(size)) << at - block;
            EXPECT_LT(room(size), size / 40) << size;
            EXPECT_EQ(0u, o % 16) << at - block;
            EXPECT_FALSE(begins_badly(at + o, size)) << at - block;
        }
    }
}

TEST(placement_test, of_two_places_the_one_is_taken_that_does_not_end_with_a_page)
{
    const std::uintptr_t at = block + page / 2;
    EXPECT_EQ(0u, offset(address(at), 10 * page));
    EXPECT_NE(0u, offset(address(at), 10 * page + page / 2));
    EXPECT_EQ(0u, offset(address(at), 10 * page + page / 2 + 1000));
}

TEST(placement_test, nothing_of_ours_is_sent_slowly)
{
    for (std::uintptr_t at = block; at < block + page; at += 16) {
        for (const std::size_t size : {std::size_t{65'536}, std::size_t{262'144}}) {
            const std::uintptr_t body = at + offset(address(at), size);
            for (const std::size_t header : {9, 16, 40}) EXPECT_FALSE(sends_slowly(address(body), size, header));
        }
    }
}

TEST(placement_test, of_a_program_s_memory_what_begins_with_a_page_is_sent_slowly)
{
    EXPECT_TRUE(sends_slowly(address(block), 65'536, 9));        // tcp
    EXPECT_TRUE(sends_slowly(address(block - 16), 65'536, 9));   // tcp and ipc
    EXPECT_FALSE(sends_slowly(address(block + 16), 65'536, 9));  // malloc()'s own large blocks
    EXPECT_FALSE(sends_slowly(address(block + page / 2), 65'536, 9));
}

}  // namespace
}  // namespace zlink::message::placement
