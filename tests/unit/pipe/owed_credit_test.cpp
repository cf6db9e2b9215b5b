// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Credit that a lane's writer is told of later: once, and at the latest at the end.
#include "pipe/owed_credit.hpp"

#include "lane_fixture.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe {
namespace {

class owed_credit_test : public testing::Test {
protected:
    owed_credit_test()
    {
        writer_.attach(*queue_);
        reader_.attach(*queue_);
    }
    ~owed_credit_test() override
    {
        writer_.close();
        reader_.close();
        for (pipe_end* end = queue_->take_all(); end;) {
            pipe_end* const after = end->next_in_queue;
            end->discard();
            end = after;
        }
        queue_->release();
    }

    /// Whether the writer has been told since.
    [[nodiscard]] bool told()
    {
        (void)queue_->take_all();
        return writer_.take_events() & event_credit;
    }

private:
    class unattended final : public activation_queue {
        void wake() noexcept override {}
    };

protected:
    unattended* const queue_ = new unattended;
    pipe& pipe_ = *pipe::create({4, 4, 8192});
    pipe_end& writer_ = pipe_.first();
    pipe_end& reader_ = pipe_.second();
};

TEST_F(owed_credit_test, is_not_due_at_first)
{
    owed_credit credit(&reader_);
    credit.add(false);
    EXPECT_FALSE(credit.due());
    credit.tell();
    EXPECT_FALSE(told());
}

TEST_F(owed_credit_test, is_told_once)
{
    owed_credit credit(&reader_);
    credit.add(true);
    credit.add(false);
    EXPECT_TRUE(credit.due()) << "still";
    EXPECT_FALSE(told()) << "not yet";
    credit.tell();
    EXPECT_FALSE(credit.due());
    EXPECT_TRUE(told());
    credit.tell();
    EXPECT_FALSE(told());
}

TEST_F(owed_credit_test, is_told_at_the_end_if_it_was_not_told_before)
{
    {
        owed_credit credit(&reader_);
        credit.add(true);
    }
    EXPECT_TRUE(told());
    {
        owed_credit credit(&reader_);
        credit.add(true);
        credit.tell();
        EXPECT_TRUE(told());
    }
    EXPECT_FALSE(told());
}

TEST_F(owed_credit_test, of_a_lane_outside_of_a_pipe_stays_due)
{
    owed_credit credit;
    credit.add(true);
    credit.tell();
    EXPECT_TRUE(credit.due()) << "nobody has been told";
    EXPECT_FALSE(told());
}

}  // namespace
}  // namespace zlink::pipe
