// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Answers to look-ups: they are counted, passed on, and end a sleep, as does the loop's set of descriptors.
#include "runtime/dns_answers.hpp"

#include "base/unique_fd.hpp"
#include "runtime/lookup_service.hpp"
#include "runtime/socket_address.hpp"

#include <gtest/gtest.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace zlink::runtime {
namespace {

using namespace std::chrono_literals;

class dns_answers_test : public testing::Test {
protected:
    void raise() const
    {
        const std::uint64_t one = 1;
        ASSERT_EQ(ssize_t(sizeof one), ::write(set_.get(), &one, sizeof one));
    }
    /// Asks for what the system answers at once.
    void ask()
    {
        asked_.push_back(answers_.ask("127.0.0.1", [this](const lookup_answer& answer) {
            ++given_;
            EXPECT_TRUE(answer);
        }));
    }

    const unique_fd set_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};  ///< stands for the loop's set
    dns_answers answers_;
    std::vector<std::unique_ptr<lookup_service::request>> asked_;
    int given_ = 0;
};

TEST_F(dns_answers_test, are_owed_from_the_question_to_the_answer)
{
    ASSERT_TRUE(answers_.open(set_.get()));
    EXPECT_FALSE(answers_.owed());
    ask();
    ask();
    while (given_ < 2) {
        EXPECT_TRUE(answers_.owed());
        answers_.sleep(1h);
    }
    EXPECT_FALSE(answers_.owed());
}

TEST_F(dns_answers_test, are_passed_on_by_a_poll_that_does_not_wait)
{
    ASSERT_TRUE(answers_.open(set_.get()));
    answers_.poll();
    EXPECT_EQ(0, given_);
    ask();
    EXPECT_EQ(0, given_);
    EXPECT_TRUE(answers_.owed());
    while (given_ == 0) {
        std::this_thread::yield();
        answers_.poll();
    }
    EXPECT_EQ(1, given_);
    EXPECT_FALSE(answers_.owed());
}

TEST_F(dns_answers_test, end_a_sleep)
{
    ASSERT_TRUE(answers_.open(set_.get()));
    ask();
    answers_.sleep(1h);
    EXPECT_EQ(1, given_);
}

TEST_F(dns_answers_test, a_cancelled_question_is_answered_too)
{
    ASSERT_TRUE(answers_.open(set_.get()));
    int told = 0;
    const auto asked = answers_.ask("127.0.0.1", [&](const lookup_answer&) { ++told; });
    asked->cancel();
    while (answers_.owed()) answers_.sleep(1h);
    EXPECT_EQ(1, told);
}

TEST_F(dns_answers_test, a_question_without_an_answer_ends_with_them)
{
    const auto kept = std::make_shared<int>();
    bool told = false;
    {
        dns_answers others;
        ASSERT_TRUE(others.open(set_.get()));
        for (int i = 0; i < 3; ++i)
            asked_.push_back(others.ask("127.0.0.1", [&told, kept](const lookup_answer&) { told = true; }));
        asked_.clear();
    }
    EXPECT_FALSE(told);
    EXPECT_EQ(1, kept.use_count());
}

TEST_F(dns_answers_test, a_sleep_ends_when_the_set_is_readable)
{
    ASSERT_TRUE(answers_.open(set_.get()));
    for (int i = 0; i < 3; ++i) {
        raise();
        answers_.sleep(1h);
    }
    EXPECT_EQ(0, given_);
}

TEST_F(dns_answers_test, leave_the_set_open)
{
    {
        dns_answers others;
        ASSERT_TRUE(others.open(set_.get()));
        raise();
        others.sleep(1h);
    }
    raise();
}

TEST_F(dns_answers_test, need_a_descriptor)
{
    EXPECT_EQ(from_errno(EBADF), answers_.open(-1).error());
}

}  // namespace
}  // namespace zlink::runtime
