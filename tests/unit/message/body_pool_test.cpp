// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The store of freed large blocks. The last one freed comes first, no more is kept than promised. A block is always
// large enough for what it is handed out for (AddressSanitizer watches the writes).
#include "message/body_pool.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace zlink::message {
namespace {

// The upper bound of every size class.
std::vector<std::size_t> class_sizes()
{
    std::vector<std::size_t> sizes{body_pool::smallest_block};
    for (std::size_t power = body_pool::smallest_block; power < body_pool::largest_block; power *= 2) {
        for (std::size_t step = 1; step <= body_pool::steps; ++step) {
            sizes.push_back(power + power / body_pool::steps * step);
        }
    }
    return sizes;
}

void* take_and_fill(std::size_t size, int content = 0x5a)
{
    void* block = body_pool::take(size);
    EXPECT_NE(nullptr, block);
    if (block) std::memset(block, content, size);
    return block;
}

class body_pool_test : public testing::Test {
protected:
    // Blocks come from malloc: freed directly, they stay out of the pool.
    static void drop(void* block) { std::free(block); }

    static void empty_the_pool()
    {
        // The smallest request of a class is answered by any of its blocks.
        std::size_t smallest = body_pool::smallest_block;
        for (const std::size_t largest : class_sizes()) {
            for (std::size_t n = body_pool::most_kept / smallest; n > 0; --n) drop(body_pool::take(smallest));
            smallest = largest + 1;
        }
    }

    body_pool_test() { empty_the_pool(); }
    ~body_pool_test() override { empty_the_pool(); }
};

TEST_F(body_pool_test, has_blocks_of_any_size)
{
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, body_pool::smallest_block - 1,
                                   body_pool::largest_block + 1, 5 * body_pool::largest_block}) {
        void* block = body_pool::take(size);
        ASSERT_TRUE(block || size == 0);
        if (size) std::memset(block, 1, size);
        body_pool::give(block, size);
    }
}

TEST_F(body_pool_test, gives_a_block_again_to_whatever_is_of_its_class)
{
    std::size_t smallest = body_pool::smallest_block;  // of the class
    for (const std::size_t largest : class_sizes()) {
        const std::vector<std::size_t> sizes{smallest, (smallest + largest) / 2, largest};
        for (const std::size_t given : sizes) {
            for (const std::size_t wanted : sizes) {
                void* first = take_and_fill(given);
                body_pool::give(first, given);
                void* again = take_and_fill(wanted);
                EXPECT_EQ(first, again) << given << ", then " << wanted;
                drop(again);
            }
        }
        smallest = largest + 1;
    }
}

TEST_F(body_pool_test, keeps_classes_apart)
{
    const std::vector<std::size_t> sizes = class_sizes();
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        void* smaller = take_and_fill(sizes[i]);
        body_pool::give(smaller, sizes[i]);
        void* larger = take_and_fill(sizes[i] + 1);
        EXPECT_NE(smaller, larger) << sizes[i];
        drop(larger);
        EXPECT_EQ(smaller, body_pool::take(sizes[i]));
        drop(smaller);
    }
}

TEST_F(body_pool_test, the_block_freed_last_comes_first)
{
    constexpr std::size_t size = 100'000;
    std::vector<void*> blocks;
    for (int i = 0; i < 5; ++i) blocks.push_back(take_and_fill(size));
    for (void* block : blocks) body_pool::give(block, size);
    for (int i = 4; i >= 0; --i) EXPECT_EQ(blocks[std::size_t(i)], body_pool::take(size));
    for (void* block : blocks) drop(block);
}

