// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A queue that drops holds its marks whether its reader runs or not, and what it gives is whole and in order.
#include "pipe/drop_queue.hpp"

#include "pipe/balance.hpp"
#include "pipe/drop_rule.hpp"
#include "pipe/pipe.hpp"
#include "pipe/relay.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zlink::pipe::test {
namespace {

TEST(drop_rule_test, the_writers_rule_comes_before_the_readers)
{
    EXPECT_EQ(when_full::block, joint_rule(when_full::block, when_full::block).what);
    EXPECT_EQ(when_full::drop_oldest, joint_rule(when_full::drop_oldest, when_full::drop_newest).what);
    EXPECT_FALSE(joint_rule(when_full::drop_oldest, when_full::drop_newest).of_reader);
    EXPECT_EQ(when_full::drop_newest, joint_rule(when_full::block, when_full::drop_newest).what);
    EXPECT_TRUE(joint_rule(when_full::block, when_full::drop_newest).of_reader);
}

struct dropping_lane {
    explicit dropping_lane(when_full what, std::uint64_t hwm, std::uint64_t octets = 0) : between({what, false})
    {
        between.set_hwm(hwm);
        between.set_octets_of_writer(octets);
    }

    void put(const parts& message)
    {
        for (std::size_t i = 0; i < message.size(); ++i) {
            ASSERT_TRUE(writer.has_room());
            ASSERT_TRUE(writer.write({bytes(message[i]), message[i].size(), i + 1 < message.size()}));
        }
        writer.publish();
        EXPECT_TRUE(writer.reader_sleeps()) << "the publisher is to come to pass()";
        told |= between.pass(writer);
    }
    void put_numbers(int from, int to)
    {
        for (int i = from; i < to; ++i) put({std::to_string(i)});
    }
    void close()
    {
        writer.close();
        between.end();
    }
    parts take()
    {
        parts message;
        incoming f;
        do {
            if (!reader.next(f)) return {"(nothing)"};
            message.push_back(text(f.data, f.size));
            last = f;
            (void)reader.pop(f);
        } while (f.more);
        return message;
    }
    std::vector<int> take_numbers()
    {
        std::vector<int> taken;
        while (reader.readable()) taken.push_back(std::stoi(take().front()));
        return taken;
    }
    std::string drain_octets(std::size_t step)
    {
        std::string wire;
        iovec to[8];
        while (true) {
            const auto g = reader.gather(to, 8, step, step);
            if (g.bytes == 0) return wire;
            for (int i = 0; i < g.count; ++i)
                wire += text(static_cast<const std::byte*>(to[i].iov_base), to[i].iov_len);
            (void)reader.commit(g.bytes);
        }
    }

