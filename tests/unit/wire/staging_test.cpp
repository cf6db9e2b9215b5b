// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Staging: what is in a lane goes out in another form, and leaves the lane as the stream takes it, frame by frame.
#include "wire/staging.hpp"

#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

namespace zlink::wire {
namespace {

using pipe::test::joined_lane;
using pipe::test::parts;
using pipe::test::pattern_of;

constexpr std::size_t large_batch = std::size_t{1} << 20;

/// Bodies from 16 octets on are in the lane by reference.
struct staged_lane : joined_lane {
    explicit staged_lane(std::unique_ptr<frame_encoder> how = make_zmtp1_encoder())
        : joined_lane(0, 16),
          stage(std::move(how))
    {
        reader.begin_octets();
    }

    /// Octets that the lane has not been relieved of, as far as one look goes.
    [[nodiscard]] std::size_t left()
    {
        std::vector<iovec> pieces(10'000);
        return reader.gather(pieces.data(), int(pieces.size()), large_batch, large_batch).bytes;
    }

    [[nodiscard]] std::string waiting() const
    {
        return pipe::test::text(stage.waiting().data(), stage.waiting().size());
    }

    /// All that goes out, `step` octets at a time.
    [[nodiscard]] std::string drain(std::size_t step = large_batch, std::size_t most = large_batch)
    {
        std::string wire;
        while (stage.fill(reader, most)) {
            const std::string now = waiting().substr(0, step);
            wire += now;
            (void)stage.accept(reader, now.size());
        }
        return wire;
    }

    staging stage;
};

std::string in_zmtp1(const parts& message)
{
    std::string wire;
    for (std::size_t i = 0; i < message.size(); ++i) {
        const std::size_t size = message[i].size() + 1;
        if (size < 255) {
            wire += char(size);
        } else {
            wire += '\xff';
            for (int shift = 56; shift >= 0; shift -= 8) wire += char(size >> shift);
        }
        wire += i + 1 < message.size() ? '\1' : '\0';
        wire += message[i];
    }
    return wire;
}

/// What a message is in the lane, in octets.
std::size_t in_lane(const parts& message)
{
    return pipe::test::encode(message).size();
}

TEST(staging_test, a_frame_leaves_the_lane_with_its_last_octet)
{
    staged_lane s;
    const parts frames{"one", pattern_of(40), "", pattern_of(300)};
    s.put(frames);
    const std::size_t all = in_lane(frames);
    ASSERT_TRUE(s.stage.fill(s.reader, large_batch));
    EXPECT_EQ(in_zmtp1(frames), s.waiting());
    std::size_t gone = 0;
    for (std::size_t frame = 0; frame < frames.size(); ++frame) {
        const bool last = frame + 1 == frames.size();
        const std::size_t octets = in_zmtp1({frames[frame]}).size();
        for (std::size_t i = 0; i < octets; ++i) {
            EXPECT_EQ(all - gone, s.left()) << frame << ", " << i;
            EXPECT_FALSE(s.stage.at_boundary());
            (void)s.stage.accept(s.reader, 1);
        }
        gone += in_lane({frames[frame]});
        EXPECT_EQ(last, s.stage.at_boundary());
    }
    EXPECT_EQ(0u, s.left());
    EXPECT_FALSE(s.stage.fill(s.reader, large_batch));
}

TEST(staging_test, goes_out_the_same_in_whatever_pieces)
{
    const std::vector<parts> messages{{"one"}, {"", "two", pattern_of(300)}, {pattern_of(70'000)}, {""}, {"a", "b"}};
    std::string expected;
    for (const parts& m : messages) expected += in_zmtp1(m);
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, large_batch}) {
        for (const std::size_t most : {std::size_t{1}, std::size_t{100}, large_batch}) {
            staged_lane s;
            s.put_all(messages);
            EXPECT_EQ(expected, s.drain(step, most)) << step << ", " << most;
            EXPECT_EQ(0u, s.left());
            EXPECT_TRUE(s.stage.at_boundary());
        }
    }
}

TEST(staging_test, a_batch_has_whole_messages_and_one_at_least)
{
    staged_lane s;
    const parts first{pattern_of(100), pattern_of(100)};
    s.put(first);
    s.put({"second"});
    ASSERT_TRUE(s.stage.fill(s.reader, 1));
    EXPECT_EQ(in_zmtp1(first), s.waiting());
    // Until it has been accepted, nothing more is staged.
    (void)s.stage.accept(s.reader, 1);
    ASSERT_TRUE(s.stage.fill(s.reader, large_batch));
    EXPECT_EQ(in_zmtp1(first).substr(1), s.waiting());
}

// More pieces than one look at the lane shows.
TEST(staging_test, a_message_of_many_bodies_goes_out_in_several_batches)
{
    for (const std::size_t step : {std::size_t{50}, large_batch}) {
        staged_lane s;
        parts many;
        for (std::size_t i = 0; i < 100; ++i) many.push_back(pattern_of(20 + i, i));
        s.put({"before"});
        s.put(many);
        s.put({"behind"});
        std::string wire;
        int batches = 0;
        while (s.stage.fill(s.reader, large_batch)) {
            const std::string now = s.waiting().substr(0, step);
            wire += now;
            (void)s.stage.accept(s.reader, now.size());
            batches += s.stage.waiting().empty();
            const bool inside = wire.size() > in_zmtp1({"before"}).size() &&
                                wire.size() < (in_zmtp1({"before"}) + in_zmtp1(many)).size();
            EXPECT_FALSE(inside && s.stage.at_boundary()) << wire.size();
        }
        EXPECT_LT(1, batches);
        EXPECT_EQ(in_zmtp1({"before"}) + in_zmtp1(many) + in_zmtp1({"behind"}), wire);
        EXPECT_EQ(0u, s.left());
    }
}

// What a lost connection has cut is staged again for the next one, from its first frame on.
TEST(staging_test, a_message_that_was_cut_is_staged_again)
{
    staged_lane s;
    const parts cut{"first", pattern_of(100), "last"};
    s.put({"sent"});
    s.put(cut);
    ASSERT_TRUE(s.stage.fill(s.reader, large_batch));
    (void)s.stage.accept(s.reader, in_zmtp1({"sent"}).size() + in_zmtp1({"first"}).size() + 10);
    s.reader.rewind();

    staging next(make_zmtp1_encoder());
    ASSERT_TRUE(next.fill(s.reader, large_batch));
    EXPECT_EQ(in_zmtp1(cut), pipe::test::text(next.waiting().data(), next.waiting().size()));
}

TEST(staging_test, frames_without_octets_leave_the_lane_too)
{
    staged_lane s(make_raw_encoder());
    s.put({""});
    ASSERT_TRUE(s.stage.fill(s.reader, large_batch));
    EXPECT_TRUE(s.stage.waiting().empty());
    EXPECT_LT(0u, s.left());
    (void)s.stage.accept(s.reader, 0);
    EXPECT_EQ(0u, s.left());
    EXPECT_FALSE(s.stage.fill(s.reader, large_batch));
}

TEST(staging_test, tells_of_credit_when_the_writer_waits_for_it)
{
    joined_lane lane(2, 16);
    lane.reader.begin_octets();
    lane.put({"one"});
    lane.put({"two"});
    EXPECT_FALSE(lane.writer.has_room_or_wait());
    staging stage(make_zmtp1_encoder());
    ASSERT_TRUE(stage.fill(lane.reader, large_batch));
    // Being staged frees nothing.
    EXPECT_FALSE(lane.writer.has_room());
    EXPECT_TRUE(stage.accept(lane.reader, stage.waiting().size()));
    EXPECT_TRUE(lane.writer.has_room());
}

// Runs out of memory at the n-th frame, once.
class short_of_memory final : public frame_encoder {
public:
    explicit short_of_memory(int frames) : left_(frames) {}
    void encode(const frame& what, std::vector<std::byte>& to) override
    {
        if (left_-- == 0) throw std::bad_alloc();
        to.push_back(std::byte{what.first});
        how_->encode(what, to);
    }

private:
    int left_;
    std::unique_ptr<frame_encoder> how_ = make_zmtp1_encoder();
};

TEST(staging_test, without_memory_nothing_changes)
{
    const std::vector<parts> messages{{"one", pattern_of(50), "three"}, {"four", "five"}};
    staged_lane whole(std::make_unique<short_of_memory>(-1));
    whole.put_all(messages);
    const std::string expected = whole.drain();
    for (int frames = 0; frames < 5; ++frames) {
        staged_lane s(std::make_unique<short_of_memory>(frames));
        s.put_all(messages);
        const std::size_t before = s.left();
        EXPECT_THROW((void)s.stage.fill(s.reader, large_batch), std::bad_alloc);
        EXPECT_TRUE(s.stage.waiting().empty());
        EXPECT_TRUE(s.stage.at_boundary());
        EXPECT_EQ(before, s.left());
        // Frames begin messages where they did.
        EXPECT_EQ(expected, s.drain()) << frames;
    }
}

// In the second batch of one message.
TEST(staging_test, without_memory_nothing_changes_within_a_message_either)
{
    const auto message_of_many = [] {
        parts many;
        for (std::size_t i = 0; i < 100; ++i) many.push_back(pattern_of(20 + i, i));
        return many;
    };
    staged_lane whole(std::make_unique<short_of_memory>(-1));
    whole.put(message_of_many());
    const std::string expected = whole.drain();

    staged_lane s(std::make_unique<short_of_memory>(70));
    s.put(message_of_many());
    std::string wire;
    ASSERT_TRUE(s.stage.fill(s.reader, large_batch));
    while (!s.stage.waiting().empty()) {
        wire += s.waiting();
        (void)s.stage.accept(s.reader, s.stage.waiting().size());
        try {
            (void)s.stage.fill(s.reader, large_batch);
        } catch (const std::bad_alloc&) {
            EXPECT_FALSE(s.stage.at_boundary());
            ASSERT_TRUE(s.stage.fill(s.reader, large_batch));
        }
    }
    EXPECT_EQ(expected, wire);
}

}  // namespace
}  // namespace zlink::wire
