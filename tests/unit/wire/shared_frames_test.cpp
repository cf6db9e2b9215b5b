// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames whose bodies go by shared memory: from a lane to octets, and from octets to a lane again.
#include "wire/shared_frames.hpp"

#include "unit/pipe/lane_fixture.hpp"
#include "unit/shm/exchange_fixture.hpp"
#include "wire/outbound.hpp"
#include "wire/zmtp_inbound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace zlink::wire {
namespace {

using pipe::test::joined_lane;
using pipe::test::parts;
using pipe::test::pattern_of;
using shm::test::agree;
using shm::test::pass_on;

constexpr std::size_t large = 100'000;

class shared_frames_test : public testing::Test, private segment_maker {
protected:
    shared_frames_test()
    {
        segment_maker& maker = *this;
        out_.share_bodies(one_.talk.out(), maker);
        in_.share_bodies(&other_.talk.in());
        from_.reader.begin_octets();
    }

    void segment_wanted() noexcept override { one_.offer(); }
    void agree_on(std::size_t size) { agree(one_, other_, size); }

    /// One write: at most `most` octets of the next batch go over. Their number.
    std::size_t write(std::size_t most = std::size_t(-1))
    {
        pipe::owed_credit credit;
        iovec to[16];
        const auto batch = out_.gather(from_.reader, to, 16, limits_, credit);
        std::size_t done = 0;
        for (int i = 0; i < batch.count && done < most; ++i) {
            const std::size_t n = std::min(most - done, to[i].iov_len);
            stream_.append(static_cast<const char*>(to[i].iov_base), n);
            done += n;
        }
        (void)out_.accept(from_.reader, done);
        return done;
    }
    void write_all()
    {
        while (write() != 0) {
        }
    }
    /// The peer reads, so many octets at a time.
    inbound::outcome read_all(std::size_t at_once = std::size_t(-1))
    {
        inbound::scratch spare;
        while (!stream_.empty()) {
            inbound::room room;
            EXPECT_TRUE(in_.prepare(arena_, to_.writer, spare, room));
            std::size_t got = 0;
            for (int i = 0; i < room.count; ++i) {
                const std::size_t n = std::min({room.pieces[i].iov_len, stream_.size(), at_once - got});
                stream_.copy(static_cast<char*>(room.pieces[i].iov_base), n);
                stream_.erase(0, n);
                got += n;
            }
            const auto what = in_.accept(got, got == room.octets, arena_, to_.writer, spare, &commands_);
            if (what == inbound::outcome::failed) return what;
        }
        return inbound::outcome::done;
    }

    struct no_commands final : command_handler {
        bool on_command(std::span<const std::byte>) noexcept override { return true; }
    };

