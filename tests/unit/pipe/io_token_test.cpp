// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The I/O token: every way from one state to another, as both sides see it, and that two never hold it.
#include "pipe/io_token.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

namespace zlink::pipe {
namespace {

using taken = io_token::taken;

struct io_token_test : testing::Test {
    io_token token;

    void make_free() { token.offer(); }
    void make_held_by_application()
    {
        make_free();
        ASSERT_EQ(taken::fresh, token.take());
    }
    void make_wanted()
    {
        make_held_by_application();
        ASSERT_FALSE(token.take_or_ask());
    }
    void make_parked()
    {
        make_held_by_application();
        ASSERT_TRUE(token.park());
    }
    void make_held_by_io()
    {
        make_free();
        ASSERT_TRUE(token.take_or_ask());
    }
};

TEST_F(io_token_test, absent_at_first)
{
    EXPECT_EQ(taken::no, token.take());
    EXPECT_FALSE(token.try_take());
    EXPECT_FALSE(token.take_if_parked());
    EXPECT_FALSE(token.wanted());
    // The I/O thread needs no token and leaves none behind.
    EXPECT_TRUE(token.take_or_ask());
    EXPECT_TRUE(token.take_if_free());
    token.give_back();
    EXPECT_EQ(taken::no, token.take());
}

TEST_F(io_token_test, free_for_the_application)
{
    make_free();
    EXPECT_FALSE(token.take_if_parked());
    EXPECT_EQ(taken::fresh, token.take());
    EXPECT_EQ(taken::no, token.take());
    EXPECT_FALSE(token.wanted());
    EXPECT_FALSE(token.give());
    EXPECT_TRUE(token.try_take());
}

TEST_F(io_token_test, free_for_the_io_thread)
{
    make_free();
    EXPECT_TRUE(token.take_or_ask());
    EXPECT_EQ(taken::no, token.take());
    token.give_back();
    EXPECT_TRUE(token.take_if_free());
    EXPECT_EQ(taken::no, token.take());
    token.give_back();
    EXPECT_EQ(taken::fresh, token.take());
}

TEST_F(io_token_test, held_by_the_application)
{
    make_held_by_application();
    EXPECT_FALSE(token.take_if_free());
    EXPECT_FALSE(token.take_if_parked());
    EXPECT_FALSE(token.wanted());
    EXPECT_FALSE(token.take_or_ask());
    EXPECT_TRUE(token.wanted());
}

TEST_F(io_token_test, giving_back_what_the_io_thread_does_not_hold_changes_nothing)
{
    make_held_by_application();
    token.give_back();
    EXPECT_EQ(taken::no, token.take());
    EXPECT_FALSE(token.take_if_free());
    EXPECT_TRUE(token.park());
    token.give_back();
    EXPECT_EQ(taken::parked, token.take());
}

TEST_F(io_token_test, wanted_while_the_application_holds_it)
{
    make_wanted();
    EXPECT_EQ(taken::no, token.take());
    EXPECT_FALSE(token.take_if_free());
    EXPECT_FALSE(token.take_if_parked());
    EXPECT_FALSE(token.take_or_ask());
    token.give_back();
    EXPECT_TRUE(token.wanted());
}

TEST_F(io_token_test, a_wanted_token_is_the_io_threads_when_it_is_given)
{
    make_wanted();
    EXPECT_TRUE(token.give());  // tell the I/O thread
    EXPECT_FALSE(token.wanted());
    EXPECT_EQ(taken::no, token.take());
    EXPECT_TRUE(token.take_or_ask());
    EXPECT_EQ(taken::no, token.take());
    token.give_back();
    EXPECT_EQ(taken::fresh, token.take());
}

// The report that brought it is not repeated: the application may have looked for the last time before.
TEST_F(io_token_test, the_io_thread_has_the_token_that_it_passed_by_when_it_is_given)
{
    make_held_by_application();
    EXPECT_FALSE(token.take_if_free());
    EXPECT_FALSE(token.take_if_free());
    EXPECT_FALSE(token.wanted());  // no reason to hurry
    EXPECT_EQ(taken::no, token.take());
    EXPECT_FALSE(token.take_if_parked());
    EXPECT_TRUE(token.give());  // tell it
    EXPECT_EQ(taken::no, token.take());
    EXPECT_TRUE(token.take_if_free());
    token.give_back();
    EXPECT_EQ(taken::fresh, token.take());
    EXPECT_FALSE(token.give());
}

TEST_F(io_token_test, a_token_that_was_passed_by_can_be_parked)
{
    make_held_by_application();
    EXPECT_FALSE(token.take_if_free());
    EXPECT_TRUE(token.park());
    EXPECT_EQ(taken::parked, token.take());
    EXPECT_FALSE(token.give());
}

TEST_F(io_token_test, a_token_that_was_passed_by_can_be_asked_for)
{
    make_held_by_application();
    EXPECT_FALSE(token.take_if_free());
    EXPECT_FALSE(token.take_or_ask());
    EXPECT_TRUE(token.wanted());
    EXPECT_FALSE(token.park());
    EXPECT_TRUE(token.give());
    EXPECT_TRUE(token.take_or_ask());
}

TEST_F(io_token_test, handed_over_unasked)
{
    make_held_by_application();
    token.hand_over();
    EXPECT_EQ(taken::no, token.take());
    EXPECT_TRUE(token.take_if_free());
    token.give_back();
    EXPECT_EQ(taken::fresh, token.take());
    EXPECT_FALSE(token.take_or_ask());
    token.hand_over();
    EXPECT_FALSE(token.wanted());
    EXPECT_EQ(taken::no, token.take());
    EXPECT_TRUE(token.take_or_ask());
}

TEST_F(io_token_test, a_wanted_token_cannot_be_parked)
{
    make_wanted();
    EXPECT_FALSE(token.park());
    EXPECT_TRUE(token.wanted());
    EXPECT_FALSE(token.take_if_parked());
    EXPECT_EQ(taken::no, token.take());
    EXPECT_TRUE(token.give());
}

TEST_F(io_token_test, parked_for_the_application)
{
    make_parked();
    EXPECT_FALSE(token.wanted());
    EXPECT_EQ(taken::parked, token.take());
    EXPECT_FALSE(token.take_if_parked());
    EXPECT_EQ(taken::no, token.take());
    EXPECT_TRUE(token.park());
    EXPECT_EQ(taken::parked, token.take());
    EXPECT_FALSE(token.give());
    EXPECT_EQ(taken::fresh, token.take());
}

TEST_F(io_token_test, parked_for_the_io_thread)
{
    make_parked();
    EXPECT_FALSE(token.take_if_free());
    EXPECT_TRUE(token.take_if_parked());
    EXPECT_FALSE(token.take_if_parked());
    EXPECT_EQ(taken::no, token.take());
    token.give_back();
    EXPECT_EQ(taken::fresh, token.take());
    EXPECT_TRUE(token.park());
    EXPECT_TRUE(token.take_or_ask());
    EXPECT_EQ(taken::no, token.take());
}

TEST_F(io_token_test, held_by_the_io_thread)
{
    make_held_by_io();
    EXPECT_EQ(taken::no, token.take());
    EXPECT_TRUE(token.take_or_ask());
    EXPECT_TRUE(token.take_if_free());
    EXPECT_FALSE(token.take_if_parked());
    EXPECT_FALSE(token.wanted());
    token.offer();
    EXPECT_EQ(taken::fresh, token.take());
}

// A look of the I/O thread.
TEST_F(io_token_test, a_look_keeps_applications_out_and_changes_nothing)
{
    const auto keeps_out = [this] { return token.take() == taken::no; };
    EXPECT_TRUE(token.look_if_free(keeps_out)) << "absent";
    make_free();
    EXPECT_TRUE(token.look_if_free(keeps_out)) << "free";
    EXPECT_FALSE(token.look_if_free([] { return false; }));
    EXPECT_EQ(taken::fresh, token.take());
}

TEST_F(io_token_test, a_look_asks_nothing_of_an_application)
{
    make_held_by_application();
    EXPECT_FALSE(token.look_if_free([] { return true; }));
    EXPECT_FALSE(token.wanted());
    EXPECT_FALSE(token.give());
}

TEST_F(io_token_test, a_look_leaves_the_io_thread_what_it_holds)
{
    make_held_by_io();
    EXPECT_TRUE(token.look_if_free([] { return true; }));
    EXPECT_EQ(taken::no, token.take());
}

TEST_F(io_token_test, withdrawn_for_good)
{
    make_held_by_io();
    token.withdraw();
    EXPECT_EQ(taken::no, token.take());
    EXPECT_TRUE(token.take_or_ask());
    token.give_back();
    EXPECT_EQ(taken::no, token.take());
    token.offer();
    EXPECT_EQ(taken::fresh, token.take());
}

// What lies under the token is a plain number. A holder that does not see all that the other one did shows in the sum,
// and to ThreadSanitizer as a race. The side that asked, or is handed the token, is told once for each time.
TEST_F(io_token_test, one_holder_at_a_time_and_every_question_answered_stress)
{
    // Or as many as a machine that does other work as well gets done in some seconds.
    constexpr std::uint64_t turns = 30'000;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    std::uint64_t guarded = 0;
    std::uint64_t by_application = 0, by_io = 0;
    std::atomic<std::uint64_t> told{0};
    std::atomic<bool> application_done{false};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const auto in_time = [deadline] { return std::chrono::steady_clock::now() < deadline; };
    token.offer();

    std::jthread application([&] {
        std::mt19937 random{1};
        while (by_application < turns && std::chrono::steady_clock::now() < end) {
            if (token.take() == taken::no) {
                std::this_thread::yield();
                continue;
            }
            ++guarded;
            ++by_application;
            if (random() % 4 == 0) std::this_thread::yield();
            const auto choice = random() % 8;
            if (choice == 0) {
                token.hand_over();
                told.fetch_add(1);
                continue;
            }
            if (choice < 4 && token.park()) continue;
            if (token.give()) told.fetch_add(1);
        }
        application_done = true;
    });

    std::mt19937 random{2};
    const auto use = [&] {
        ++guarded;
        ++by_io;
        if (random() % 16 == 0) {
            token.withdraw();
            ++guarded;  // nobody gets in
            ++by_io;
            token.offer();
        } else {
            token.give_back();
        }
    };
    while (!application_done && in_time()) {
        switch (random() % 4) {
        case 0:
            if (token.take_if_parked()) use();
            break;
        case 1:
            if (token.take_if_free()) use();
            break;
        case 2: {
            const std::uint64_t before = told.load();
            if (token.take_or_ask()) {
                use();
                break;
            }
            while (told.load() == before && in_time()) std::this_thread::yield();
            ASSERT_NE(before, told.load());
            break;
        }
        default: std::this_thread::yield();
        }
    }
    application.join();
    EXPECT_TRUE(token.take_or_ask());
    EXPECT_LT(0u, by_application);
    EXPECT_EQ(by_application + by_io, guarded);
}

}  // namespace
}  // namespace zlink::pipe
