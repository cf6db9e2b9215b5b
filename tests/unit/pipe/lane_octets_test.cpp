// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Lanes as octets for the kernel: wakeup_coalescing, partial writes, going back to a message boundary, credit by spans.
#include "lane_fixture.hpp"

#include <deque>
#include <memory>
#include <random>

namespace zlink::pipe::test {
namespace {

const std::vector<parts> mixed{{"a"},
                               {"", "bc", ""},
                               {pattern_of(300)},
                               {"id", pattern_of(9000), "tail"},
                               {pattern_of(1100, 1), pattern_of(1100, 2), pattern_of(10, 3)},
                               {pattern_of(8200, 4)},
                               {"end"}};

TEST(lane_octets_test, are_the_frames_as_encoded)
{
    joined_lane l;
    l.put_all(mixed);
    l.reader.begin_octets();
    EXPECT_EQ(encode_all(mixed), l.drain_octets());
    EXPECT_EQ(0u, l.reader.octets_to(lane_reader::boundary::message));
    EXPECT_EQ("", l.drain_octets());
    l.put({"later"});
    EXPECT_EQ(encode({"later"}), l.drain_octets());
}

TEST(lane_octets_test, come_in_batches_of_any_size)
{
    const std::string expected = encode_all(mixed);
    for (std::size_t step = 1; step < 400; ++step) {
        joined_lane l;
        l.put_all(mixed);
        l.reader.begin_octets();
        ASSERT_EQ(expected, l.drain_octets(step)) << step;
    }
}

TEST(lane_octets_test, partial_writes_of_any_size_lose_nothing)
{
    const std::string expected = encode_all(mixed);
    for (std::size_t step = 1; step < 300; ++step) {
        joined_lane l;
        l.put_all(mixed);
        l.reader.begin_octets();
        std::string wire;
        while (true) {
            iovec to[16];
            const auto g = l.reader.gather(to, 16, 1 << 20, 1 << 20);
            if (g.bytes == 0) break;
            std::string batch;
            for (int i = 0; i < g.count; ++i) batch += text(static_cast<std::byte*>(to[i].iov_base), to[i].iov_len);
            ASSERT_EQ(g.bytes, batch.size());
            batch.resize(std::min(step, batch.size()));
            wire += batch;
            (void)l.reader.commit(batch.size());
        }
        ASSERT_EQ(expected, wire) << step;
    }
}

TEST(lane_octets_test, unpublished_messages_are_not_gathered)
{
    joined_lane l;
    l.reader.begin_octets();
    l.put({"a"});
    l.write("b", true);
    l.write(pattern_of(9000), true);
    EXPECT_EQ(encode({"a"}), l.drain_octets());
    EXPECT_EQ(0u, l.reader.octets_to(lane_reader::boundary::message));
    l.write("c", false);
    EXPECT_EQ("", l.drain_octets());
    l.writer.publish();
    EXPECT_EQ(encode({"b", pattern_of(9000), "c"}), l.drain_octets());
}

TEST(lane_octets_test, a_batch_keeps_its_limits)
{
    joined_lane l;
    for (int i = 0; i < 10; ++i) {
        l.put({pattern_of(10000)});
        l.put({"small"});
    }
    l.reader.begin_octets();
    iovec to[32];
    EXPECT_EQ(1, l.reader.gather(to, 1, 1 << 20, 1 << 20).count);
    EXPECT_LE(l.reader.gather(to, 5, 1 << 20, 1 << 20).count, 5);
    // A large body is not cut, and what begins with one stays short.
    const auto g = l.reader.gather(to, 32, 1000, 50);
    EXPECT_GE(g.bytes, 10009u);
    EXPECT_LE(g.bytes, 10009u + 50 + 10009);
    (void)l.reader.commit(10009);
    EXPECT_EQ(3u, l.reader.gather(to, 32, 3, 50).bytes);
}

TEST(lane_octets_test, a_boundary_is_known_as_such_after_every_octet)
{
    joined_lane l;
    l.put_all(mixed);
    l.reader.begin_octets();
    std::vector<std::size_t> boundaries{0};
    std::vector<std::size_t> frames{0};
    for (const parts& m : mixed) {
        boundaries.push_back(boundaries.back() + encode(m).size());
        for (const std::string& body : m) frames.push_back(frames.back() + body.size() + (body.size() > 255 ? 9 : 2));
    }
    const auto octets_until = [](const std::vector<std::size_t>& all, std::size_t sent) {
        return *std::lower_bound(all.begin(), all.end(), sent) - sent;
    };
    for (std::size_t sent = 0; sent < boundaries.back(); ++sent) {
        const std::size_t left = octets_until(boundaries, sent);
        ASSERT_EQ(left, l.reader.octets_to(lane_reader::boundary::message)) << sent;
        ASSERT_EQ(octets_until(frames, sent), l.reader.octets_to(lane_reader::boundary::frame)) << sent;
        (void)l.reader.commit(1);
    }
    EXPECT_EQ(0u, l.reader.octets_to(lane_reader::boundary::message));
    EXPECT_EQ(0u, l.reader.octets_to(lane_reader::boundary::frame));
}

// What another connection has to send after `sent` octets went out on the one that broke.
std::string rest_after(const std::vector<parts>& messages, std::size_t sent)
{
    std::size_t at = 0, i = 0;
    while (i < messages.size() && at + encode(messages[i]).size() <= sent) at += encode(messages[i++]).size();
    return encode_all(std::vector<parts>(messages.begin() + std::ptrdiff_t(i), messages.end()));
}

TEST(lane_octets_test, going_back_after_any_octet_resends_whole_messages)
{
    const std::size_t total = encode_all(mixed).size();
    for (std::size_t sent = 0; sent <= total; ++sent) {
        joined_lane l;
        l.put_all(mixed);
        l.reader.begin_octets();
        for (std::size_t left = sent; left != 0;) {
            const std::size_t n = std::min<std::size_t>(left, 1 + sent % 977);
            (void)l.reader.commit(n);
            left -= n;
        }
        l.reader.rewind();
        ASSERT_EQ(0u, l.reader.octets_to(lane_reader::boundary::message)) << sent;
        const std::string rest = rest_after(mixed, sent);
        ASSERT_EQ(rest, l.drain_octets(1 + sent % 1500)) << sent;
        l.reader.rewind();
        ASSERT_EQ("", l.drain_octets()) << sent;
        l.put({"later"});
        ASSERT_EQ(encode({"later"}), l.drain_octets()) << sent;
    }
}

TEST(lane_octets_test, connections_may_break_again_and_again)
{
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        joined_lane l;
        l.put_all(mixed);
        l.reader.begin_octets();
        std::vector<parts> left = mixed;
        while (!left.empty()) {
            const std::string all = encode_all(left);
            const std::size_t n = random() % (std::min<std::size_t>(all.size(), 12000) + 1);
            (void)l.reader.commit(n);
            l.reader.rewind();
            const std::string rest = rest_after(left, n);
            while (encode_all(left) != rest) left.erase(left.begin());
        }
        ASSERT_EQ("", l.drain_octets());
    }
}

TEST(lane_octets_test, going_back_leads_to_frames_too)
{
    const std::size_t total = encode_all(mixed).size();
    for (std::size_t sent = 0; sent <= total; sent += 1 + sent / 50) {
        joined_lane l;
        l.put_all(mixed);
        l.reader.begin_octets();
        (void)l.reader.commit(sent);
        l.reader.end_octets();
        std::string rest;
        for (const parts& m : l.take_all()) rest += encode(m);
        ASSERT_EQ(rest_after(mixed, sent), rest) << sent;
        ASSERT_EQ(mixed.size(), l.reader.messages_read()) << sent;
    }
}

TEST(lane_octets_test, begin_where_frames_ended)
{
    for (std::size_t taken = 0; taken <= mixed.size(); ++taken) {
        joined_lane l;
        l.put_all(mixed);
        for (std::size_t i = 0; i < taken; ++i) EXPECT_EQ(mixed[i], l.take());
        l.reader.begin_octets();
        EXPECT_EQ(encode_all(std::vector<parts>(mixed.begin() + std::ptrdiff_t(taken), mixed.end())), l.drain_octets());
    }
}

TEST(lane_octets_test, a_body_is_kept_until_its_message_is_sent)
{
    joined_lane l;
    message::owned_frame f;
    ASSERT_TRUE(f.init_size(10000));
    std::memset(f.data(), 'F', f.size());
    ASSERT_TRUE(l.writer.write(outgoing::of(f, true)));
    l.write("tail", false);
    l.writer.publish();
    l.reader.begin_octets();
    (void)l.reader.commit(10009 + 3);
    EXPECT_FALSE(f.shareable()->unique());
    l.reader.rewind();
    EXPECT_EQ(encode({std::string(10000, 'F'), "tail"}), l.drain_octets());
    l.put({"next"});
    (void)l.drain_octets();
    l.put({pattern_of(9000)});
    (void)l.drain_octets();
    EXPECT_TRUE(f.shareable()->unique());
}

TEST(lane_octets_test, sending_everything_makes_room_under_every_mark)
{
    const std::vector<parts> shapes{{"x"},
                                    {"", "x"},
                                    {pattern_of(700), pattern_of(700), pattern_of(700)},
                                    {"id", pattern_of(1000)},
                                    {"id", pattern_of(9000)},
                                    {pattern_of(9000), "tail"},
                                    {pattern_of(1024), pattern_of(1000), "x", pattern_of(1024), pattern_of(999)},
                                    {"a", pattern_of(1023), pattern_of(5000), pattern_of(200)}};
    for (const parts& shape : shapes) {
        for (std::uint64_t hwm : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 100, 127, 1000}) {
            joined_lane l(hwm);
            l.reader.begin_octets();
            for (std::uint64_t sent = 0; sent < 3 * hwm + 50;) {
                // The writer of a type that drops looks without waiting; a connection that has sent all sleeps.
                while (l.writer.has_room()) {
                    l.put(shape);
                    ++sent;
                    ASSERT_LE(l.writer.uncredited(), hwm);
                }
                (void)l.drain_octets(100000);
                ASSERT_TRUE(l.writer.has_room()) << "stuck at mark " << hwm << ", frames of " << shape.front().size();
            }
        }
    }
}

