// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Of what is written the newest message alone is kept, and it always arrives.
#include "pipe/conflation.hpp"

#include "pipe/pipe.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <cstring>
#include <thread>

namespace zlink::pipe::test {
namespace {

struct newest_lane {
    conflation between;
    lane_writer writer{between.written, 0, 8192};
    lane_reader reader{between.read, 0};

    void put(const parts& message)
    {
        for (std::size_t i = 0; i < message.size(); ++i) {
            ASSERT_TRUE(writer.has_room());
            ASSERT_TRUE(writer.write({bytes(message[i]), message[i].size(), i + 1 < message.size()}));
        }
        writer.publish();
        EXPECT_TRUE(writer.reader_sleeps()) << "the publisher is to come to pass()";
        (void)between.pass(writer);
    }
    /// A message that came encoded, in a chunk of its own with room for `capacity` octets.
    void put_span(const std::string& wire, std::size_t capacity, message::buffer* body = nullptr)
    {
        message::buffer* chunk = message::buffer::allocate(capacity + span_room);
        ASSERT_TRUE(chunk);
        std::memcpy(chunk->data(), wire.data(), wire.size());
        const auto above = reinterpret_cast<std::uintptr_t>(chunk->data()) + capacity + alignof(span) - 1;
        std::byte* const end = chunk->data() + wire.size();
        writer.append_span(chunk, reinterpret_cast<void*>(above & ~(alignof(span) - 1)), chunk->data(), end, end, 1,
                           body, body ? body->data() : nullptr, body ? body->capacity() : 0);
        (void)between.pass(writer);
    }
    void close()
    {
        writer.close();
        between.end();
    }
    std::string take()
    {
        incoming f;
        if (!reader.next(f)) return "(nothing)";
        EXPECT_FALSE(f.more);
        last = f;
        std::string body = text(f.data, f.size);
        (void)reader.pop(f);
        return body;
    }

