// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sleeps on a word: none if the word has changed, and an end by a wake-up or by time.
#include "runtime/futex.hpp"

#include "support/kernel_calls.hpp"
#include "support/sleeping_thread.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace zlink::runtime {
namespace {

constexpr timespec long_time{30, 0};

TEST(futex_test, does_not_sleep_if_the_word_has_another_value)
{
    const std::atomic<std::uint32_t> word{1};
    EXPECT_EQ(EAGAIN, futex_wait(word, 0, long_time));
}

TEST(futex_test, sleeps_for_the_given_time_at_most)
{
    const std::atomic<std::uint32_t> word{1};
    const auto begin = std::chrono::steady_clock::now();
    int why = EINTR;
    while (why == EINTR) why = futex_wait(word, 1, {0, 2'000'000});
    EXPECT_EQ(ETIMEDOUT, why);
    EXPECT_LE(std::chrono::milliseconds(2), std::chrono::steady_clock::now() - begin);
}

/// A thread that sleeps until the word is 1.
class sleeper {
public:
    explicit sleeper(const std::atomic<std::uint32_t>& word)
        : thread_([this, &word] {
              id_ = zlink::test::thread_id();
              while (word.load() == 0) last_ = futex_wait(word, 0, long_time);
          })
    {}
    [[nodiscard]] bool sleeps() const { return zlink::test::comes_to_sleep(id_); }
    /// Why it slept no longer.
    [[nodiscard]] int end()
    {
        thread_.join();
        return last_;
    }

private:
    std::atomic<pid_t> id_{0};
    int last_ = -1;
    std::thread thread_;
};

TEST(futex_test, a_wake_up_ends_the_sleep)
{
    std::atomic<std::uint32_t> word{0};
    sleeper one(word);
    ASSERT_TRUE(one.sleeps());
    word = 1;
    futex_wake(word, 1);
    EXPECT_EQ(0, one.end());
}

TEST(futex_test, a_wake_up_may_be_for_several)
{
    std::atomic<std::uint32_t> word{0};
    sleeper one(word), other(word);
    ASSERT_TRUE(one.sleeps() && other.sleeps());
    word = 1;
    futex_wake(word, 2);
    EXPECT_EQ(0, one.end());
    EXPECT_EQ(0, other.end());
}

TEST(futex_test, a_wake_up_without_sleepers_leaves_the_word_alone)
{
    std::atomic<std::uint32_t> word{7};
    futex_wake(word, 1);
    EXPECT_EQ(7u, word.load());
}

}  // namespace
}  // namespace zlink::runtime
