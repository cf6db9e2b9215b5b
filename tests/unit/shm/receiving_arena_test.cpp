// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Bodies of a peer: references that are right, and all that may be wrong with them.
#include "shm/receiving_arena.hpp"

#include "unit/shm/exchange_fixture.hpp"

#include <cstring>
#include <thread>

#include <sys/wait.h>

namespace zlink::shm {
namespace {

using test::agree;
using test::error_text;
using test::octets_of;
using test::pass_on;
using test::side;

class receiving_arena_test : public testing::Test {
protected:
    receiving_arena_test()
    {
        agree(one, other, 50'000);
        where = *one.put(octets_of(50'000, 5));
    }
    std::string refused(body_reference r) { return other.get(r); }

    side one;
    side other;
    body_reference where;
};

TEST_F(receiving_arena_test, each_figure_is_checked)
{
    const std::string wrong = error_text(errc::protocol_error);
    const auto with = [&](auto change) {
        body_reference r = where;
        change(r);
        return r;
    };
    EXPECT_EQ(wrong, refused(with([](auto& r) { ++r.segment; })));
    EXPECT_EQ(wrong, refused(with([](auto& r) { r.segment = 0; })));
    EXPECT_EQ(wrong, refused(with([](auto& r) { r.slot = 32; })));
    EXPECT_EQ(wrong, refused(with([](auto& r) { r.slot = ~0u; })));
    EXPECT_EQ(wrong, refused(with([](auto& r) { r.size = 0; })));
    EXPECT_EQ(wrong, refused(with([](auto& r) { r.size = 65537; })));
    EXPECT_EQ(wrong, refused(with([](auto& r) { r.size = ~std::uint64_t{0}; })));
    EXPECT_EQ(wrong, refused(with([](auto& r) { r.size = std::uint64_t{1} << 32; })));
    EXPECT_EQ(wrong, refused(with([](auto& r) { r.generation = 0; })));
    EXPECT_EQ(wrong, refused(with([](auto& r) { --r.generation; }))) << "of an earlier body";
    EXPECT_EQ(octets_of(50'000, 5), other.get(where)) << "none of these has changed anything";
    EXPECT_EQ(wrong, refused(where)) << "once";
}

TEST_F(receiving_arena_test, a_slot_in_use_holds_no_other_body)
{
    message::buffer* body = nullptr;
    EXPECT_EQ(octets_of(50'000, 5), other.get(where, &body));
    EXPECT_TRUE(body->lent());
    body_reference next = where;
    ++next.generation;
    EXPECT_EQ(error_text(errc::protocol_error), refused(next));
    body->release();
    EXPECT_EQ(50'000u, other.get(next).size());
}

TEST(borrowing_test, each_body_is_the_peers_whatever_was_written_into_earlier_ones)
{
    side one;
    side other({.least = 1024, .most = 64 * 1024 * 1024}, incoming_bodies::borrowed);
    agree(one, other, 50'000);
    std::uint32_t slot = 0;
    for (int i = 0; i < 4; ++i) {
        const auto where = one.put(octets_of(50'000, i));
        ASSERT_TRUE(where);
        if (i != 0) {
            EXPECT_EQ(slot, where->slot);
        }
        slot = where->slot;
        message::buffer* body = nullptr;
        EXPECT_EQ(octets_of(50'000, i), other.get(*where, &body));
        ASSERT_NE(nullptr, body);
        EXPECT_FALSE(body->lent()) << "the program gets it as it is";
        std::memset(body->data(), 'x', body->capacity());
        EXPECT_EQ(std::byte{'x'}, body->data()[49'999]);
        body->release();
    }
}

TEST(borrowing_test, a_body_that_is_kept_keeps_its_slot)
{
    side one;
    side other({.least = 1024, .most = 64 * 1024 * 1024}, incoming_bodies::borrowed);
    agree(one, other, 50'000);
    const auto first = one.put(octets_of(50'000, 1));
    message::buffer* kept = nullptr;
    (void)other.get(*first, &kept);
    for (int i = 0; i < 3; ++i) {
        const auto next = one.put(octets_of(50'000, 10 + i));
        ASSERT_TRUE(next);
        EXPECT_NE(first->slot, next->slot);
        EXPECT_EQ(octets_of(50'000, 10 + i), other.get(*next));
    }
    EXPECT_EQ(octets_of(50'000, 1), std::string(reinterpret_cast<const char*>(kept->data()), kept->capacity()));
    kept->release();
    EXPECT_EQ(first->slot, one.put(octets_of(50'000, 3))->slot) << "returned with the last reference";
}

TEST_F(receiving_arena_test, a_body_outlives_its_segment_and_its_connection)
{
    message::buffer* body = nullptr;
    (void)other.get(where, &body);
    {
        auto gone = std::make_unique<side>();
        auto here = std::make_unique<side>();
        agree(*gone, *here, 50'000);
        const auto r = gone->put(octets_of(50'000, 9));
        message::buffer* left = nullptr;
        (void)here->get(*r, &left);
        gone.reset();
        here.reset();
        EXPECT_EQ(octets_of(50'000, 9), std::string(reinterpret_cast<const char*>(left->data()), left->capacity()));
        left->release();
    }
    EXPECT_TRUE(other.hear(command_kind::retire, where.segment));
    EXPECT_EQ(octets_of(50'000, 5), std::string(reinterpret_cast<const char*>(body->data()), body->capacity()));
    EXPECT_LT(0u, other.limits->taken.used());
    body->release();
    EXPECT_EQ(0u, other.limits->taken.used());
}

TEST_F(receiving_arena_test, a_child_of_fork_reads_and_returns_nothing)
{
    std::vector<message::buffer*> kept(1);
    (void)other.get(where, &kept[0]);
    // All slots are in use.
    int count = 0;
    while (const auto r = one.put(octets_of(50'000, ++count))) (void)other.get(*r, &kept.emplace_back());
    watch_forks();
    const pid_t child = ::fork();
    if (child == 0) {
        const bool right =
            octets_of(50'000, 5) == std::string(reinterpret_cast<const char*>(kept[0]->data()), kept[0]->capacity());
        for (message::buffer* b : kept) b->release();
        ::_exit(right ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    EXPECT_FALSE(one.put(octets_of(50'000, 1))) << "the parent still has them";
    for (message::buffer* b : kept) b->release();
    EXPECT_TRUE(one.put(octets_of(50'000, 1)));
}

TEST_F(receiving_arena_test, bodies_are_released_by_any_thread)
{
    std::vector<std::thread> threads;
    (void)other.get(where);
    std::atomic<int> wrong{0};
    for (int round = 0; round < 200; ++round) {
        const auto r = one.put(octets_of(50'000, round));
        if (!r) {
            for (auto& t : threads) t.join();
            threads.clear();
            continue;
        }
        message::buffer* body = nullptr;
        wrong += other.get(*r, &body) != octets_of(50'000, round);
        threads.emplace_back([body, round, &wrong] {
            wrong +=
                octets_of(50'000, round) != std::string(reinterpret_cast<const char*>(body->data()), body->capacity());
            body->release();
        });
    }
    for (auto& t : threads) t.join();
    EXPECT_EQ(0, wrong);
}

}  // namespace
}  // namespace zlink::shm