    incoming last{};
};

TEST(conflation_test, keeps_the_newest_message)
{
    newest_lane l;
    EXPECT_TRUE(l.reader.conflates());
    EXPECT_EQ("(nothing)", l.take());
    for (int i = 0; i < 100; ++i) l.put({std::to_string(i)});
    EXPECT_TRUE(l.reader.has_news());
    EXPECT_EQ("99", l.take());
    EXPECT_FALSE(l.reader.has_news());
    EXPECT_EQ("(nothing)", l.take());
    for (std::size_t size : telling_sizes) {
        l.put({"old"});
        l.put({pattern_of(size)});
        EXPECT_EQ(pattern_of(size), l.take());
    }
}

TEST(conflation_test, gives_up_a_message_that_was_looked_at_for_a_newer_one_alone)
{
    newest_lane l;
    l.reader.skip_to_newest();
    l.put({"old"});
    EXPECT_TRUE(l.reader.readable());
    l.reader.skip_to_newest();
    EXPECT_EQ("old", l.take());
    l.put({"older"});
    EXPECT_TRUE(l.reader.readable());
    l.put({pattern_of(100000)});
    EXPECT_TRUE(l.reader.readable());
    l.reader.skip_to_newest();
    EXPECT_EQ(pattern_of(100000), l.take());
    EXPECT_EQ("(nothing)", l.take());
}

TEST(conflation_test, counts_the_last_frame_of_a_message)
{
    newest_lane l;
    l.put({"a", "b", "c"});
    EXPECT_EQ("c", l.take());
    ASSERT_TRUE(l.writer.write({bytes("x"), 1, true}));
    EXPECT_EQ("(nothing)", l.take());
    l.writer.rollback();
    EXPECT_EQ("(nothing)", l.take());
}

TEST(conflation_test, shows_its_newest_message_before_its_end)
{
    newest_lane l;
    l.put({"1"});
    l.put({"last"});
    l.close();
    EXPECT_EQ("last", l.take());
    EXPECT_EQ("(nothing)", l.take());
    EXPECT_TRUE(l.reader.closed());
}

TEST(conflation_test, ends_after_messages_were_read)
{
    newest_lane l;
    l.put({"1"});
    EXPECT_EQ("1", l.take());
    l.close();
    EXPECT_TRUE(l.reader.has_news());
    EXPECT_EQ("(nothing)", l.take());
    EXPECT_TRUE(l.reader.closed());
    EXPECT_FALSE(l.reader.has_news());
    EXPECT_EQ("(nothing)", l.take());
}

TEST(conflation_test, goes_out_as_octets)
{
    newest_lane l;
    l.reader.begin_octets();
    iovec to[2];
    l.put({"1"});
    l.put({"22"});
    (void)l.reader.commit(0);
    const auto g = l.reader.gather(to, 2, 1000, 1000);
    ASSERT_EQ(1, g.count);
    EXPECT_EQ(encode({"22"}), text(static_cast<std::byte*>(to[0].iov_base), to[0].iov_len));
    (void)l.reader.commit(g.bytes);
    EXPECT_EQ(0u, l.reader.octets_to(lane_reader::boundary::message));
    EXPECT_EQ(0u, l.reader.gather(to, 2, 1000, 1000).bytes);
}

// In the middle of a message that goes out a newer one waits for the next batch.
TEST(conflation_test, sends_a_message_that_was_cut_once_more)
{
    newest_lane l;
    l.reader.begin_octets();
    iovec to[2];
    l.put({"first"});
    auto g = l.reader.gather(to, 2, 1000, 1000);
    ASSERT_EQ(encode({"first"}).size(), g.bytes);
    (void)l.reader.commit(3);
    l.put({"second"});
    l.put({"third"});
    EXPECT_EQ(g.bytes - 3, l.reader.gather(to, 2, 1000, 1000).bytes);
    l.reader.rewind();
    g = l.reader.gather(to, 2, 1000, 1000);
    EXPECT_EQ(encode({"first"}), text(static_cast<std::byte*>(to[0].iov_base), to[0].iov_len));
    (void)l.reader.commit(g.bytes);
    EXPECT_TRUE(l.reader.has_news());
    for (int i = 0; i < 2; ++i) {
        g = l.reader.gather(to, 2, 1000, 1000);
        ASSERT_EQ(1, g.count);
        EXPECT_EQ(encode({"third"}), text(static_cast<std::byte*>(to[0].iov_base), to[0].iov_len));
        l.put({"fourth"});
    }
    (void)l.reader.commit(g.bytes);
    g = l.reader.gather(to, 2, 1000, 1000);
    EXPECT_EQ(encode({"fourth"}), text(static_cast<std::byte*>(to[0].iov_base), to[0].iov_len));
}

TEST(conflation_test, takes_what_came_encoded)
{
    newest_lane l;
    l.put_span(encode({"old"}), 100);
    l.put_span(encode({"a", "new"}), 100);
    EXPECT_EQ("new", l.take());
    EXPECT_EQ("(nothing)", l.take());
    message::buffer* body = message::buffer::allocate(20000);
    std::memset(body->data(), 'x', 20000);
    std::byte header[message::long_header_size];
    l.put_span(text(header, message::encode_header(header, 0, 20000)), 100, body);
    EXPECT_EQ(std::string(20000, 'x'), l.take());
    EXPECT_TRUE(l.last.by_reference);
}

// The rest of the chunk is let go, however long nobody reads.
TEST(conflation_test, keeps_little_more_than_the_message)
{
    newest_lane l;
    const std::string long_header("\2\0\0\0\0\0\0\0\5hello", 14);
    l.put_span(long_header, 64 * 1024);
    EXPECT_EQ("hello", l.take());
    EXPECT_LE(l.last.owner->capacity(), 1024u);
    l.put_span(encode({pattern_of(40000)}), 64 * 1024);
    EXPECT_EQ(pattern_of(40000), l.take());
    EXPECT_GE(l.last.owner->capacity(), 64u * 1024);
    for (int i = 0; i < 100000; ++i) l.put({pattern_of(100)});
    EXPECT_EQ(pattern_of(100), l.take());
    EXPECT_LE(l.last.owner->capacity(), 8u * 1024) << "the writer's chunk";
}

TEST(conflation_test, gives_each_message_the_properties_that_hold)
{
    newest_lane l;
    message::metadata* first = message::metadata::create({{"a", "1"}});
    message::metadata* second = message::metadata::create({{"a", "2"}});
    ASSERT_TRUE(l.writer.set_metadata(first));
    l.put({"1"});
    EXPECT_EQ("1", l.take());
    EXPECT_EQ(first, l.last.metadata);
    l.put({"2"});
    ASSERT_TRUE(l.writer.set_metadata(second));
    l.put({"3"});
    EXPECT_EQ("3", l.take());
    EXPECT_EQ(second, l.last.metadata);
}

// A mark that changes while messages pass keeps nobody from writing.
TEST(conflation_test, has_room_whatever_the_high_water_mark)
{
    newest_lane l;
    for (const std::uint64_t hwm : {1000, 10, 1, 7, 0}) {
        for (int i = 0; i < 500; ++i) l.put({std::to_string(i)});
        l.writer.set_hwm(hwm);
        EXPECT_TRUE(l.writer.has_room_or_wait());
        EXPECT_EQ(0u, l.writer.uncredited());
    }
    EXPECT_EQ("499", l.take());
}

TEST(conflation_test, tells_a_reader_that_sleeps_once)
{
    newest_lane l;
    const auto publish = [&] {
        EXPECT_TRUE(l.writer.write({bytes("x"), 1, false}));
        l.writer.publish();
        return l.between.pass(l.writer);
    };
    EXPECT_FALSE(publish());
    (void)l.reader.go_dormant();
    EXPECT_TRUE(publish());
    EXPECT_FALSE(publish());
    EXPECT_EQ("x", l.take());
    EXPECT_EQ("(nothing)", l.take());
}

// Only the newest counts, and it always arrives.
TEST(conflation_test, ends_with_the_newest_message_stress)
{
#ifdef ZLINK_TSAN
    constexpr std::size_t count = 50'000;
#else
    constexpr std::size_t count = 500'000;
#endif
    newest_lane l;
    std::thread sender([&] {
        for (std::size_t n = 1; n <= count; ++n) {
            const std::size_t size = n % 100 == 0 ? 10'000 : sizeof n;
            std::string body(size, '\0');
            std::memcpy(body.data(), &n, sizeof n);
            l.put({body});
        }
        l.close();
    });
    std::size_t last = 0;
    incoming f;
    while (true) {
        while (l.reader.next(f)) {
            std::size_t n = 0;
            ASSERT_LE(sizeof n, f.size);
            std::memcpy(&n, f.data, sizeof n);
            ASSERT_LT(last, n);
            last = n;
            (void)l.reader.pop(f);
        }
        if (l.reader.closed()) break;
        std::this_thread::yield();
    }
    EXPECT_EQ(count, last);
    sender.join();
}

TEST(conflation_test, both_ways_of_a_pipe_keep_the_newest_message)
{
    pipe* p = pipe::create({5, 5, 8192, true});
    ASSERT_TRUE(p);
    const auto exchange = [](pipe_end& from, pipe_end& to) {
        EXPECT_TRUE(to.reader.conflates());
        for (int i = 0; i < 50; ++i) {
            const std::string body = std::to_string(i);
            ASSERT_TRUE(from.writer.has_room());
            if (i % 2 != 0 && from.send_at_once(bytes(body), body.size())) continue;
            ASSERT_TRUE(from.writer.write({bytes(body), body.size(), false}));
            from.publish();
        }
        incoming f;
        ASSERT_TRUE(to.reader.next(f));
        EXPECT_EQ("49", text(f.data, f.size));
        to.pop(f);
        EXPECT_FALSE(to.reader.readable());
    };
    exchange(p->first(), p->second());
    exchange(p->second(), p->first());
    p->first().close();
    EXPECT_FALSE(p->second().reader.readable());
    EXPECT_TRUE(p->second().reader.closed());
    p->second().close();
}

}  // namespace
}  // namespace zlink::pipe::test