TEST(lane_octets_test, a_writer_that_waits_is_told_once_everything_is_sent)
{
    for (const parts& shape : {parts{"x"}, parts{"id", pattern_of(1000), "x"}, parts{pattern_of(9000), "x"}}) {
        for (std::uint64_t hwm : {1, 2, 3, 4, 7, 10, 50, 64, 65, 1000}) {
            joined_lane l(hwm);
            l.reader.begin_octets();
            for (int round = 0; round < 5; ++round) {
                while (l.writer.has_room_or_wait()) l.put(shape);
                bool told = false;
                (void)l.drain_octets(20000, &told);
                ASSERT_TRUE(told) << hwm;
                ASSERT_TRUE(l.writer.has_room());
            }
        }
    }
}

TEST(lane_octets_test, no_more_than_the_mark_is_ever_unsent)
{
    std::mt19937 random(4);
    for (std::uint64_t hwm : {1, 3, 10, 100}) {
        joined_lane l(hwm);
        l.reader.begin_octets();
        const parts shape{"ab", pattern_of(500)};
        const std::size_t size = encode(shape).size();
        std::uint64_t written = 0, octets = 0;
        for (int i = 0; i < 5000; ++i) {
            if (random() % 2 && l.writer.has_room_or_wait()) {
                l.put(shape);
                ++written;
                ASSERT_LE(written, octets / size + hwm);
            } else {
                iovec to[4];
                const std::size_t n = l.reader.gather(to, 4, 1 + random() % 3000, 1000).bytes;
                (void)l.reader.commit(n);
                octets += n;
            }
        }
    }
}

