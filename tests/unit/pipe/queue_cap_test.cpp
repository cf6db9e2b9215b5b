// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// All pipes under a cap together hold less than it and one message for each direction, and none waits in vain.
#include "pipe/queue_cap.hpp"

#include "pipe/pipe.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zlink::pipe::test {
namespace {

constexpr std::size_t message_octets = 100;  // with a header of 2

class wakes_counted final : public activation_queue {
public:
    std::atomic<int> wakes{0};

private:
    void wake() noexcept override
    {
        wakes.fetch_add(1);
        wakes.notify_all();
    }
};

// The first end writes; it is told of credit.
class capped_pipe {
public:
    explicit capped_pipe(const std::shared_ptr<queue_cap>& cap, const drop_rule& rule = {}, std::uint64_t hwm = 0)
        : ends_(pipe::create({hwm, hwm, 8192, false, 0, 0, rule, {}, cap}))
    {
        writer().attach(*told_);
    }
    capped_pipe(const capped_pipe&) = delete;
    capped_pipe& operator=(const capped_pipe&) = delete;
    ~capped_pipe()
    {
        if (!reader().closed()) reader().close();
        writer().close();
        for (pipe_end* end = told_->take_all(); end; end = told_->take_all()) end->discard();
        told_->release();
    }

    [[nodiscard]] pipe_end& writer() const noexcept { return ends_->first(); }
    [[nodiscard]] pipe_end& reader() const noexcept { return ends_->second(); }
    [[nodiscard]] wakes_counted& told() const noexcept { return *told_; }

