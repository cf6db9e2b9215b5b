// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames are sealed straight from the lane into a batch, many in one call, each once. They leave the lane as the stream
// takes them, and what a lost connection has cut is sealed again for the next one.
#include "wire/outbound.hpp"

#include "fuzz/toy_sealing.hpp"
#include "opening_lane.hpp"
#include "support/allocated.hpp"
#include "zmtp/subscription.hpp"

#include <gtest/gtest.h>

#include <new>

namespace zlink::wire::test {
namespace {

constexpr std::size_t large_batch = std::size_t{1} << 20;

/// Bodies from 16 octets on are in the lane by reference.
struct sealing_lane : pipe::test::joined_lane {
    explicit sealing_lane(std::unique_ptr<frame_encoder> how = nullptr, std::size_t threshold = 16)
        : joined_lane(0, threshold),
          out(std::move(how), std::make_unique<toy::sealer>(&sealed_now))
    {
        reader.begin_octets();
    }

    /// Octets that the lane has not been relieved of.
    [[nodiscard]] std::size_t left()
    {
        std::vector<iovec> pieces(10'000);
        return reader.gather(pieces.data(), int(pieces.size()), large_batch, large_batch).bytes;
    }

    [[nodiscard]] std::string_view gather(std::size_t most = large_batch)
    {
        iovec piece[64];
        const outbound::batch b = out.gather(reader, piece, 64, {most, most}, credit);
        EXPECT_LE(b.count, 1);
        return b.count == 0 ? std::string_view() : std::string_view(static_cast<char*>(piece[0].iov_base), b.octets);
    }

    /// All that goes out, `step` octets at a time.
    [[nodiscard]] std::string drain(std::size_t step = large_batch, std::size_t most = large_batch)
    {
        std::string wire;
        for (std::string_view now = gather(most); !now.empty(); now = gather(most)) {
            wire += now.substr(0, step);
            (void)out.accept(reader, std::min(now.size(), step));
        }
        return wire;
    }

    toy::tally sealed_now;
    outbound out;
    pipe::owed_credit credit;
};

const messages all_kinds{{"one"}, {"", "two", pattern_of(300)}, {pattern_of(70'000)}, {""}, {"a", "b"}};

TEST(sealed_staging_test, goes_out_the_same_in_whatever_pieces)
{
    const std::string expected = sealed(encode_all(all_kinds));
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, large_batch}) {
        for (const std::size_t most : {std::size_t{1}, std::size_t{100}, large_batch}) {
            sealing_lane l;
            l.put_all(all_kinds);
            EXPECT_TRUE(expected == l.drain(step, most)) << step << ", " << most;
            EXPECT_EQ(8u, l.sealed_now.frames);
            EXPECT_EQ(0u, l.left());
            EXPECT_TRUE(l.out.at_boundary());
        }
    }
}

TEST(sealed_staging_test, frames_of_every_telling_size_open_again)
{
    for (const std::size_t size : pipe::test::telling_sizes) {
        sealing_lane from(nullptr, 8192);
        const parts message{pattern_of(size), "", pattern_of(size, 1)};
        from.put(message);
        opening_lane to;
        EXPECT_EQ(inbound::outcome::done, to.come(from.drain()));
        EXPECT_TRUE(message == to.lane.take()) << size;
    }
}

TEST(sealed_staging_test, a_frame_leaves_the_lane_with_its_last_octet)
{
    sealing_lane l;
    const parts frames{"one", pattern_of(40), "", pattern_of(300)};
    l.put(frames);
    ASSERT_EQ(sealed(encode(frames)), l.gather());
    std::size_t left = encode(frames).size();
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const std::size_t octets = toy::frame(0, 0, frames[i]).size();
        for (std::size_t k = 0; k < octets; ++k) {
            EXPECT_EQ(left, l.left());
            EXPECT_FALSE(l.out.at_boundary());
            (void)l.out.accept(l.reader, 1);
        }
        left -= encode({frames[i]}).size();
    }
    EXPECT_EQ(0u, l.left());
    EXPECT_TRUE(l.out.at_boundary());
}

TEST(sealed_staging_test, small_frames_of_a_batch_are_sealed_in_few_calls)
{
    sealing_lane l;
    for (int i = 0; i < 100; ++i) l.put({std::to_string(i)});
    (void)l.gather();
    EXPECT_EQ(100u, l.sealed_now.frames);
    EXPECT_EQ(1u, l.sealed_now.calls);
    // What is sealed waits as it is.
    (void)l.out.accept(l.reader, 50);
    (void)l.gather();
    EXPECT_EQ(100u, l.sealed_now.frames);
    for (int i = 0; i < 10'000; ++i) l.put({std::to_string(i)});
    (void)l.drain();
    EXPECT_EQ(10'100u, l.sealed_now.frames);
    EXPECT_GT(10'000u / 64, l.sealed_now.calls);
}

// No more than that is sealed before the stream has shown that it takes octets; a large message is no exception.
TEST(sealed_staging_test, a_batch_ends_with_the_frame_that_reaches_its_limit)
{
    sealing_lane l;
    const parts message{pattern_of(100), pattern_of(100), pattern_of(100)};
    l.put(message);
    const std::size_t one = toy::frame(0, 1, message[0]).size();
    EXPECT_EQ(one, l.gather(1).size());
    (void)l.out.accept(l.reader, one);
    EXPECT_FALSE(l.out.at_boundary());
    EXPECT_EQ(2 * one, l.gather(one + 1).size());
    (void)l.out.accept(l.reader, 2 * one);
    EXPECT_TRUE(l.out.at_boundary());
}

TEST(sealed_staging_test, tells_how_far_a_message_and_a_frame_go)
{
    using boundary = outbound::boundary;
    sealing_lane l;
    const parts message{"first", pattern_of(100), "third"};
    l.put(message);
    EXPECT_EQ(0u, l.out.octets_to(boundary::message, l.reader));
    const std::size_t first = l.gather(1).size();
    (void)l.out.accept(l.reader, 3);
    EXPECT_EQ(first - 3, l.out.octets_to(boundary::message, l.reader));
    EXPECT_EQ(first - 3, l.out.octets_to(boundary::frame, l.reader));
    (void)l.out.accept(l.reader, first - 3);
    EXPECT_EQ(encode({message[1], message[2]}).size(), l.out.octets_to(boundary::message, l.reader));
    EXPECT_EQ(0u, l.out.octets_to(boundary::frame, l.reader));
    (void)l.drain();
    EXPECT_EQ(0u, l.out.octets_to(boundary::message, l.reader));
}

TEST(sealed_staging_test, a_message_of_many_bodies_goes_out_in_several_batches)
{
    sealing_lane l;
    parts many;
    for (std::size_t i = 0; i < 100; ++i) many.push_back(pattern_of(20 + i, i));
    l.put(many);
    l.put({"behind"});
    EXPECT_EQ(sealed(encode(many) + encode({"behind"})), l.drain());
    EXPECT_EQ(101u, l.sealed_now.frames);
}

TEST(sealed_staging_test, a_message_that_was_cut_is_sealed_again_for_the_next_connection)
{
    const parts cut{"first", pattern_of(100), "last"};
    const std::string before = sealed(encode({"sent"}));
    const std::string all = sealed(encode({"sent"}) + encode(cut));
    for (std::size_t accepted = before.size(); accepted < all.size(); ++accepted) {
        sealing_lane l;
        l.put({"sent"});
        l.put(cut);
        (void)l.gather();
        (void)l.out.accept(l.reader, accepted);
        l.reader.rewind();
        toy::tally again;
        outbound next(nullptr, std::make_unique<toy::sealer>(&again));
        iovec piece[64];
        const outbound::batch b = next.gather(l.reader, piece, 64, {large_batch, large_batch}, l.credit);
        ASSERT_EQ(sealed(encode(cut)), std::string_view(static_cast<char*>(piece[0].iov_base), b.octets));
        ASSERT_EQ(3u, again.frames);
    }
}

TEST(sealed_staging_test, subscriptions_are_sealed_as_commands)
{
    for (const auto version : {zmtp::protocol_version::zmtp_3_0, zmtp::protocol_version::zmtp_3_1}) {
        const bool as_commands = version == zmtp::protocol_version::zmtp_3_1;
        sealing_lane l(as_commands ? make_subscription_encoder() : nullptr);
        const parts topics{"\1topic", std::string("\0topic", 6), "\1" + pattern_of(300), "\1"};
        std::string plain;
        for (int round = 0; round < 100; ++round) {
            for (const std::string& topic : topics) {
                l.put({topic});
                std::vector<std::byte> f;
                zmtp::append_subscription(f, *zmtp::subscription_from_message(std::as_bytes(std::span(topic))),
                                          version);
                plain += pipe::test::text(f.data(), f.size());
            }
        }
        EXPECT_TRUE(sealed(plain) == l.drain());
    }
}

// What is in no lane is sealed in the order in which it goes out.
TEST(sealed_staging_test, commands_and_the_first_message_are_sealed_too)
{
    for (const bool subscribes : {false, true}) {
        sealing_lane l(subscribes ? make_subscription_encoder() : nullptr);
        l.put({"in the lane"});
        std::vector<std::byte> first(5, std::byte{'x'});
        const std::string hello = "\1hello";
        l.out.encode(std::as_bytes(std::span(hello)), first);
        const std::string plain = command_frame("\4PING..") + command_frame("\4PONG");
        const auto octets = std::as_bytes(std::span(plain));
        std::vector<std::byte> commands(octets.begin(), octets.end());
        l.out.encode_frames(commands);
        const std::string wire = pipe::test::text(first.data(), first.size()) +
                                 pipe::test::text(commands.data(), commands.size()) + l.drain();
        EXPECT_EQ("xxxxx" + sealed(encode({hello}) + plain + encode({"in the lane"})), wire);
    }
}

TEST(sealed_staging_test, being_sealed_gives_no_credit)
{
    pipe::test::joined_lane lane(2, 16);
    lane.reader.begin_octets();
    lane.put({"one"});
    lane.put({"two"});
    EXPECT_FALSE(lane.writer.has_room_or_wait());
    staging stage(nullptr, std::make_unique<toy::sealer>());
    ASSERT_TRUE(stage.fill(lane.reader, large_batch));
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
        how_->encode(what, to);
    }

private:
    int left_;
    std::unique_ptr<frame_encoder> how_ = make_subscription_encoder();
};

// What is sealed already cannot be sealed again: it goes out, and nothing else has changed.
TEST(sealed_staging_test, without_memory_nothing_changes_behind_what_is_sealed)
{
    messages sent;
    for (std::size_t i = 0; i < 300; ++i) sent.push_back({"a", std::to_string(i)});
    for (const int frames : {0, 1, 100, 127, 128, 129, 300, 599}) {
        sealing_lane l(std::make_unique<short_of_memory>(frames));
        l.put_all(sent);
        const std::size_t before = l.left();
        std::string wire;
        int failures = 0;
        while (true) {
            try {
                const std::string_view now = l.gather();
                if (now.empty()) break;
                wire += now;
                (void)l.out.accept(l.reader, now.size());
            } catch (const std::bad_alloc&) {
                ++failures;
                EXPECT_EQ(before, l.left());
            }
        }
        EXPECT_EQ(frames < int(sealed_octets::most_at_once), failures == 1) << frames;
        EXPECT_TRUE(sealed(encode_all(sent)) == wire) << frames;
        EXPECT_EQ(600u, l.sealed_now.frames) << frames;
        EXPECT_EQ(0u, l.left());
    }
}

// What an idle connection keeps, and one that goes on with small messages.
TEST(sealed_staging_test, memory_of_a_large_batch_goes)
{
    if (!zlink::test::tells_of_allocations) GTEST_SKIP() << "this C library does not tell what is allocated";
    for (const bool idle : {true, false}) {
        sealing_lane l;
        l.put({"small"});
        (void)l.drain();
        const std::size_t before = zlink::test::allocated();
        l.put({pattern_of(20'000'000)});
        std::string wire;
        for (std::string_view now = l.gather(); !now.empty(); now = idle ? l.gather() : std::string_view()) {
            (void)l.out.accept(l.reader, now.size());
        }
        l.put({"small"});
        (void)l.gather();
        EXPECT_GT(before + 4'000'000, zlink::test::allocated()) << idle;
    }
}

}  // namespace
}  // namespace zlink::wire::test