TEST(lane_octets_test, a_batch_knows_the_messages_that_its_commit_counts)
{
    std::mt19937 random(5);
    for (const std::uint64_t hwm : {0u, 1u, 10u, 100u}) {
        joined_lane l(hwm);
        l.reader.begin_octets();
        for (int i = 0; i < 2000; ++i) {
            if (random() % 2 && l.writer.has_room_or_wait()) l.put(mixed[random() % mixed.size()]);
            iovec to[6];
            const auto g = l.reader.gather(to, 6, 1 + random() % 20'000, 2000);
            ASSERT_EQ(g.messages, l.reader.messages_in(g.bytes)) << hwm;
            const std::uint64_t before = l.reader.messages_read();
            const std::size_t n = random() % 3 ? g.bytes : random() % (g.bytes + 1);
            const std::uint64_t counted = l.reader.messages_in(n);
            (void)l.reader.commit(n);
            ASSERT_EQ(before + counted, l.reader.messages_read()) << hwm;
        }
    }
}

TEST(lane_octets_test, what_is_being_written_makes_room_until_it_falls_short)
{
    joined_lane l(10);
    l.reader.begin_octets();
    while (l.writer.has_room_or_wait()) l.put({"a message"});
    iovec to[8];
    const auto g = l.reader.gather(to, 8, 1 << 20, 1 << 20);
    EXPECT_TRUE(l.reader.begin_write(g.messages)) << "its writer waits";
    EXPECT_TRUE(l.writer.has_room_or_wait());
    l.reader.write_fell_short();
    EXPECT_TRUE(l.writer.has_room()) << "what was said holds for one message";
    l.put({"a message"});
    EXPECT_FALSE(l.writer.has_room());
    EXPECT_FALSE(l.reader.begin_write(g.messages)) << "nobody waits";
    EXPECT_TRUE(l.writer.has_room());
    (void)l.reader.commit(g.bytes);
    EXPECT_TRUE(l.writer.has_room());
}

TEST(lane_octets_test, writes_that_fall_short_let_no_more_than_twice_the_mark_in)
{
    constexpr std::uint64_t mark = 10;
    joined_lane l(mark);
    l.reader.begin_octets();
    for (int i = 0; i < 100; ++i) {
        iovec to[8];
        const auto g = l.reader.gather(to, 8, 1 << 20, 1 << 20);
        (void)l.reader.begin_write(g.messages);
        while (l.writer.has_room()) l.put({"a message"});
        l.reader.write_fell_short();
        while (l.writer.has_room()) l.put({"a message"});
    }
    EXPECT_EQ(2 * mark, l.writer.uncredited());
}

TEST(lane_octets_test, news_and_the_end_are_noticed)
{
    joined_lane l;
    l.reader.begin_octets();
    EXPECT_FALSE(l.reader.has_news());
    l.put({pattern_of(9000)});
    EXPECT_TRUE(l.reader.has_news());
    (void)l.reader.commit(9);
    EXPECT_TRUE(l.reader.has_news());
    (void)l.drain_octets();
    EXPECT_FALSE(l.reader.has_news());
    l.writer.close();
    EXPECT_TRUE(l.reader.has_news());
    (void)l.reader.commit(0);
    EXPECT_TRUE(l.reader.closed());
    EXPECT_FALSE(l.reader.has_news());
    EXPECT_EQ("", l.drain_octets());
}

// Everything at random against a list of messages.
TEST(lane_octets_test, agree_with_a_plain_list_whatever_is_done)
{
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const std::uint64_t hwm = random() % 3 ? random() % 80 : 0;
        const std::size_t threshold = random() % 2 ? 8192 : 1 + random() % 3000;
        joined_lane l(hwm, threshold);
        std::deque<parts> expected;
        std::size_t sent = 0;  // octets of expected.front() and on that were committed
        bool octets = false;
        parts begun;
        std::uint64_t taken = 0;
        const auto sizes = [&] {
            return random() % 20 ? random() % 300 : telling_sizes[random() % (telling_sizes.size() - 4)];
        };
        const auto drop_sent = [&](bool all_of_them) {
            while (!expected.empty() && sent >= encode(expected.front()).size()) {
                sent -= encode(expected.front()).size();
                expected.pop_front();
                ++taken;
            }
            if (all_of_them) sent = 0;
        };
        for (int i = 0; i < 3000; ++i) {
            switch (random() % 8) {
            case 0:
            case 1:
            case 2: {  // a frame
                if (begun.empty() && !l.writer.has_room_or_wait()) break;
                const bool more = random() % 3 == 0;
                const std::string body = pattern_of(sizes(), random());
                message::owned_frame f;
                ASSERT_TRUE(f.init_copy_of(body.data(), body.size()));
                const bool shared = random() % 2;
                ASSERT_TRUE(l.writer.write({f.data(), f.size(), more, shared ? &f : nullptr}));
                begun.push_back(body);
                if (!more) {
                    l.writer.publish();
                    expected.push_back(std::exchange(begun, {}));
                }
                if (hwm) {
                    ASSERT_LE(l.writer.uncredited(), hwm);
                }
                break;
            }
            case 3:
                if (random() % 6) break;
                if (random() % 2) {
                    l.writer.rollback();
                } else {
                    l.writer.set_metadata(nullptr);
                }
                begun.clear();
                break;
            case 4:
            case 5:  // read
                if (!octets) {
                    if (!l.reader.readable()) {
                        ASSERT_TRUE(expected.empty());
                        break;
                    }
                    ASSERT_FALSE(expected.empty());
                    ASSERT_EQ(expected.front(), l.take());
                    expected.pop_front();
                    ++taken;
                } else {
                    iovec to[6];
                    const auto g = l.reader.gather(to, 1 + int(random() % 6), 1 + random() % 4000, random() % 3000);
                    std::string wire;
                    for (int n = 0; n < g.count; ++n) {
                        wire += text(static_cast<std::byte*>(to[n].iov_base), to[n].iov_len);
                    }
                    ASSERT_EQ(g.bytes, wire.size());
                    std::string due;
                    for (const parts& m : expected) {
                        due += encode(m);
                        if (due.size() >= sent + wire.size()) break;
                    }
                    ASSERT_EQ(due.substr(sent, wire.size()), wire);
                    ASSERT_TRUE(!wire.empty() || due.size() == sent);
                    const std::size_t n = random() % (wire.size() + 1);
                    (void)l.reader.commit(n);
                    sent += n;
                    drop_sent(false);
                    ASSERT_EQ(sent == 0, (l.reader.octets_to(lane_reader::boundary::message) == 0));
                }
                break;
            case 6:
                if (random() % 4 || !octets) break;
                l.reader.rewind();
                drop_sent(true);
                break;
            case 7:
                if (random() % 10) break;
                if (octets) {
                    l.reader.end_octets();
                    drop_sent(true);
                } else {
                    l.reader.begin_octets();
                }
                octets = !octets;
                break;
            }
        }
        if (octets) {
            l.reader.end_octets();
            drop_sent(true);
        }
        for (const parts& m : expected) ASSERT_EQ(m, l.take()) << seed;
        taken += expected.size();
        l.writer.close();
        EXPECT_FALSE(l.reader.readable());
        EXPECT_TRUE(l.reader.closed());
        EXPECT_EQ(taken, l.reader.messages_read());
    }
}

