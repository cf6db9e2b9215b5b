// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Copies of many octets: the same as memcpy() wherever they go, and places that are slow are known.
#include "base/many_octets.hpp"

#include "base/small_octets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

namespace zlink {
namespace {

const void* address(std::size_t at)
{
    return reinterpret_cast<const void*>(at);
}

TEST(many_octets_test, every_place_gets_all_octets_and_no_more)
{
    constexpr std::size_t most = 3 * page;
    std::vector<unsigned char> from(most + 2 * page), to(most + 2 * page), expected;
    std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
    const auto at_page = [](std::vector<unsigned char>& v) {
        void* at = v.data();
        std::size_t room = v.size();
        return static_cast<unsigned char*>(std::align(page, 1, at, room));
    };
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, many_octets - 1, many_octets, many_octets + 1, most}) {
        for (std::size_t behind = 0; behind <= 40; ++behind) {
            for (const bool small : {false, true}) {
                std::fill(to.begin(), to.end(), static_cast<unsigned char>(0));
                unsigned char* target = at_page(to) + behind;
                expected = to;
                std::memcpy(expected.data() + (target - to.data()), at_page(from), size);
                small ? copy_octets(target, at_page(from), size) : copy_many_octets(target, at_page(from), size);
                ASSERT_EQ(expected, to) << size << " octets, " << behind;
            }
        }
    }
}

TEST(many_octets_test, slow_is_what_goes_a_little_behind_in_any_page)
{
    for (const std::size_t pages : {std::size_t{0}, page, 1000 * page}) {
        EXPECT_FALSE(copies_slowly(address(5000 + pages), address(5000)));
        EXPECT_TRUE(copies_slowly(address(5001 + pages), address(5000)));
        EXPECT_TRUE(copies_slowly(address(5031 + pages), address(5000)));
        EXPECT_FALSE(copies_slowly(address(5032 + pages), address(5000)));
        EXPECT_FALSE(copies_slowly(address(4999 + pages), address(5000)));
    }
    EXPECT_TRUE(copies_slowly(address(page + 1), address(2 * page - 1)));
}

}  // namespace
}  // namespace zlink
