// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sends that wait for each other: in which order they go.
#include "socket/held_sends.hpp"

#include "lone_pipe.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace zlink::socket {
namespace {

// A connection whose I/O thread sleeps, and that notes when it is written to.
class idle_connection final : public pipe::inline_io {
public:
    idle_connection(int number, std::vector<int>& written) : number_(number), written_(written)
    {
        pipe::pipe& p = end().parent();
        p.io = this;
        p.write_token.offer();
        (void)pipe_.far().reader.go_dormant();
    }
    ~idle_connection() { end().parent().io = nullptr; }
    idle_connection(const idle_connection&) = delete;
    idle_connection& operator=(const idle_connection&) = delete;

    [[nodiscard]] pipe::pipe_end& end() const { return pipe_.near(); }

    write_outcome write_inline(bool) noexcept override
    {
        written_.push_back(number_);
        return write_outcome::done;
    }
    write_outcome write_large() noexcept override { return write_outcome::hand_over; }
    read_outcome read_inline() noexcept override { return read_outcome::nothing; }
    bool waits_for_io() const noexcept override { return false; }
    bool has_more() const noexcept override { return false; }
    void pause_reading() noexcept override {}
    void resume_reading() noexcept override {}
    int descriptor() const noexcept override { return -1; }
    unsigned neighbours() const noexcept override { return 1; }

private:
    int number_;
    std::vector<int>& written_;
    test::lone_pipe pipe_;
};

class held_sends_test : public testing::Test {
protected:
    held_sends_test()
    {
        for (int i = 0; i < 5; ++i) {
            connections_.push_back(std::make_unique<idle_connection>(i, written_));
            ends_.push_back(&connections_.back()->end());
        }
        sends_.reserve(ends_.size());
        sends_.begin_burst();
    }
    ~held_sends_test() override { mailbox_->release(); }

    void hold(std::vector<int> which)
    {
        for (const int i : which) {
            ASSERT_EQ(pipe::send_holder::verdict::held, sends_.hold(*ends_[std::size_t(i)]));
        }
    }

    std::vector<int> written_;
    mailbox* mailbox_ = new mailbox;
    std::vector<std::unique_ptr<idle_connection>> connections_;
    std::vector<pipe::pipe_end*> ends_;
    held_sends sends_{ends_, *mailbox_};
};

// The answers of a server to its clients, say.
TEST_F(held_sends_test, who_has_waited_longest_is_written_to_first)
{
    hold({3, 1, 4, 0, 2});
    EXPECT_TRUE(written_.empty());
    sends_.end_burst();
    EXPECT_EQ((std::vector<int>{3, 1, 4, 0, 2}), written_);
    EXPECT_TRUE(sends_.empty());
}

TEST_F(held_sends_test, several_messages_for_one_go_with_its_first)
{
    hold({2, 0, 2, 1, 0, 2});
    sends_.end_burst();
    EXPECT_EQ((std::vector<int>{2, 0, 1}), written_);
}

TEST_F(held_sends_test, whose_pipe_has_gone_is_not_written_to)
{
    hold({0, 1, 2});
    sends_.forget(*ends_[1]);
    sends_.end_burst();
    EXPECT_EQ((std::vector<int>{0, 2}), written_);
}

TEST_F(held_sends_test, nothing_goes_twice)
{
    hold({0, 1});
    sends_.send();
    sends_.send();
    sends_.end_burst();
    EXPECT_EQ((std::vector<int>{0, 1}), written_);
}

}  // namespace
}  // namespace zlink::socket