// Of what is written as octets the reader counts whole spans: one that memory was too short to follow counts as well.
TEST(lane_octets_test, are_credited_though_no_memory_is_left_for_what_follows)
{
    const std::size_t sizes[] = {900, 980, 1000, 20};
    for (const std::uint64_t hwm : {1, 2, 3, 10}) {
        joined_lane l(hwm);
        l.reader.begin_octets();
        for (int round = 0; round < 40; ++round) {
            std::string wire;
            while (l.writer.has_room_or_wait()) {
                const std::string body = pattern_of(sizes[round % 4]);
                l.write(body, false);
                const lane_writer_test_access short_of_memory(l.writer);
                l.writer.publish();
                wire += encode({body});
            }
            bool wake = false;
            EXPECT_EQ(wire, l.drain_octets(round % 2 ? 100 : 1 << 20, &wake));
            wake |= l.reader.commit(0);
            ASSERT_TRUE(wake) << "mark " << hwm << ", round " << round;
            ASSERT_TRUE(l.writer.has_room());
        }
    }
}

TEST(lane_octets_test, go_back_to_the_beginning_of_a_message_that_no_memory_was_left_behind)
{
    joined_lane l(2);
    l.reader.begin_octets();
    for (int i = 0; i < 2; ++i) {
        l.write(pattern_of(480), false);
        const lane_writer_test_access short_of_memory(l.writer);
        l.writer.publish();
    }
    EXPECT_EQ(encode_all({{pattern_of(480)}, {pattern_of(480)}}), l.drain_octets(700));
    l.reader.rewind();
    EXPECT_EQ("", l.drain_octets());
    l.put({"next"});
    iovec to[4];
    EXPECT_LE(3u, l.reader.gather(to, 4, 100, 100).bytes);
    (void)l.reader.commit(3);
    l.reader.rewind();
    EXPECT_EQ(encode({"next"}), l.drain_octets());
    (void)l.reader.commit(0);
    (void)l.reader.flush_credit();
    EXPECT_EQ(2u, l.writer.room());
}

