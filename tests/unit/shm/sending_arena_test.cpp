// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Slots for bodies: which one is taken, when it is free again, and what the bounds are.
#include "shm/sending_arena.hpp"

#include "shm/sending_segment.hpp"

#include "unit/shm/exchange_fixture.hpp"

namespace zlink::shm {
namespace {

using test::agree;
using test::octets_of;
using test::pass_on;
using test::side;

TEST(sending_arena_test, a_slot_is_used_again_once_the_body_is_returned_and_not_before)
{
    side one;
    side other;
    agree(one, other, 300'000);
    std::vector<message::buffer*> kept;
    std::vector<body_reference> where;
    while (const auto r = one.put(octets_of(300'000, int(where.size())))) {
        kept.push_back(nullptr);
        EXPECT_EQ(octets_of(300'000, int(where.size())), other.get(*r, &kept.back()));
        where.push_back(*r);
    }
    ASSERT_LE(2u, where.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const std::string now(reinterpret_cast<const char*>(kept[i]->data()), kept[i]->capacity());
        EXPECT_EQ(octets_of(300'000, int(i)), now) << "nobody has written into it";
    }
    kept[1]->release();
    const auto again = one.put(octets_of(300'000, 77));
    ASSERT_TRUE(again);
    EXPECT_EQ(where[1].slot, again->slot);
    EXPECT_LT(where[1].generation, again->generation);
    EXPECT_FALSE(one.put(octets_of(300'000, 78)));
    kept[1] = nullptr;
    for (message::buffer* b : kept) {
        if (b) b->release();
    }
}

TEST(sending_arena_test, a_peer_that_keeps_up_gets_the_same_slot_each_time)
{
    side one;
    side other;
    agree(one, other, 50'000);
    for (int i = 0; i < 100; ++i) {
        const auto r = one.put(octets_of(50'000, i));
        ASSERT_TRUE(r);
        EXPECT_EQ(0u, r->slot);
        EXPECT_EQ(octets_of(50'000, i), other.get(*r));
    }
}

TEST(sending_arena_test, small_bodies_and_those_of_other_sizes_have_no_place)
{
    side one;
    side other;
    agree(one, other, 64 * 1024);
    EXPECT_FALSE(one.put(octets_of(1023, 0))) << "below the least";
    EXPECT_FALSE(one.put(octets_of(32 * 1024, 0))) << "half a slot would be unused";
    EXPECT_FALSE(one.put(octets_of(64 * 1024 + 1, 0)));
    EXPECT_TRUE(one.put(octets_of(32 * 1024 + 1, 0)));
    EXPECT_TRUE(one.put(octets_of(64 * 1024, 0)));
}

TEST(sending_arena_test, bodies_whose_memory_would_take_long_to_make_have_no_place)
{
    side one;
    side other;
    agree(one, other, 4 * 1024 * 1024);
    for (int i = 0; i < 10; ++i) {
        EXPECT_FALSE(one.put(std::string(4 * 1024 * 1024 + 1, 'x')));
        ASSERT_TRUE(pass_on(one, other));
    }
}

TEST(sending_arena_test, no_more_memory_is_made_than_allowed)
{
    constexpr std::uint64_t most = 5'000'000;
    side one({.least = 1024, .most = most});
    side other;
    for (const std::size_t size : {100'000, 500'000, 1'000'000, 3'000'000, 6'000'000}) {
        for (int i = 0; i < 10; ++i) {
            (void)one.put(octets_of(size, i));
            ASSERT_TRUE(pass_on(one, other));
            EXPECT_LE(one.limits->made.used(), most);
        }
    }
    EXPECT_FALSE(one.put(octets_of(6'000'000, 0)));
}

TEST(sending_arena_test, all_connections_of_a_socket_have_one_bound)
{
    side one({.least = 1024, .most = 3'000'000});
    side other;
    side second_peer;
    agree(one, other, 100'000);
    struct : exchange_owner {
        bool send_exchange(const command&, unique_fd) noexcept override { return true; }
        void expect_descriptors(bool) noexcept override {}
        unique_fd take_descriptor() noexcept override { return {}; }
    } owner;
    {
        exchange of_another_connection(one.limits, owner);
        const std::string body = octets_of(100'000, 1);
        for (int i = 0; i < 10; ++i) {
            (void)of_another_connection.out().put(reinterpret_cast<const std::byte*>(body.data()), body.size());
            of_another_connection.offer_segment();
        }
        EXPECT_LE(one.limits->made.used(), 3'000'000u);
        EXPECT_LT(2'500'000u, one.limits->made.used());
    }
    EXPECT_GT(2'200'000u, one.limits->made.used()) << "its memory goes with the connection";
}

TEST(sending_arena_test, what_a_hostile_peer_returns_early_spoils_its_own_bodies_alone)
{
    side one;
    side other;
    agree(one, other, 300'000);
    // Returned without being read: the slots are free, and nothing else happens.
    for (int i = 0; i < 50; ++i) {
        const auto r = one.put(octets_of(300'000, i));
        ASSERT_TRUE(r);
        auto body = other.talk.in().body_of(*r);
        ASSERT_TRUE(body);
        (*body)->release();
    }
}

}  // namespace
}  // namespace zlink::shm