    shm::test::side one_;
    shm::test::side other_;
    joined_lane from_{1000};
    joined_lane to_{1000};
    outbound out_{nullptr};
    zmtp_inbound in_{frame_limits{}};
    receive_arena arena_;
    no_commands commands_;
    outbound::limits limits_{.batch = 32 * 1024, .batch_after_large = 4 * 1024, .per_write = std::size_t(-1)};
    std::string stream_;
};

TEST_F(shared_frames_test, a_large_body_goes_as_a_reference_and_comes_as_it_was)
{
    agree_on(large);
    from_.put({pattern_of(large, 1)});
    write_all();
    EXPECT_EQ(shm::reference_frame_size, stream_.size());
    EXPECT_EQ(inbound::outcome::done, read_all());
    EXPECT_EQ((std::vector<parts>{{pattern_of(large, 1)}}), to_.take_all());
}

TEST_F(shared_frames_test, messages_of_all_sizes_keep_their_order_and_their_frames)
{
    agree_on(large);
    std::vector<parts> sent;
    for (std::size_t i = 0; i < 40; ++i) {
        parts m;
        for (std::size_t part = 0; part <= i % 4; ++part) {
            const std::size_t size = (i + part) % 3 == 0 ? large - i : (i * 37 + part) % 600;
            m.push_back(pattern_of(size, i + part));
        }
        from_.put(m);
        sent.push_back(m);
        if (i % 3 == 2) {
            write_all();
            EXPECT_EQ(inbound::outcome::done, read_all());
            std::vector<parts> come = to_.take_all();
            EXPECT_EQ(sent, come) << i;
            sent.clear();
        }
    }
}

TEST_F(shared_frames_test, without_a_free_slot_bodies_go_through_the_stream)
{
    agree_on(large);
    std::vector<parts> sent;
    for (std::size_t i = 0; i < 60; ++i) {
        sent.push_back({pattern_of(large, i)});
        from_.put(sent.back());
    }
    write_all();
    EXPECT_LT(30 * large, stream_.size());
    EXPECT_GT(50 * large, stream_.size());
    EXPECT_EQ(inbound::outcome::done, read_all());
    EXPECT_EQ(sent, to_.take_all());
}

TEST_F(shared_frames_test, whatever_a_write_takes_nothing_is_lost_or_doubled)
{
    agree_on(large);
    std::mt19937 random(1);
    std::vector<parts> sent;
    std::vector<parts> come;
    for (std::size_t i = 0; i < 300; ++i) {
        parts m{pattern_of(i % 5 == 0 ? 20 : large - i, i)};
        if (i % 7 == 0) m.push_back(pattern_of(i, i));
        from_.put(m);
        sent.push_back(std::move(m));
        for (int writes = int(random() % 6); writes != 0; --writes) {
            const std::size_t most[] = {0, 1, 2, random() % 60, 26, 27, std::size_t(-1)};
            (void)write(most[random() % 7]);
        }
        if (random() % 2 == 0) {
            EXPECT_EQ(inbound::outcome::done, read_all(random() % 2 == 0 ? 1 + random() % 40 : std::size_t(-1)));
            for (parts& p : to_.take_all()) come.push_back(std::move(p));
        }
    }
    write_all();
    EXPECT_EQ(inbound::outcome::done, read_all());
    for (parts& p : to_.take_all()) come.push_back(std::move(p));
    ASSERT_EQ(sent.size(), come.size());
    for (std::size_t i = 0; i < sent.size(); ++i) ASSERT_EQ(sent[i], come[i]) << i;
}

TEST_F(shared_frames_test, a_command_waits_for_the_end_of_a_reference)
{
    agree_on(large);
    from_.put({pattern_of(large, 1)});
    using boundary = outbound::boundary;
    EXPECT_EQ(0u, out_.octets_to(boundary::frame, from_.reader));
    EXPECT_EQ(3u, write(3));
    EXPECT_FALSE(out_.at_boundary());
    EXPECT_NE(0u, out_.octets_to(boundary::frame, from_.reader));
    EXPECT_NE(0u, out_.octets_to(boundary::message, from_.reader));
    EXPECT_EQ(shm::reference_frame_size - 3, write());
    EXPECT_TRUE(out_.at_boundary());
    EXPECT_EQ(0u, out_.octets_to(boundary::frame, from_.reader));
}

TEST_F(shared_frames_test, a_message_that_was_cut_goes_whole_over_the_next_connection)
{
    agree_on(large);
    const parts cut{pattern_of(large, 1), "small", pattern_of(large, 2)};
    from_.put(cut);
    from_.put({"another"});
    (void)write(30);
    from_.reader.rewind();
    stream_.clear();
    outbound plain(nullptr);
    std::swap(out_, plain);
    write_all();
    EXPECT_EQ(pipe::test::encode_all({cut, {"another"}}), stream_);
}

TEST_F(shared_frames_test, a_reference_of_a_peer_that_shares_nothing_is_a_violation)
{
    agree_on(large);
    from_.put({pattern_of(large, 1)});
    write_all();
    in_.share_bodies(nullptr);
    EXPECT_EQ(inbound::outcome::failed, read_all());
    EXPECT_EQ(errc::protocol_error, in_.error());
}

TEST_F(shared_frames_test, references_that_are_wrong_are_violations)
{
    agree_on(large);
    for (const std::size_t at : {0u, 1u, 2u, 6u, 18u}) {
        from_.put({pattern_of(large, 1)});
        write_all();
        ASSERT_EQ(shm::reference_frame_size, stream_.size());
        stream_[at] = char(stream_[at] ^ 0x50);
        zmtp_inbound in{frame_limits{}};
        in.share_bodies(&other_.talk.in());
        inbound::scratch spare;
        inbound::room room;
        ASSERT_TRUE(in.prepare(arena_, to_.writer, spare, room));
        stream_.copy(static_cast<char*>(room.pieces[0].iov_base), stream_.size());
        EXPECT_EQ(inbound::outcome::failed, in.accept(stream_.size(), false, arena_, to_.writer, spare, &commands_))
            << at;
        EXPECT_EQ(errc::protocol_error, in.error());
        stream_.clear();
    }
}

TEST_F(shared_frames_test, the_limit_of_a_message_holds)
{
    agree_on(large);
    from_.put({pattern_of(large, 1)});
    write_all();
    zmtp_inbound in{frame_limits{.max_msg_size = large - 1}};
    in.share_bodies(&other_.talk.in());
    inbound::scratch spare;
    inbound::room room;
    ASSERT_TRUE(in.prepare(arena_, to_.writer, spare, room));
    stream_.copy(static_cast<char*>(room.pieces[0].iov_base), stream_.size());
    EXPECT_EQ(inbound::outcome::failed, in.accept(stream_.size(), false, arena_, to_.writer, spare, &commands_));
    EXPECT_EQ(errc::message_too_long, in.error());
}

// The batch would end within the header of a frame whose body lies elsewhere.
TEST_F(shared_frames_test, a_header_is_never_cut)
{
    agree_on(large);
    for (std::size_t small = 0; small < 40; ++small) {
        std::vector<parts> sent;
        sent.push_back({pattern_of(limits_.batch - 20 - small, 1).substr(0, 8000)});
        while (pipe::test::encode_all(sent).size() + 600 < limits_.batch)
            sent.push_back({pattern_of(500, sent.size())});
        const std::size_t left = limits_.batch - pipe::test::encode_all(sent).size();
        sent.push_back({pattern_of(left - 2 - small / 4, 7).substr(0, 250)});
        while (pipe::test::encode_all(sent).size() + 4 + small % 9 < limits_.batch) sent.push_back({"x"});
        sent.push_back({pattern_of(large, small)});
        sent.push_back({"behind"});
        for (const parts& m : sent) from_.put(m);
        (void)write();
        write_all();
        ASSERT_EQ(inbound::outcome::done, read_all());
        ASSERT_EQ(sent, to_.take_all()) << small;
    }
    // All slots have come back, and each body found one.
    for (int i = 0; i < 40; ++i) {
        from_.put({pattern_of(large, i)});
        write_all();
        ASSERT_EQ(shm::reference_frame_size, stream_.size());
        ASSERT_EQ(inbound::outcome::done, read_all());
        ASSERT_EQ((std::vector<parts>{{pattern_of(large, i)}}), to_.take_all());
    }
}

}  // namespace
}  // namespace zlink::wire
