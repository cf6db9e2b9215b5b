// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Each kind of work has its turn in each round, whatever the others have to do: with made-up work and a made-up clock.
#include "runtime/work_classes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace zlink::runtime::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t count = work_classes::all.size();

class made_up_work {
public:
    struct kind {
        int waiting = 0;  ///< pieces that the next batch consists of
        clock::duration piece_takes{};
        bool endless = false;
        int batch = 0;
        int pieces = 0;   ///< done
        int in_turn = 0;  ///< of the last round
        clock::time_point last_end{};
        clock::duration longest_wait{};
        std::function<void()> at_piece;
    };

    kind& operator[](work_class c) { return kinds_[std::size_t(c)]; }

    bool round()
    {
        for (kind& k : kinds_) k.in_turn = 0;
        return classes.round(*this);
    }

    bool begin(work_class c)
    {
        kind& k = (*this)[c];
        k.batch = k.endless ? 1'000'000 : std::exchange(k.waiting, 0);
        return k.batch != 0;
    }
    bool piece(work_class c)
    {
        EXPECT_FALSE(inside_) << "one kind of work within another";
        inside_ = true;
        kind& k = (*this)[c];
        if (k.in_turn++ == 0) k.longest_wait = std::max(k.longest_wait, now_ - k.last_end);
        now_ += k.piece_takes;
        k.last_end = now_;
        ++k.pieces;
        if (k.at_piece) k.at_piece();
        inside_ = false;
        return --k.batch != 0;
    }
    bool is_overtaken(work_class c) const { return c != work_class::waiting_calls && somebody_waits; }
    clock::time_point now() const { return now_; }
    clock::time_point slice_began(work_class c) const
    {
        return c == work_class::pipe_ends ? pipe_ends_began.value_or(now_) : now_;
    }

    work_classes classes;
    bool somebody_waits = false;
    std::optional<clock::time_point> pipe_ends_began;

private:
    std::array<kind, count> kinds_;
    clock::time_point now_{1h};
    bool inside_ = false;
};

class work_classes_test : public testing::Test {
protected:
    work_classes_test()
    {
        for (const work_class c : work_classes::all) work_[c].last_end = work_.now();
    }
    made_up_work work_;
};

TEST_F(work_classes_test, there_is_nothing_to_do)
{
    EXPECT_FALSE(work_.round());
    EXPECT_FALSE(work_.classes.left_over());
}

TEST_F(work_classes_test, a_batch_within_the_quota_is_done_in_one_round)
{
    for (const work_class c : work_classes::all) work_[c].waiting = work_classes::most_pieces;
    EXPECT_TRUE(work_.round());
    for (const work_class c : work_classes::all) EXPECT_EQ(work_classes::most_pieces, work_[c].pieces);
    EXPECT_FALSE(work_.classes.left_over());
    EXPECT_FALSE(work_.round());
}

TEST_F(work_classes_test, what_is_left_over_keeps_the_loop_from_sleeping)
{
    for (const work_class c : work_classes::all) {
        work_[c].waiting = 2 * work_classes::most_pieces + 1;
        for (int round = 1; round <= 2; ++round) {
            EXPECT_TRUE(work_.round());
            EXPECT_EQ(round * work_classes::most_pieces, work_[c].pieces);
            EXPECT_TRUE(work_.classes.left_over(c));
        }
        EXPECT_TRUE(work_.round());
        EXPECT_FALSE(work_.classes.left_over());
    }
}

TEST_F(work_classes_test, each_class_has_its_quota_in_every_round)
{
    for (const work_class c : work_classes::all) work_[c].endless = true;
    for (int round = 0; round < 100; ++round) {
        EXPECT_TRUE(work_.round());
        for (const work_class c : work_classes::all) EXPECT_EQ(work_classes::most_pieces, work_[c].in_turn);
    }
}

// The bound that docs/decisions/0020 names. Any class may have the long pieces, and all of them may.
TEST_F(work_classes_test, no_class_waits_for_longer_than_a_millisecond_behind_pieces_of_160_us)
{
    for (const auto takes : {1us, 7us, 49us, 50us, 51us, 160us}) {
        for (const work_class c : work_classes::all) {
            work_[c].endless = true;
            work_[c].piece_takes = takes;
        }
        for (int round = 0; round < 100; ++round) EXPECT_TRUE(work_.round());
        for (const work_class c : work_classes::all) EXPECT_LE(work_[c].longest_wait, 1ms) << takes.count();
    }
}

// A piece is not cut: work that waits behind one of 5 ms waits for that one, and not for the next.
TEST_F(work_classes_test, a_long_piece_is_waited_for_and_no_other)
{
    for (const work_class c : work_classes::all) {
        work_[c].endless = true;
        work_[c].piece_takes = 1us;
    }
    work_[work_class::descriptors].piece_takes = 5ms;
    for (int round = 0; round < 100; ++round) EXPECT_TRUE(work_.round());
    EXPECT_LE(work_[work_class::timers].longest_wait, 5ms + 3 * (work_classes::longest_piece + 1us));
    EXPECT_LE(work_[work_class::descriptors].longest_wait, 4 * (work_classes::longest_piece + 1us));
}

TEST_F(work_classes_test, a_class_whose_time_was_used_by_another_has_one_piece)
{
    work_[work_class::pipe_ends].endless = true;
    work_.pipe_ends_began = work_.now() - 1ms;
    EXPECT_TRUE(work_.round());
    EXPECT_EQ(1, work_[work_class::pipe_ends].pieces);
}

TEST_F(work_classes_test, a_call_that_waits_waits_for_a_piece_of_each_class)
{
    for (const work_class c : work_classes::all) work_[c].endless = true;
    work_.somebody_waits = true;
    EXPECT_TRUE(work_.round());
    for (const work_class c : work_classes::all) {
        EXPECT_EQ(c == work_class::waiting_calls ? work_classes::most_pieces : 1, work_[c].in_turn);
    }
}

// Several parts of a fresh piece go on for a turn. Of what was left over each piece has one part, before one has a
// second.
TEST_F(work_classes_test, pieces_that_were_left_over_have_one_part_each)
{
    auto& ends = work_[work_class::pipe_ends];
    std::vector<bool> over;
    ends.at_piece = [&] { over.push_back(work_.classes.slice_is_over(work_.now())); };
    ends.piece_takes = 20us;
    ends.waiting = 5;
    EXPECT_TRUE(work_.round());
    EXPECT_EQ((std::vector<bool>{false, false, true}), over);
    over.clear();
    EXPECT_TRUE(work_.round());
    EXPECT_EQ((std::vector<bool>{true, true}), over);
    work_.classes.renew_slice(work_.now());
    EXPECT_FALSE(work_.classes.slice_is_over(work_.now()));
    EXPECT_TRUE(work_.classes.slice_is_over(work_.now() + work_classes::longest_piece));
}

}  // namespace
}  // namespace zlink::runtime::test