    void put(std::size_t size = message_octets - 2) const { put_at(writer(), size); }
    static void put_at(pipe_end& end, std::size_t size)
    {
        const std::string body(size, 'x');
        ASSERT_TRUE(end.writer.write({bytes(body), body.size(), false}));
        end.publish();
    }
    int fill() const
    {
        int count = 0;
        for (; count < 100'000 && writer().writer.has_room_or_wait(); ++count) put();
        return count;
    }
    int take(int most = 100'000) const
    {
        int count = 0;
        for (incoming f; count < most && reader().reader.next(f); ++count) reader().pop(f);
        return count;
    }
    bool take_told() const
    {
        pipe_end* const end = told_->take_all();
        return end && (end->take_events() & event_credit);
    }

private:
    wakes_counted* const told_ = new wakes_counted;
    pipe* const ends_;
};

std::shared_ptr<queue_cap> cap_of(std::uint64_t octets)
{
    auto made = std::make_shared<queue_cap>();
    made->set_limit(octets);
    return made;
}

TEST(queue_cap_test, holds_for_all_queues_together)
{
    const auto cap = cap_of(1000);
    const capped_pipe a(cap), b(cap), c(cap);
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(a.writer().writer.has_room());
        a.put();
    }
    const int in_b = b.fill();
    const int in_c = c.fill();
    EXPECT_LE(10, 5 + in_b + in_c);
    EXPECT_GT(10 + 3, 5 + in_b + in_c) << "and one for each";
    EXPECT_EQ(1, in_c) << "its queue was empty";
    EXPECT_FALSE(a.writer().writer.has_room());
    EXPECT_FALSE(b.writer().writer.has_room());
    EXPECT_EQ(std::uint64_t(5 + in_b + in_c) * message_octets, cap->queued()) << "all have looked again";
    EXPECT_EQ(2u, cap->waits()) << "a has not waited";
}

TEST(queue_cap_test, lets_each_empty_queue_have_one_message_however_small_it_is)
{
    const auto cap = cap_of(1);
    const capped_pipe a(cap), b(cap);
    for (const std::size_t size : {10u, 10'000u, 1'000'000u}) {
        for (const capped_pipe* p : {&a, &b}) {
            ASSERT_TRUE(p->writer().writer.has_room());
            p->put(size);
            EXPECT_FALSE(p->writer().writer.has_room());
        }
        EXPECT_EQ(1, a.take());
        EXPECT_EQ(1, b.take());
        EXPECT_EQ(0u, cap->queued());
    }
}

TEST(queue_cap_test, counts_both_directions)
{
    const auto cap = cap_of(300);
    const capped_pipe p(cap);
    EXPECT_EQ(3, p.fill());
    ASSERT_TRUE(p.reader().writer.has_room());
    capped_pipe::put_at(p.reader(), 98);
    EXPECT_FALSE(p.reader().writer.has_room());
    EXPECT_EQ(400u, cap->queued());
}

TEST(queue_cap_test, leaves_room_that_was_found)
{
    const auto cap = cap_of(1000);
    const capped_pipe a(cap), b(cap);
    a.put();
    ASSERT_TRUE(a.writer().writer.has_room());
    (void)b.fill();
    EXPECT_TRUE(a.writer().writer.has_room()) << "a program that was told so sends without waiting";
    a.put();
    EXPECT_FALSE(a.writer().writer.has_room());
}

TEST(queue_cap_test, tells_all_that_wait_once_an_eighth_is_free)
{
    const auto cap = cap_of(1000);
    const capped_pipe a(cap), b(cap), c(cap);
    (void)a.fill();
    EXPECT_EQ(1, b.fill());
    EXPECT_EQ(1, c.fill());
    ASSERT_EQ(1200u, cap->queued());
    EXPECT_EQ(3, a.take(3));
    EXPECT_FALSE(a.take_told() || b.take_told() || c.take_told()) << "900 wait";
    EXPECT_FALSE(b.writer().writer.has_room()) << "those that wait are not passed by";
    EXPECT_EQ(1, a.take(1));
    EXPECT_TRUE(a.take_told());
    EXPECT_TRUE(b.take_told());
    EXPECT_TRUE(c.take_told());
    EXPECT_TRUE(b.writer().writer.has_room());
    EXPECT_EQ(1, a.take(1));
    EXPECT_FALSE(a.take_told() || b.take_told() || c.take_told()) << "nobody waits";
}

TEST(queue_cap_test, tells_a_writer_whose_queue_has_become_empty)
{
    const auto cap = cap_of(1000);
    const capped_pipe full(cap), other(cap);
    (void)full.fill();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(1, other.fill());
        EXPECT_FALSE(other.take_told());
        EXPECT_EQ(1, other.take());
        EXPECT_TRUE(other.take_told());
    }
    EXPECT_FALSE(full.take_told());
}

TEST(queue_cap_test, gives_back_what_ends_unread)
{
    const auto cap = cap_of(1000);
    const capped_pipe other(cap);
    {
        const capped_pipe ends(cap);
        (void)ends.fill();
        EXPECT_EQ(1, other.fill());
    }
    EXPECT_TRUE(other.take_told());
    EXPECT_EQ(100u, cap->queued());
}

TEST(queue_cap_test, tells_no_end_that_has_closed)
{
    const auto cap = cap_of(1000);
    const capped_pipe full(cap);
    (void)full.fill();
    {
        const capped_pipe waits(cap);
        (void)waits.fill();
    }
    EXPECT_EQ(10, full.take());
    EXPECT_TRUE(full.take_told());
}

TEST(queue_cap_test, may_change)
{
    const auto cap = cap_of(1000);
    const capped_pipe p(cap);
    EXPECT_EQ(10, p.fill());
    cap->set_limit(1500);
    EXPECT_TRUE(p.take_told());
    EXPECT_EQ(5, p.fill());
    cap->set_limit(0);
    EXPECT_TRUE(p.take_told());
    EXPECT_EQ(100'000, p.fill());
    cap->set_limit(1000);
    EXPECT_FALSE(p.writer().writer.has_room());
    EXPECT_EQ(1000u, cap->limit());
}

TEST(queue_cap_test, holds_next_to_the_mark_of_a_queue)
{
    const auto cap = cap_of(1000);
    const capped_pipe p(cap, {}, 3);
    EXPECT_EQ(3, p.fill());
    EXPECT_EQ(0u, cap->waits()) << "that is the mark";
    EXPECT_EQ(2, p.take(2));
    EXPECT_TRUE(p.take_told());
    EXPECT_EQ(2, p.fill());
}

TEST(queue_cap_test, counts_a_message_until_the_connection_has_written_all_of_it)
{
    const auto cap = cap_of(150);
    const capped_pipe p(cap);
    lane_reader& connection = p.reader().reader;
    connection.begin_octets();
    EXPECT_EQ(2, p.fill());
    iovec pieces[4];
    (void)connection.gather(pieces, 4, 130, 130);
    (void)connection.commit(130);
    EXPECT_EQ(70u, cap->queued());
    EXPECT_TRUE(p.take_told());
    connection.rewind();
    EXPECT_EQ(100u, cap->queued()) << "it will go out once more";
    (void)connection.gather(pieces, 4, 100, 100);
    (void)connection.commit(100);
    EXPECT_EQ(0u, cap->queued());
}

TEST(queue_cap_test, counts_what_was_read_at_once)
{
    const auto cap = cap_of(1000);
    const capped_pipe connection(cap);
    ASSERT_TRUE(connection.writer().writer.has_room());
    EXPECT_EQ(1000u, connection.writer().writer.octet_room());
    for (int i = 0; i < 15; ++i) connection.put();
    connection.writer().writer.note_written();
    EXPECT_EQ(1500u, cap->queued());
    EXPECT_EQ(0u, connection.writer().writer.octet_room());
}

TEST(queue_cap_test, has_queues_drop_that_do_not_wait)
{
    for (const when_full what : {when_full::drop_oldest, when_full::drop_newest}) {
        const auto cap = cap_of(1000);
        const capped_pipe drops(cap, {what, false}), waits(cap);
        EXPECT_EQ(100'000, drops.fill());
        EXPECT_GE(11u * message_octets, drops.writer().look_at_outbound()->queued.octets);
        EXPECT_LE(10u * message_octets, drops.writer().look_at_outbound()->queued.octets);
        EXPECT_EQ(1, waits.fill());
        EXPECT_GE(11, drops.take());
        EXPECT_TRUE(waits.take_told());
        EXPECT_LT(1, waits.fill());
        for (int i = 0; i < 5; ++i) drops.put();
        EXPECT_EQ(1, drops.take()) << "there is no room for more";
        EXPECT_GE(1000u + 2 * message_octets, cap->queued());
    }
}

TEST(queue_cap_test, does_not_hold_for_conflating_pipes)
{
    const auto cap = cap_of(1);
    pipe* const p = pipe::create({0, 0, 8192, true, 0, 0, {}, {}, cap});
    ASSERT_TRUE(p);
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(p->first().writer.has_room());
        capped_pipe::put_at(p->first(), 100);
    }
    EXPECT_EQ(0u, cap->queued());
    p->first().close();
    p->second().close();
}

// Each writer sleeps until it is told, and each reader reads on. What waits is below the bound at any time.
TEST(queue_cap_test, is_exceeded_by_one_message_a_queue_and_wakes_all_stress)
{
#ifdef ZLINK_TSAN
    constexpr int count = 3000;
#else
    constexpr int count = 30'000;
#endif
    constexpr std::uint64_t limit = 1000;
    constexpr std::uint64_t largest = 402;
    const auto cap = cap_of(limit);
    std::vector<std::unique_ptr<capped_pipe>> pipes;
    for (int i = 0; i < 3; ++i) pipes.push_back(std::make_unique<capped_pipe>(cap));
    std::atomic<std::uint64_t> there{0};  // a message counts from before it is written until before it is taken
    std::atomic<std::uint64_t> most{0};
    const auto write = [&](const capped_pipe& p) {
        for (int i = 0; i < count; ++i) {
            while (true) {
                const int wakes = p.told().wakes.load();
                while (pipe_end* const end = p.told().take_all()) (void)end->take_events();
                if (p.writer().writer.has_room_or_wait()) break;
                p.told().wakes.wait(wakes);
            }
            const std::uint64_t size = std::uint64_t(i * 37) % (largest - 2);
            const std::uint64_t now = there.fetch_add(size + (size > 255 ? 9 : 2)) + size;
            std::uint64_t before = most.load();
            while (before < now && !most.compare_exchange_weak(before, now)) {
            }
            p.put(size);
        }
    };
    const auto read = [&](const capped_pipe& p) {
        for (int i = 0; i < count;) {
            incoming f;
            if (!p.reader().reader.next(f)) {
                std::this_thread::yield();
                continue;
            }
            there.fetch_sub(f.size + (f.size > 255 ? 9 : 2));
            p.reader().pop(f);
            ++i;
        }
    };
    std::vector<std::thread> threads;
    for (const auto& p : pipes) {
        threads.emplace_back(write, std::cref(*p));
        threads.emplace_back(read, std::cref(*p));
    }
    for (std::thread& each : threads) each.join();
    EXPECT_GT(limit + pipes.size() * (largest + 9), most.load());
    EXPECT_LT(limit / 2, most.load());
    EXPECT_EQ(0u, there.load());
}

}  // namespace
}  // namespace zlink::pipe::test
