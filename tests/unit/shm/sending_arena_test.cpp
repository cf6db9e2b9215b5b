// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Slots for bodies: which one is taken, when it is free again, and what the bounds are.
#include "shm/sending_arena.hpp"

#include "shm/lenders.hpp"
#include "shm/sending_memory.hpp"
#include "shm/sending_segment.hpp"

#include "unit/shm/exchange_fixture.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <sys/resource.h>

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
    test::never_agree(one, other, 4 * 1024 * 1024 + 1);
}

TEST(sending_arena_test, no_more_memory_is_made_than_allowed)
{
    constexpr std::uint64_t most = 5'000'000;
    side one({.least = 1024, .most = most});
    side other;
    for (const std::size_t size : {100'000, 500'000, 1'000'000, 3'000'000, 6'000'000}) {
        const std::string body = octets_of(size, 1);
        for (std::size_t octets = 0; octets < 2 * test::until_worth_it; octets += size) {
            (void)one.put(body);
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
        for (std::size_t octets = 0; octets < 2 * test::until_worth_it; octets += body.size()) {
            (void)of_another_connection.out().put(reinterpret_cast<const std::byte*>(body.data()), body.size());
            (void)of_another_connection.offer_segment();
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

// A publisher with subscribers.
class sending_memory_test : public testing::Test {
protected:
    static constexpr std::size_t size = 200'000;

    struct subscriber {
        explicit subscriber(const std::shared_ptr<budget>& of) : here(of) {}
        side here;
        side there;
    };
    subscriber& join()
    {
        subscriber& s = *all.emplace_back(std::make_unique<subscriber>(limits));
        agree(s.here, s.there, size);
        return s;
    }
    /// All that have joined are to get a body. Those that are told of a slot, and what they find there.
    std::vector<std::string> publish(const std::string& body, std::vector<body_reference>* where = nullptr)
    {
        ++distribution;
        std::vector<std::string> found;
        for (const auto& s : all) {
            const auto r = s->here.put(body, distribution);
            if (r && where) where->push_back(*r);
            if (r) found.push_back(s->there.get(*r));
        }
        return found;
    }

    std::shared_ptr<budget> limits = std::make_shared<budget>(settings{.least = 1024});
    std::vector<std::unique_ptr<subscriber>> all;
    std::uint64_t distribution = 0;
};

TEST_F(sending_memory_test, a_body_lies_in_one_place_for_all)
{
    for (int i = 0; i < 5; ++i) join();
    const std::uint64_t made = limits->made.used();
    EXPECT_EQ(made, all[0]->there.limits->taken.used()) << "one segment, which each has mapped";
    for (int i = 0; i < 20; ++i) {
        const std::string body = octets_of(size, i);
        std::vector<body_reference> where;
        EXPECT_EQ(std::vector<std::string>(5, body), publish(body, &where));
        for (const body_reference& r : where) EXPECT_EQ(where[0].slot, r.slot);
    }
    EXPECT_EQ(made, limits->made.used());
}

TEST_F(sending_memory_test, bodies_that_are_not_the_same_have_places_of_their_own)
{
    subscriber& one = join();
    subscriber& other = join();
    const std::string body = octets_of(size, 1);
    const auto first = one.here.put(body, 7);
    std::string changed = octets_of(size, 2);
    const auto second = other.here.put(changed, 7);
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->slot, second->slot) << "another part of one buffer";
    EXPECT_EQ(body, one.there.get(*first));
    EXPECT_EQ(changed, other.there.get(*second));
    const auto third = one.here.put(changed, 8);
    ASSERT_TRUE(third);
    EXPECT_EQ(changed, one.there.get(*third)) << "sent anew";
}

TEST_F(sending_memory_test, one_that_never_returns_has_its_share_and_the_others_do_not_notice)
{
    for (int i = 0; i < 4; ++i) join();
    subscriber& stuck = *all.back();
    std::uint32_t told = 0;
    for (int i = 0; i < 200; ++i) {
        const std::string body = octets_of(size, i);
        ++distribution;
        for (const auto& s : all) {
            const auto r = s->here.put(body, distribution);
            if (s.get() == &stuck) {
                told += r ? 1 : 0;
                continue;
            }
            ASSERT_TRUE(r) << i;
            EXPECT_EQ(body, s->there.get(*r));
        }
    }
    EXPECT_LE(1u, told);
    EXPECT_GE(limits->made.used() / (256 * 1024) / 4, told) << "no more than its share of the slots";
}

TEST_F(sending_memory_test, what_one_that_has_gone_may_still_read_is_not_written_again)
{
    join();
    subscriber& gone = join();
    const std::string body = octets_of(size, 1);
    const auto r = gone.here.put(body, ++distribution);
    ASSERT_TRUE(r);
    message::buffer* kept = nullptr;
    EXPECT_EQ(body, gone.there.get(*r, &kept));
    std::unique_ptr<subscriber> of_gone = std::move(all.back());
    all.pop_back();
    {
        // The connection ends; the program of the subscriber still has the message.
        of_gone->here.talk.~exchange();
        new (&of_gone->here.talk)
            exchange(limits, of_gone->here, incoming_bodies::declined, sending_memory::readers::many);
    }
    for (int i = 0; i < 200; ++i) {
        (void)publish(octets_of(size, 10 + i));
        ASSERT_TRUE(pass_on(all[0]->here, all[0]->there));
    }
    EXPECT_EQ(body, std::string(reinterpret_cast<const char*>(kept->data()), kept->capacity()));
    kept->release();
    EXPECT_EQ(1u, publish(octets_of(size, 5)).size()) << "there is a new segment";
}

TEST_F(sending_memory_test, there_is_a_place_for_each_however_many_join)
{
    join();
    const std::uint32_t slots = std::uint32_t(limits->made.used() / (256 * 1024));
    // Those who join later do not read what they get.
    for (std::uint32_t i = 0; i < slots; ++i) all.emplace_back(std::make_unique<subscriber>(limits));
    for (int i = 0; i < 400; ++i) {
        const std::string body = octets_of(size, i);
        ++distribution;
        for (const auto& s : all) {
            const auto r = s->here.put(body, distribution);
            if (r && s == all.front()) {
                EXPECT_EQ(body, s->there.get(*r));
            }
            ASSERT_TRUE(pass_on(s->here, s->there));
        }
    }
    const std::string last = octets_of(size, 1000);
    const auto r = all.front()->here.put(last, ++distribution);
    ASSERT_TRUE(r) << "the others hold their own share alone";
    EXPECT_EQ(last, all.front()->there.get(*r));
}

TEST_F(sending_memory_test, memory_goes_with_the_last_who_uses_it)
{
    for (int i = 0; i < 3; ++i) join();
    for (int left = 3; left > 0; --left) {
        EXPECT_LT(0u, limits->made.used());
        all.pop_back();
    }
    EXPECT_EQ(0u, limits->made.used());
}

TEST_F(sending_memory_test, unused_segments_are_left_by_each_and_then_given_back)
{
    subscriber& one = join();
    subscriber& other = join();
    for (subscriber* s : {&one, &other}) {
        EXPECT_LT(0u, limits->made.used());
        s->here.talk.retire_unused();
        s->here.talk.retire_unused();
        ASSERT_TRUE(pass_on(s->here, s->there));
        EXPECT_EQ(0u, s->there.limits->taken.used());
    }
    EXPECT_EQ(0u, limits->made.used());
    agree(one.here, one.there, size);
}

TEST_F(sending_memory_test, a_place_that_the_program_fills_is_sent_without_a_copy)
{
    subscriber& one = join();
    subscriber& other = join();
    const auto memory = limits->memories.sole();
    ASSERT_TRUE(memory);
    message::buffer* const lent = memory->lend(size);
    ASSERT_NE(nullptr, lent);
    const std::string body = octets_of(size, 9);
    std::memcpy(lent->data(), body.data(), size);
    std::vector<body_reference> where;
    for (subscriber* s : {&one, &other}) {
        const auto r = s->here.talk.out().put(lent->data(), size, 0);
        ASSERT_TRUE(r);
        where.push_back(*r);
        EXPECT_FALSE(s->here.talk.out().put(lent->data(), size, 0)) << "the peer knows of it: this one is copied";
    }
    EXPECT_EQ(where[0].slot, where[1].slot);
    EXPECT_EQ(body, one.there.get(where[0]));
    message::buffer* kept = nullptr;
    EXPECT_EQ(body, other.there.get(where[1], &kept));
    const auto next = one.here.put(octets_of(size, 1));
    EXPECT_NE(where[0].slot, next->slot);
    lent->release();
    EXPECT_NE(where[0].slot, one.here.put(octets_of(size, 2))->slot) << "a subscriber has it";
    kept->release();
    EXPECT_EQ(where[0].slot, one.here.put(octets_of(size, 3))->slot);
}

TEST_F(sending_memory_test, a_place_outlives_its_connections)
{
    join();
    message::buffer* const lent = limits->memories.sole()->lend(size);
    ASSERT_NE(nullptr, lent);
    all.clear();
    std::memset(lent->data(), 'x', size);
    EXPECT_LT(0u, limits->made.used());
    EXPECT_FALSE(limits->memories.sole() && limits->memories.sole()->lend(size)) << "nobody would see it";
    lent->release();
    EXPECT_EQ(0u, limits->made.used());
}

TEST_F(sending_memory_test, there_is_no_place_for_bodies_without_a_segment)
{
    join();
    const auto memory = limits->memories.sole();
    EXPECT_EQ(nullptr, memory->lend(1024));
    EXPECT_EQ(nullptr, memory->lend(10 * size));
    std::vector<message::buffer*> all_of_it;
    while (message::buffer* const one = memory->lend(size)) all_of_it.push_back(one);
    EXPECT_LE(2u, all_of_it.size());
    for (message::buffer* one : all_of_it) one->release();
    EXPECT_FALSE(all[0]->here.put(octets_of(size, 1)) == std::nullopt);
}

TEST_F(sending_memory_test, without_a_descriptor_to_spare_the_peer_is_told_without_one)
{
    subscriber s(limits);
    const std::string body = octets_of(size, 1);
    while (s.here.sent.empty()) ASSERT_FALSE(s.here.put(body));
    ASSERT_TRUE(s.there.hear(s.here.sent.front().what, {}));
    s.here.sent.clear();
    rlimit before{};
    ASSERT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before));
    rlimit none = before;
    none.rlim_cur = 0;
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &none));
    const bool goes_on = s.here.hear(s.there.sent.front().what, {});
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &before));
    s.there.sent.clear();
    ASSERT_TRUE(goes_on);
    ASSERT_EQ(1u, s.here.sent.size());
    EXPECT_EQ(command_kind::arena, s.here.sent.front().what.kind);
    EXPECT_FALSE(s.here.sent.front().descriptor);
    ASSERT_TRUE(pass_on(s.here, s.there)) << "the peer declines";
    EXPECT_EQ(0u, limits->made.used());
    EXPECT_FALSE(s.here.put(body));
}

}  // namespace
}  // namespace zlink::shm