TEST_F(body_pool_test, keeps_no_more_than_promised)
{
    for (const std::size_t size : {body_pool::smallest_block, std::size_t{300'000}, body_pool::largest_block}) {
        std::vector<void*> blocks;
        for (std::size_t n = 0; n < body_pool::most_kept / size + 2; ++n) blocks.push_back(body_pool::take(size));
        for (void* block : blocks) body_pool::give(block, size);
        // The last ones found no room, so the first to come is one of those before.
        void* first = body_pool::take(size);
        EXPECT_NE(blocks.back(), first);
        EXPECT_NE(blocks[blocks.size() - 2], first);
        drop(first);
        empty_the_pool();
    }
}

TEST_F(body_pool_test, what_was_taken_makes_room_again)
{
    constexpr std::size_t size = body_pool::largest_block;
    constexpr std::size_t room = body_pool::most_kept / size;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < room; ++i) blocks.push_back(body_pool::take(size));
    for (int round = 0; round < 3; ++round) {
        for (void* block : blocks) body_pool::give(block, size);
        for (std::size_t i = room; i > 0; --i) EXPECT_EQ(blocks[i - 1], body_pool::take(size));
    }
    for (void* block : blocks) drop(block);
}

// (malloc joins blocks that lie side by side, and takes the first one.)
TEST_F(body_pool_test, the_shared_block_freed_last_comes_first_also_if_it_is_small)
{
    for (const std::size_t size : {body_pool::smallest_shared_block, std::size_t{1025}, std::size_t{4144},
                                   body_pool::smallest_block - 1, body_pool::smallest_block, std::size_t{100'000}}) {
        std::vector<void*> blocks;
        for (int i = 0; i < 3; ++i) blocks.push_back(body_pool::take_shared(size));
        for (void* block : blocks) {
            ASSERT_NE(nullptr, block);
            std::memset(block, 1, size);
        }
        for (void* block : blocks) body_pool::give_shared(block, size);
        for (int i = 2; i >= 0; --i) EXPECT_EQ(blocks[std::size_t(i)], body_pool::take_shared(size)) << size;
        for (void* block : blocks) drop(block);
    }
}

TEST_F(body_pool_test, small_shared_blocks_do_not_count_as_large)
{
    const std::size_t before = body_pool::in_use();
    void* block = body_pool::take_shared(body_pool::smallest_block - 1);
    EXPECT_EQ(before, body_pool::in_use());
    body_pool::give_shared(block, body_pool::smallest_block - 1);
    EXPECT_EQ(before, body_pool::in_use());
    drop(body_pool::take_shared(body_pool::smallest_block - 1));
}

TEST_F(body_pool_test, keeps_no_more_small_shared_blocks_than_promised)
{
    constexpr std::size_t size = 4096;
    std::vector<void*> blocks;
    for (std::size_t n = 0; n < body_pool::most_kept / size + 1; ++n) blocks.push_back(body_pool::take_shared(size));
    void* const last = blocks.back();
    for (void* block : blocks) body_pool::give_shared(block, size);
    void* first = body_pool::take_shared(size);
    EXPECT_NE(last, first);
    drop(first);
    for (std::size_t n = body_pool::most_kept / size; n > 1; --n) drop(body_pool::take_shared(size));
}

// A block handed out twice would show as another thread's content, and to ThreadSanitizer as a race.
TEST_F(body_pool_test, threads_never_get_the_same_block_stress)
{
    constexpr int rounds = 3000;
    std::vector<std::jthread> threads;
    for (int self = 1; self <= 4; ++self) {
        threads.emplace_back([self] {
            std::mt19937 random{unsigned(self)};
            std::vector<std::pair<unsigned char*, std::size_t>> held;
            const auto shared = [](std::size_t size) { return size < body_pool::smallest_block - 10; };
            const auto give_one = [&] {
                const auto [block, size] = held.back();
                held.pop_back();
                ASSERT_EQ(self, block[0]);
                ASSERT_EQ(self, block[size / 2]);
                ASSERT_EQ(self, block[size - 1]);
                if (shared(size)) return body_pool::give_shared(block, size);
                body_pool::give(block, size);
            };
            for (int i = 0; i < rounds; ++i) {
                const std::size_t size = body_pool::smallest_block - 5000 + random() % 45'000;
                auto* block =
                    static_cast<unsigned char*>(shared(size) ? body_pool::take_shared(size) : body_pool::take(size));
                ASSERT_NE(nullptr, block);
                block[0] = block[size / 2] = block[size - 1] = static_cast<unsigned char>(self);
                held.emplace_back(block, size);
                if (held.size() > 1 + random() % 8) give_one();
            }
            while (!held.empty()) give_one();
        });
    }
}

TEST_F(body_pool_test, counts_what_is_out)
{
    const std::size_t before = body_pool::in_use();
    void* block = body_pool::take(100'000);
    EXPECT_EQ(before + 100'000, body_pool::in_use());
    body_pool::give(block, 100'000);
    EXPECT_EQ(before, body_pool::in_use());
}

// Once there is a block of each size, malloc is not asked any more.
TEST_F(body_pool_test, sizes_that_vary_find_blocks)
{
    std::mt19937 random{1};
    std::set<void*> known;
    int fresh = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::size_t size = 33'000 + random() % 32'000;
        void* block = take_and_fill(size);
        if (known.insert(block).second) fresh += i >= 1000;
        body_pool::give(block, size);
    }
    EXPECT_EQ(0, fresh);
}

}  // namespace
}  // namespace zlink::message
