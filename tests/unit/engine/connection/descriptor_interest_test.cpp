// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What is reported of a descriptor. That is input and output as asked for, whether its input is awaited or not. A
// hang-up that cannot be dealt with yet is not reported for ever.
#include "engine/connection/descriptor_interest.hpp"

#include "unit/engine/engine_fixture.hpp"
#include "unit/runtime/asked_of_epoll.hpp"
#include "unit/runtime/reporting_pair.hpp"

#include <gtest/gtest.h>

#include <sys/epoll.h>

#include <utility>

namespace zlink::engine::test {
namespace {

class descriptor_interest_test : public engine_fixture, public testing::WithParamInterface<runtime::input> {
protected:
    void SetUp() override
    {
        engine_fixture::SetUp();
        on_worker([this] { ASSERT_TRUE(interest_.add(pair_.watched())); });
    }
    void TearDown() override
    {
        on_worker([this] { interest_.remove(); });
        engine_fixture::TearDown();
    }

    runtime::test::reporting_pair pair_;
    descriptor_interest interest_{worker_.loop(), pair_, GetParam()};
};

INSTANTIATE_TEST_SUITE_P(kinds, descriptor_interest_test,
                         testing::Values(runtime::input::unawaited, runtime::input::awaited),
                         [](const auto& p) { return p.param == runtime::input::awaited ? "awaited" : "unawaited"; });

TEST_P(descriptor_interest_test, reports_input_each_time_it_is_asked_for)
{
    pair_.write();
    for (int i = 1; i <= 3; ++i) {
        interest_.change_and_rearm(EPOLLIN, 0);
        ASSERT_TRUE(pair_.await_report());
        EXPECT_EQ(std::uint32_t(EPOLLIN), pair_.last_events);
        let_a_round_pass();
        EXPECT_EQ(i, pair_.reports);
    }
}

TEST_P(descriptor_interest_test, reports_output_and_input_beside_each_other)
{
    pair_.action = [this](std::uint32_t events) {
        interest_.change(0, events & EPOLLOUT);
        interest_.rearm();
    };
    for (int i = 0; i < 3; ++i) {
        interest_.change_and_rearm(EPOLLIN | EPOLLOUT, 0);
        ASSERT_TRUE(pair_.await_report());
        EXPECT_EQ(std::uint32_t(EPOLLOUT), pair_.last_events);
    }
    pair_.action = [this](std::uint32_t) { interest_.change_and_rearm(0, EPOLLIN); };
    pair_.write();
    ASSERT_TRUE(pair_.await_report());
    EXPECT_EQ(std::uint32_t(EPOLLIN), pair_.last_events);
    let_a_round_pass();
    EXPECT_EQ(4, pair_.reports);
}

TEST_P(descriptor_interest_test, reports_nothing_that_was_switched_off)
{
    interest_.change_and_rearm(EPOLLIN, 0);
    interest_.change_and_rearm(0, EPOLLIN);
    pair_.write();
    let_a_round_pass();
    EXPECT_EQ(0, pair_.reports);
}

// As a connection whose inbound lane is full: the end of the stream has to wait until there is room. The worker does
// not spend the time on hearing of it.
TEST_P(descriptor_interest_test, a_hang_up_is_not_reported_for_ever_to_who_wants_no_input)
{
    pair_.action = [this](std::uint32_t) { interest_.change_and_rearm(0, EPOLLIN); };
    interest_.change_and_rearm(EPOLLIN, 0);
    pair_.hang_up();
    ASSERT_TRUE(pair_.await_report());
    EXPECT_TRUE(pair_.last_events & EPOLLHUP);
    for (int i = 0; i < 50; ++i) let_a_round_pass();
    EXPECT_LE(pair_.reports, 4);  // one in each set for each time that interest was changed
    const int before = pair_.reports;
    interest_.change_and_rearm(EPOLLIN, 0);
    while (pair_.reports == before) ASSERT_TRUE(pair_.await_report());
}

// Awaited input has to be asked for each time.
TEST_P(descriptor_interest_test, input_that_was_read_to_its_end_is_reported_without_a_call)
{
    std::uint32_t asked_before = 0;
    pair_.action = [&](std::uint32_t events) {
        interest_.note_report(events);
        pair_.read();
        interest_.ask_for_input(true);
        const int set =
            GetParam() == runtime::input::awaited ? worker_.loop().awaited_descriptor() : worker_.loop().descriptor();
        asked_before = runtime::test::mask_of_epoll(set, pair_.watched());
    };
    on_worker([this] { interest_.ask_for_input(false); });
    for (int i = 1; i <= 3; ++i) {
        pair_.write();
        ASSERT_TRUE(pair_.await_report());
        let_a_round_pass();
        EXPECT_EQ(i, pair_.reports);
        EXPECT_EQ(GetParam() == runtime::input::unawaited, (asked_before & EPOLLET) != 0);
    }
}

TEST_P(descriptor_interest_test, input_that_is_left_is_reported_again)
{
    pair_.action = [this](std::uint32_t events) {
        interest_.note_report(events);
        interest_.ask_for_input(false);
    };
    pair_.write();
    on_worker([this] { interest_.ask_for_input(false); });
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(pair_.await_report());
    EXPECT_EQ(std::uint32_t(EPOLLIN), pair_.last_events);
}

// A read that takes all octets does not tell that the end is behind them.
TEST_P(descriptor_interest_test, the_end_that_came_with_input_is_reported_after_it)
{
    bool read = false;
    pair_.action = [&](std::uint32_t events) {
        interest_.note_report(events);
        if (std::exchange(read, true)) return;
        pair_.read();
        interest_.ask_for_input(true);
    };
    pair_.write();
    pair_.hang_up();
    on_worker([this] { interest_.ask_for_input(false); });
    ASSERT_TRUE(pair_.await_report());
    ASSERT_TRUE(pair_.await_report());
    EXPECT_TRUE(pair_.last_events & EPOLLHUP);
    for (int i = 0; i < 10; ++i) let_a_round_pass();
    EXPECT_LE(pair_.reports, 3) << "not for ever, one in each set";
}

TEST_P(descriptor_interest_test, room_is_reported_next_to_input_that_is_kept)
{
    on_worker([this] { interest_.ask_for_input(false); });
    interest_.change_and_rearm(EPOLLOUT, 0);
    ASSERT_TRUE(pair_.await_report());
    EXPECT_TRUE(pair_.last_events & EPOLLOUT);
    pair_.action = [this](std::uint32_t events) {
        interest_.note_report(events);
        interest_.change(0, EPOLLOUT);
        interest_.ask_for_input(true);
    };
    interest_.rearm();
    ASSERT_TRUE(pair_.await_report());
    pair_.action = nullptr;
    pair_.write();
    ASSERT_TRUE(pair_.await_report());
    EXPECT_EQ(std::uint32_t(EPOLLIN), pair_.last_events);
}

TEST_P(descriptor_interest_test, is_told_nothing_after_it_was_removed)
{
    pair_.action = [this](std::uint32_t) { interest_.remove(); };
    interest_.change_and_rearm(EPOLLIN | EPOLLOUT, 0);
    pair_.hang_up();
    ASSERT_TRUE(pair_.await_report());
    interest_.change_and_rearm(EPOLLIN, 0);
    let_a_round_pass();
    EXPECT_EQ(1, pair_.reports);
}

}  // namespace
}  // namespace zlink::engine::test
