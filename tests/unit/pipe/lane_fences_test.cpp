// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which side pays for the order of "published" and "dormant". go_dormant() says what kind of fence has to follow, and
// the writer uses real ones where the reader sleeps often.
#include "lane_fixture.hpp"

namespace zlink::pipe::test {
namespace {

constexpr int few = 3;      // messages between sleeps that call for fences
constexpr int many = 1000;  // and that do not
constexpr int enough = 20;  // sleeps after which the lane has learned, whatever it was before

class lane_fences_test : public testing::Test {
protected:
    void pass(joined_lane& l, int messages)
    {
        for (int i = 0; i < messages; ++i) {
            l.put({"x"});
            EXPECT_EQ(parts{"x"}, l.take());
        }
    }

    /// Sleeps as a reader that was just told; what go_dormant() said.
    bool sleep(joined_lane& l)
    {
        const bool full_fence_does = l.reader.go_dormant();
        EXPECT_TRUE(l.reader.dormant());
        EXPECT_TRUE(l.writer.take_wake());
        return full_fence_does;
    }

    /// The sleep, one for the first, from which on a full fence did; 0: none of them.
    int learned_at(joined_lane& l)
    {
        int first = 0;
        for (int n = 1; n <= enough; ++n) {
            pass(l, few);
            const bool full_fence_does = sleep(l);
            EXPECT_TRUE(full_fence_does || first == 0) << "once learned it stays so: sleep " << n;
            if (full_fence_does && first == 0) first = n;
        }
        return first;
    }

    [[nodiscard]] static bool writer_uses_fences(const joined_lane& l) { return l.shared.fenced.load(); }
};

TEST_F(lane_fences_test, a_new_lane_needs_a_heavy_fence)
{
    joined_lane l;
    EXPECT_FALSE(writer_uses_fences(l));
    EXPECT_FALSE(sleep(l));
}

TEST_F(lane_fences_test, few_messages_between_sleeps_switch_the_writer_to_fences)
{
    joined_lane l;
    const int n = learned_at(l);
    EXPECT_LT(2, n) << "one sleep after a few messages tells nothing";
    EXPECT_TRUE(writer_uses_fences(l));
}

// A writer may be past its check of the mode when it changes: the sleep that changes it needs the heavy fence still.
TEST_F(lane_fences_test, the_sleep_that_switches_is_not_one_that_a_full_fence_does_for)
{
    joined_lane l;
    for (int n = 1; n <= enough; ++n) {
        pass(l, few);
        const bool before = writer_uses_fences(l);
        EXPECT_EQ(before, sleep(l)) << n;
    }
    EXPECT_TRUE(writer_uses_fences(l));
}

TEST_F(lane_fences_test, many_messages_between_sleeps_leave_the_writer_without)
{
    joined_lane l;
    for (int n = 0; n < enough; ++n) {
        pass(l, many);
        EXPECT_FALSE(sleep(l));
        EXPECT_FALSE(writer_uses_fences(l));
    }
}

TEST_F(lane_fences_test, a_long_run_among_short_ones_begins_the_count_again)
{
    joined_lane fresh;
    const int learns_at = learned_at(fresh);
    joined_lane l;
    for (int n = 0; n < enough; ++n) {
        for (int i = 2; i < learns_at; ++i) {
            pass(l, few);
            EXPECT_FALSE(sleep(l));
        }
        pass(l, many);
        EXPECT_FALSE(sleep(l));
    }
}

TEST_F(lane_fences_test, many_messages_before_a_sleep_switch_back)
{
    joined_lane l;
    for (int round = 0; round < 3; ++round) {
        ASSERT_LT(0, learned_at(l)) << round;
        pass(l, many);
        EXPECT_FALSE(sleep(l)) << "the writer may have ceased to use fences";
        EXPECT_FALSE(writer_uses_fences(l));
    }
}

// The reader of a stream gives credit, and never sleeps.
TEST_F(lane_fences_test, a_stream_without_sleeps_switches_back)
{
    joined_lane l(1000);
    ASSERT_LT(0, learned_at(l));
    pass(l, 5 * many);
    EXPECT_FALSE(writer_uses_fences(l));
    EXPECT_FALSE(sleep(l));
}

TEST_F(lane_fences_test, a_stream_in_octets_switches_back)
{
    joined_lane l(1000);
    ASSERT_LT(0, learned_at(l));
    l.reader.begin_octets();
    for (int i = 0; i < 5 * many; ++i) {
        l.put({"x"});
        EXPECT_EQ(encode({"x"}), l.drain_octets());
    }
    EXPECT_FALSE(writer_uses_fences(l));
    EXPECT_FALSE(sleep(l));
}

TEST_F(lane_fences_test, octets_are_messages_too)
{
    joined_lane l(1000);
    l.reader.begin_octets();
    int first = 0;
    for (int n = 1; n <= enough; ++n) {
        for (int i = 0; i < few; ++i) {
            l.put({"x"});
            EXPECT_EQ(encode({"x"}), l.drain_octets());
        }
        if (sleep(l) && first == 0) first = n;
    }
    EXPECT_LT(2, first);
    EXPECT_TRUE(writer_uses_fences(l));
}

TEST_F(lane_fences_test, what_was_asked_for_stays)
{
    joined_lane l(1000);
    l.reader.use_fences();
    // The first sleep shows the writer.
    EXPECT_FALSE(sleep(l));
    for (int round = 0; round < 3; ++round) {
        EXPECT_TRUE(sleep(l));
        pass(l, 5 * many);
        EXPECT_TRUE(writer_uses_fences(l));
        EXPECT_TRUE(sleep(l));
        EXPECT_EQ(1, learned_at(l));
    }
}

TEST_F(lane_fences_test, what_was_asked_for_stays_where_it_was_learned_before)
{
    joined_lane l(1000);
    ASSERT_LT(0, learned_at(l));
    l.reader.use_fences();
    pass(l, 5 * many);
    EXPECT_TRUE(writer_uses_fences(l));
    EXPECT_TRUE(sleep(l));
}

}  // namespace
}  // namespace zlink::pipe::test
