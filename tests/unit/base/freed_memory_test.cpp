// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Pages that are given back: whole ones lose their content, and their neighbours in the same block keep theirs.
#include "base/freed_memory.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace zlink {
namespace {

class freed_memory_test : public testing::Test {
protected:
    static constexpr std::size_t pages = 4;
    static constexpr std::byte mark{0x5a};

    freed_memory_test()
        : memory_(static_cast<std::byte*>(
              ::mmap(nullptr, pages * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
    {
        EXPECT_NE(MAP_FAILED, static_cast<void*>(memory_));
        std::memset(memory_, int(mark), pages * page_);
    }
    ~freed_memory_test() override { EXPECT_EQ(0, ::munmap(memory_, pages * page_)); }

    [[nodiscard]] bool all(std::size_t from, std::size_t to, std::byte value) const
    {
        return std::all_of(memory_ + from, memory_ + to, [value](std::byte b) { return b == value; });
    }

    const std::size_t page_ = std::size_t(::sysconf(_SC_PAGESIZE));
    std::byte* const memory_;
};

TEST_F(freed_memory_test, whole_pages_lose_their_content_and_the_rest_keeps_it)
{
    give_pages_back(memory_ + 1, 3 * page_);
    EXPECT_TRUE(all(0, page_, mark));
    EXPECT_TRUE(all(page_, 3 * page_, std::byte{0}));
    EXPECT_TRUE(all(3 * page_, pages * page_, mark));
}

TEST_F(freed_memory_test, a_block_of_whole_pages_goes_back_entirely)
{
    give_pages_back(memory_ + page_, 2 * page_);
    EXPECT_TRUE(all(0, page_, mark));
    EXPECT_TRUE(all(page_, 3 * page_, std::byte{0}));
    EXPECT_TRUE(all(3 * page_, pages * page_, mark));
}

TEST_F(freed_memory_test, a_block_without_a_whole_page_is_left_alone)
{
    give_pages_back(memory_ + 1, page_ - 1);
    give_pages_back(memory_ + 1, 2 * page_ - 2);
    give_pages_back(memory_ + page_, 0);
    EXPECT_TRUE(all(0, pages * page_, mark));
}

TEST_F(freed_memory_test, pages_that_were_given_back_can_be_used_again)
{
    give_pages_back(memory_, pages * page_);
    std::memset(memory_, int(mark), pages * page_);
    EXPECT_TRUE(all(0, pages * page_, mark));
}

}  // namespace
}  // namespace zlink