    drop_queue between;
    lane_writer writer{between.written_lane(), 0, 8192};
    lane_reader reader{between.read_lane(), 0};
    incoming last{};
    bool told = false;
};

TEST(drop_queue_test, that_drops_the_oldest_has_the_newest)
{
    dropping_lane l(when_full::drop_oldest, 4);
    l.put_numbers(0, 100);
    EXPECT_EQ((std::vector{96, 97, 98, 99}), l.take_numbers());
    EXPECT_EQ(96u, l.between.look_at_replaced().messages);
    EXPECT_EQ(0u, l.between.look_at_refused().messages);
    l.put_numbers(100, 103);
    EXPECT_EQ((std::vector{100, 101, 102}), l.take_numbers());
    EXPECT_EQ(96u, l.between.look_at_replaced().messages);
}

TEST(drop_queue_test, that_drops_the_newest_has_the_oldest)
{
    dropping_lane l(when_full::drop_newest, 4);
    l.put_numbers(0, 100);
    EXPECT_EQ((std::vector{0, 1, 2, 3}), l.take_numbers());
    EXPECT_EQ(96u, l.between.look_at_refused().messages);
    EXPECT_EQ(0u, l.between.look_at_replaced().messages);
}

TEST(drop_queue_test, has_room_for_as_much_as_was_taken)
{
    for (const int mark : {1, 2, 3, 4, 7}) {
        dropping_lane l(when_full::drop_newest, std::uint64_t(mark));
        l.put_numbers(0, mark);
        EXPECT_EQ(parts{"0"}, l.take());
        l.put_numbers(mark, mark + 1);
        EXPECT_EQ(0u, l.between.look_at_refused().messages) << mark;
        l.put_numbers(mark + 1, mark + 2);
        EXPECT_EQ(1u, l.between.look_at_refused().messages) << mark;
    }
}

TEST(drop_queue_test, without_a_mark_keeps_everything)
{
    for (const when_full what : {when_full::drop_newest, when_full::drop_oldest}) {
        dropping_lane l(what, 0);
        l.put_numbers(0, 5000);
        for (int i = 0; i < 5000; ++i) ASSERT_EQ(parts{std::to_string(i)}, l.take());
    }
}

TEST(drop_queue_test, holds_its_mark_in_octets)
{
    const std::string body(98, 'x');  // 100 octets with its header
    dropping_lane oldest(when_full::drop_oldest, 0, 1000), newest(when_full::drop_newest, 0, 1000);
    for (int i = 0; i < 500; ++i) {
        oldest.put({std::to_string(1000 + i) + body.substr(4)});
        newest.put({std::to_string(1000 + i) + body.substr(4)});
    }
    EXPECT_EQ(10u, oldest.between.waiting());
    EXPECT_EQ(10u, newest.between.waiting());
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(std::to_string(1490 + i), oldest.take().front().substr(0, 4));
        EXPECT_EQ(std::to_string(1000 + i), newest.take().front().substr(0, 4));
    }
    EXPECT_EQ(49'000u, oldest.between.look_at_replaced().octets);
    EXPECT_EQ(49'000u, newest.between.look_at_refused().octets);
}

TEST(drop_queue_test, takes_a_message_above_its_mark_if_there_is_no_other)
{
    for (const when_full what : {when_full::drop_newest, when_full::drop_oldest}) {
        dropping_lane l(what, 0, 10);
        for (int i = 0; i < 3; ++i) {
            l.put({pattern_of(100'000)});
            EXPECT_EQ(parts{pattern_of(100'000)}, l.take());
            EXPECT_EQ(parts{"(nothing)"}, l.take());
        }
        l.put({pattern_of(100'000, 1)});
        l.put({pattern_of(100'000, 2)});
        EXPECT_EQ(parts{pattern_of(100'000, what == when_full::drop_newest ? 1 : 2)}, l.take());
        EXPECT_EQ(parts{"(nothing)"}, l.take());
    }
}

TEST(drop_queue_test, keeps_messages_of_several_parts_whole)
{
    dropping_lane l(when_full::drop_oldest, 3);
    std::vector<parts> messages;
    for (std::size_t size : telling_sizes) messages.push_back({"head", pattern_of(size), "", pattern_of(size, 1)});
    for (const parts& m : messages) l.put(m);
    messages.erase(messages.begin(), messages.end() - 3);
    for (const parts& m : messages) EXPECT_EQ(m, l.take());
    EXPECT_EQ(parts{"(nothing)"}, l.take());
    ASSERT_TRUE(l.writer.write({bytes("x"), 1, true}));
    EXPECT_FALSE(l.between.pass(l.writer)) << "not finished";
    l.writer.rollback();
    EXPECT_EQ(parts{"(nothing)"}, l.take());
}

TEST(drop_queue_test, leaves_what_its_reader_has_begun)
{
    dropping_lane l(when_full::drop_oldest, 8);  // two at once
    for (int i = 0; i < 8; ++i) l.put({std::to_string(i), "rest"});
    incoming f;
    ASSERT_TRUE(l.reader.next(f));
    (void)l.reader.pop(f);
    for (int i = 8; i < 100; ++i) l.put({std::to_string(i), "rest"});
    ASSERT_TRUE(l.reader.next(f));
    EXPECT_EQ("rest", text(f.data, f.size));
    (void)l.reader.pop(f);
    EXPECT_EQ((parts{"1", "rest"}), l.take());
    for (int i = 94; i < 100; ++i) EXPECT_EQ((parts{std::to_string(i), "rest"}), l.take());
    EXPECT_EQ((parts{"(nothing)"}), l.take());
}

TEST(drop_queue_test, gives_its_messages_before_its_end)
{
    dropping_lane l(when_full::drop_oldest, 2);
    l.put_numbers(0, 5);
    l.close();
    EXPECT_TRUE(l.reader.has_news());
    EXPECT_EQ((std::vector{3, 4}), l.take_numbers());
    EXPECT_TRUE(l.reader.closed());
    EXPECT_FALSE(l.reader.has_news());
    EXPECT_EQ((parts{"(nothing)"}), l.take());
}

TEST(drop_queue_test, tells_a_reader_that_sleeps_once)
{
    dropping_lane l(when_full::drop_newest, 1);
    l.put({"0"});
    EXPECT_FALSE(l.told);
    EXPECT_EQ(parts{"0"}, l.take());
    EXPECT_FALSE(l.reader.has_news());
    (void)l.reader.go_dormant();
    l.put({"1"});
    EXPECT_TRUE(std::exchange(l.told, false));
    EXPECT_TRUE(l.reader.has_news());
    l.put({"2"});
    EXPECT_FALSE(l.told) << "nor was there room";
    EXPECT_EQ(parts{"1"}, l.take());
}

TEST(drop_queue_test, goes_out_as_octets)
{
    for (const std::size_t step : {1u, 3u, 1000u, 1u << 20}) {
        dropping_lane l(when_full::drop_oldest, 8);
        l.reader.begin_octets();
        std::vector<parts> messages;
        for (std::size_t size : {0, 1, 255, 256, 10'000}) messages.push_back({"head", pattern_of(size)});
        for (const parts& m : messages) l.put(m);
        EXPECT_EQ(encode_all(messages), l.drain_octets(step));
        EXPECT_EQ(0u, l.reader.octets_to(lane_reader::boundary::message));
        EXPECT_EQ(messages.size(), l.reader.messages_read());
        for (int i = 0; i < 8; ++i) l.put({"x"});
        EXPECT_EQ(0u, l.between.look_at_replaced().messages) << "all were written";
    }
}

// The connection was lost; the next one gets the message from its beginning, though all others gave way.
TEST(drop_queue_test, sends_a_message_that_was_cut_once_more)
{
    dropping_lane l(when_full::drop_oldest, 1);
    l.reader.begin_octets();
    l.put({"first"});
    iovec to[2];
    ASSERT_EQ(encode({"first"}).size(), l.reader.gather(to, 2, 1000, 1000).bytes);
    (void)l.reader.commit(3);
    l.put_numbers(0, 10);
    l.reader.rewind();
    EXPECT_EQ(encode_all({{"first"}, {"9"}}), l.drain_octets(1000));
}

// Octets that leave are as many as came, whatever form their headers have.
TEST(drop_queue_test, passes_headers_as_they_came)
{
    dropping_lane l(when_full::drop_oldest, 0);
    const std::string wire("\2\0\0\0\0\0\0\0\5hello", 14);
    message::buffer* const chunk = message::buffer::allocate(100 + span_room);
    ASSERT_TRUE(chunk);
    std::memcpy(chunk->data(), wire.data(), wire.size());
    const auto place =
        (reinterpret_cast<std::uintptr_t>(chunk->data()) + 100 + alignof(span) - 1) & ~(alignof(span) - 1);
    std::byte* const end = chunk->data() + wire.size();
    l.writer.append_span(chunk, reinterpret_cast<void*>(place), chunk->data(), end, end, 1);
    (void)l.between.pass(l.writer);
    EXPECT_EQ(parts{"hello"}, l.take());
    EXPECT_EQ(14u, l.reader.octets_read());
    EXPECT_LE(l.last.owner->capacity(), 1024u) << "not all that was read at once";
}

TEST(drop_queue_test, gives_each_message_the_properties_that_hold)
{
    dropping_lane l(when_full::drop_oldest, 2);
    message::metadata* const first = message::metadata::create({{"a", "1"}});
    message::metadata* const second = message::metadata::create({{"a", "2"}});
    ASSERT_TRUE(l.writer.set_metadata(first));
    l.put({"1"});
    l.put({"2", "2"});
    ASSERT_TRUE(l.writer.set_metadata(second));
    l.put({"3"});
    EXPECT_EQ((parts{"2", "2"}), l.take());
    EXPECT_EQ(first, l.last.metadata);
    EXPECT_EQ((parts{"3"}), l.take());
    EXPECT_EQ(second, l.last.metadata);
}

TEST(drop_queue_test, drops_by_the_marks_that_hold_then)
{
    dropping_lane l(when_full::drop_oldest, 10);
    l.put_numbers(0, 20);
    l.between.set_hwm(3);
    l.put_numbers(20, 21);
    EXPECT_EQ(3u, l.between.waiting());
    l.between.set_hwm(0);
    l.between.set_octets_of_reader(15);  // and 3 or 4 octets each
    l.put_numbers(21, 30);
    EXPECT_EQ(4u, l.between.waiting());
    EXPECT_EQ((std::vector{26, 27, 28, 29}), l.take_numbers());
}

TEST(drop_queue_test, counts_what_it_has_dropped)
{
    for (const when_full what : {when_full::drop_newest, when_full::drop_oldest}) {
        dropping_lane l(what, 5);
        for (std::size_t size : telling_sizes) l.put({"a", pattern_of(size, 1)});
        (void)l.take();
        for (std::size_t size : telling_sizes) l.put({pattern_of(size, 1)});
        l.close();
        EXPECT_TRUE(balances_when_drained(l.writer, &l.between, l.reader));
        EXPECT_FALSE(balances_when_drained(l.writer, nullptr, l.reader));
        traffic gone = *l.reader.look_at_read();
        gone += l.between.look_at_replaced();
        gone += l.between.look_at_refused();
        EXPECT_EQ(l.writer.look_at_written()->octets, gone.octets);
    }
}

// Whatever the reader misses: what it gets is whole, in order, and ends with the newest, or begins with the oldest.
TEST(drop_queue_test, gives_whole_messages_in_order_stress)
{
#ifdef ZLINK_TSAN
    constexpr std::size_t count = 10'000;
#else
    constexpr std::size_t count = 100'000;
#endif
    for (const when_full what : {when_full::drop_oldest, when_full::drop_newest}) {
        dropping_lane l(what, 20, 50'000);
        std::thread sender([&] {
            for (std::size_t n = 1; n <= count; ++n) {
                std::string body(n % 100 == 0 ? 10'000 : sizeof n, '\0');
                std::memcpy(body.data(), &n, sizeof n);
                l.put({body.substr(0, sizeof n), body});
            }
            l.close();
        });
        std::size_t before = 0, taken = 0;
        while (true) {
            while (l.reader.readable()) {
                const parts m = l.take();
                ASSERT_EQ(2u, m.size());
                ASSERT_EQ(m[0], m[1].substr(0, sizeof before));
                std::size_t n = 0;
                std::memcpy(&n, m[0].data(), sizeof n);
                ASSERT_LT(before, n);
                before = n;
                ++taken;
            }
            if (l.reader.closed()) break;
            std::this_thread::yield();
        }
        sender.join();
        if (what == when_full::drop_oldest) {
            EXPECT_EQ(count, before);
        }
        EXPECT_EQ(count, taken + l.between.look_at_replaced().messages + l.between.look_at_refused().messages);
        EXPECT_TRUE(balances_when_drained(l.writer, &l.between, l.reader));
    }
}

// The reader sleeps until it is told, and misses nothing.
TEST(drop_queue_test, wakes_a_reader_that_sleeps_stress)
{
    constexpr int count = 20'000;
    dropping_lane l(when_full::drop_oldest, 3);
    l.reader.use_fences();
    std::atomic<int> wakes{0};
    std::thread sender([&] {
        for (int i = 0; i < count; ++i) {
            l.told = false;
            l.put_numbers(i, i + 1);
            if (l.told) wakes.fetch_add(1);
        }
    });
    int seen = 0, newest = -1;
    while (newest != count - 1) {
        for (const int n : l.take_numbers()) newest = n;
        if (newest == count - 1) break;
        (void)l.reader.go_dormant();
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (l.reader.has_news() && l.reader.wake_up()) continue;
        while (wakes.load() == seen) std::this_thread::yield();
        ++seen;
    }
    sender.join();
    EXPECT_EQ(wakes.load(), seen);
}

TEST(drop_queue_test, is_one_way_of_a_pipe)
{
    pipe* p = pipe::create({3, 2, 8192, false, 0, 0, {when_full::drop_oldest, false}, {}});
    ASSERT_TRUE(p);
    const auto send = [](pipe_end& from, int count) {
        int sent = 0;
        for (; sent < count && from.writer.has_room(); ++sent) {
            const std::string body = std::to_string(sent);
            EXPECT_TRUE(from.writer.write({bytes(body), body.size(), false}));
            from.publish();
        }
        return sent;
    };
    const auto take = [](pipe_end& at) {
        std::vector<int> taken;
        for (incoming f; at.reader.next(f); at.pop(f)) taken.push_back(std::stoi(text(f.data, f.size)));
        return taken;
    };
    EXPECT_EQ(50, send(p->first(), 50));
    EXPECT_EQ(2, send(p->second(), 50)) << "the other way waits";
    EXPECT_EQ(3u, p->first().messages_queued());
    const auto seen = p->first().look_at_outbound();
    ASSERT_TRUE(seen);
    EXPECT_EQ(50u, seen->put.messages);
    EXPECT_EQ(47u, seen->replaced.messages);
    EXPECT_EQ((std::vector{47, 48, 49}), take(p->second()));
    EXPECT_EQ((std::vector{0, 1}), take(p->first()));
    p->first().set_hwm(5);
    EXPECT_EQ(50, send(p->first(), 50));
    EXPECT_EQ(5u, take(p->second()).size());
    p->second().request_octet_mark(1);
    EXPECT_EQ(50, send(p->first(), 50));
    EXPECT_EQ((std::vector{49}), take(p->second()));
    EXPECT_EQ(50, send(p->first(), 50));
    p->first().close();
    EXPECT_EQ((std::vector{49}), take(p->second()));
    EXPECT_TRUE(p->second().reader.closed());
    p->second().close();
}

TEST(drop_queue_test, goes_with_its_pipe_though_nobody_has_read_it)
{
    pipe* p = pipe::create({3, 3, 8192, false, 0, 0, {when_full::drop_oldest, false}, {when_full::drop_newest, true}});
    ASSERT_TRUE(p);
    for (pipe_end* end : {&p->first(), &p->second()}) {
        for (int i = 0; i < 10; ++i) {
            const std::string body(10'000, 'x');
            ASSERT_TRUE(end->writer.write({bytes(body), body.size(), false}));
            end->publish();
        }
    }
    EXPECT_FALSE(p->first().look_at_outbound()->readers_rule);
    EXPECT_TRUE(p->second().look_at_outbound()->readers_rule);
    EXPECT_EQ(7u, p->second().look_at_outbound()->refused.messages);
    p->first().close();
    p->second().close();
}

}  // namespace
}  // namespace zlink::pipe::test