TEST(lane_octets_test, that_a_lower_mark_ends_behind_the_reader_are_credited_when_it_is_told)
{
    for (const std::uint64_t before : {3, 4, 10, 100, 1000}) {
        joined_lane l(before);
        l.reader.begin_octets();
        l.put({"x"});
        EXPECT_EQ(encode({"x"}), l.drain_octets());
        l.writer.set_hwm(1);
        EXPECT_FALSE(l.writer.has_room_or_wait());
        EXPECT_TRUE(l.reader.flush_credit()) << before;
        EXPECT_TRUE(l.writer.has_room());
    }
}

TEST(lane_octets_test, credit_is_given_at_each_step_however_the_octets_leave)
{
    static constexpr std::uint64_t hwm = 100;
    const std::size_t size = encode({pattern_of(20)}).size();
    const auto full_lane = [] {
        auto l = std::make_unique<joined_lane>(hwm);
        l->put_all(std::vector<parts>(hwm, parts{pattern_of(20)}));
        l->reader.begin_octets();
        EXPECT_FALSE(l->writer.has_room_or_wait());
        return l;
    };
    const auto half = full_lane();
    EXPECT_FALSE(half->reader.commit(49 * size));
    EXPECT_TRUE(half->reader.commit(size));
    EXPECT_EQ(50u, half->writer.uncredited());

    const auto more = full_lane();
    EXPECT_TRUE(more->reader.commit(82 * size));
    EXPECT_TRUE(more->writer.has_room_or_wait());
    more->put({"next"});
    (void)more->reader.commit(18 * size);
    EXPECT_EQ(1u, more->writer.uncredited());
}

TEST(lane_octets_test, nothing_waits_once_the_reader_has_taken_all_and_sleeps)
{
    joined_lane l(1000);
    l.put_all(std::vector<parts>(7, parts{"x"}));
    l.reader.begin_octets();
    EXPECT_EQ(7u, l.writer.waiting());
    (void)l.drain_octets();
    EXPECT_EQ(7u, l.writer.waiting()) << "the span goes on";
    (void)l.reader.go_dormant();
    EXPECT_EQ(0u, l.writer.waiting());
    l.put({"x"});
    EXPECT_TRUE(l.writer.take_wake());
    EXPECT_EQ(8u, l.writer.waiting()) << "in steps of the credit";
}

}  // namespace
}  // namespace zlink::pipe::test
