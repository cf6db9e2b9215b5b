// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// When a connection rests from reading large messages.
#include "engine/read_easing.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zlink::engine {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t many = read_easing::always_held + 1;

// More than the pool of bodies keeps.
class much_in_use {
public:
    much_in_use()
    {
        while (message::body_pool::in_use() <= message::body_pool::most_kept) {
            blocks_.push_back(message::body_pool::take(size));
        }
    }
    ~much_in_use()
    {
        for (void* block : blocks_) message::body_pool::give(block, size);
    }
    much_in_use(const much_in_use&) = delete;
    much_in_use& operator=(const much_in_use&) = delete;

private:
    static constexpr std::size_t size = 1024 * 1024;
    std::vector<void*> blocks_;
};

class read_easing_test : public testing::Test {
protected:
    bool wants_rest(std::uint64_t unread, std::uint64_t taken)
    {
        return easing_.wants_rest(unread, taken, [this] { return now_; });
    }

    read_easing easing_;
    read_easing::clock::time_point now_ = read_easing::clock::now();
};

TEST_F(read_easing_test, reads_on_while_little_is_held)
{
    EXPECT_FALSE(wants_rest(many, 1));
    const much_in_use held;
    EXPECT_FALSE(wants_rest(read_easing::always_held, 1));
    EXPECT_TRUE(wants_rest(many, 1));
}

TEST_F(read_easing_test, rests_as_long_as_the_application_takes_messages)
{
    const much_in_use held;
    for (std::uint64_t taken = 1; taken < 10; ++taken) {
        EXPECT_TRUE(wants_rest(many, taken));
        now_ += read_easing::longest_rest * 9 / 10;
        EXPECT_TRUE(wants_rest(many, taken));
    }
}

TEST_F(read_easing_test, reads_on_for_an_application_that_takes_none)
{
    const much_in_use held;
    EXPECT_FALSE(wants_rest(many, 0));
    EXPECT_TRUE(wants_rest(many, 1));
    now_ += read_easing::longest_rest;
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(wants_rest(many, 1));
    EXPECT_TRUE(wants_rest(many, 2));
}

TEST(body_pool_in_use, counts_what_is_out)
{
    const std::size_t before = message::body_pool::in_use();
    void* block = message::body_pool::take(100'000);
    EXPECT_EQ(before + 100'000, message::body_pool::in_use());
    message::body_pool::give(block, 100'000);
    EXPECT_EQ(before, message::body_pool::in_use());
}

}  // namespace
}  // namespace zlink::engine
