// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Answers that Asio owes: they are counted, passed on, and end a sleep, as does the loop's set of descriptors.
#include "runtime/dns_answers.hpp"

#include "base/unique_fd.hpp"
#include "runtime/asio_driver.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>

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
    /// As a look-up does: an answer that is there at once.
    void answer()
    {
        answers_.note_asked();
        boost::asio::post(answers_.asio().context(), [this] {
            answers_.note_answered();
            ++given_;
        });
    }

    const unique_fd set_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};  ///< stands for the loop's set
    dns_answers answers_;
    int given_ = 0;
};

TEST_F(dns_answers_test, are_owed_from_the_question_to_the_answer)
{
    EXPECT_FALSE(answers_.owed());
    answers_.note_asked();
    answers_.note_asked();
    answers_.note_answered();
    EXPECT_TRUE(answers_.owed()) << "one of two";
    answers_.note_answered();
    EXPECT_FALSE(answers_.owed());
}

TEST_F(dns_answers_test, are_passed_on_by_a_poll_that_does_not_wait)
{
    ASSERT_TRUE(answers_.open(set_.get()));
    answers_.poll();
    EXPECT_EQ(0, given_);
    answer();
    EXPECT_TRUE(answers_.owed());
    answers_.poll();
    EXPECT_EQ(1, given_);
    EXPECT_FALSE(answers_.owed());
}

TEST_F(dns_answers_test, end_a_sleep)
{
    ASSERT_TRUE(answers_.open(set_.get()));
    answer();
    answers_.sleep(1h);
    EXPECT_EQ(1, given_);
}

TEST_F(dns_answers_test, a_sleep_ends_when_the_set_is_readable)
{
    ASSERT_TRUE(answers_.open(set_.get()));
    answers_.note_asked();
    for (int i = 0; i < 3; ++i) {
        raise();
        answers_.sleep(1h);
    }
    EXPECT_EQ(0, given_);
    answers_.note_answered();
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
