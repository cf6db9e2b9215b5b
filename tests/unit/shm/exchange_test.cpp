// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Two sides agree on segments, and a peer that does not keep to it.
#include "shm/exchange.hpp"

#include "support/kernel_calls.hpp"
#include "unit/shm/exchange_fixture.hpp"

namespace zlink::shm {
namespace {

using test::agree;
using test::octets_of;
using test::pass_on;
using test::side;

constexpr std::size_t of_body = 40 * 1000;

TEST(shm_exchange_test, bodies_go_by_shared_memory_once_both_have_agreed)
{
    side one;
    side other;
    agree(one, other, of_body);
    EXPECT_FALSE(one.expecting);
    EXPECT_FALSE(other.expecting) << "reads are plain again";
    agree(other, one, of_body);
    agree(one, other, of_body * 5);
    agree(one, other, of_body);
}

TEST(shm_exchange_test, a_few_bodies_are_not_worth_a_segment)
{
    side one;
    const std::string body = octets_of(of_body, 1);
    for (std::size_t octets = of_body; octets < test::until_worth_it; octets += of_body) {
        EXPECT_FALSE(one.put(body));
        EXPECT_TRUE(one.sent.empty());
    }
    EXPECT_FALSE(one.put(body));
    ASSERT_EQ(1u, one.sent.size());
    EXPECT_EQ(command_kind::offer, one.sent[0].what.kind);
    for (std::size_t octets = 0; octets < 2 * test::until_worth_it; octets += of_body) {
        EXPECT_FALSE(one.put(body)) << "not agreed yet";
    }
    EXPECT_EQ(1u, one.sent.size()) << "and offered once";
}

TEST(shm_exchange_test, a_large_segment_is_made_by_steps)
{
    side one;
    const std::string body = octets_of(4 * 1024 * 1024, 1);
    for (std::size_t octets = 0; octets < test::until_worth_it; octets += body.size()) {
        EXPECT_FALSE(one.talk.out().put(reinterpret_cast<const std::byte*>(body.data()), body.size()));
    }
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(one.talk.offer_segment());
        EXPECT_TRUE(one.sent.empty());
    }
    EXPECT_FALSE(one.talk.offer_segment());
    EXPECT_EQ(1u, one.sent.size());
}

TEST(shm_exchange_test, where_descriptors_do_not_pass_nothing_is_shared_and_nothing_fails)
{
    side one;
    side other;
    test::never_agree(one, other, of_body, false);
    test::never_agree(other, one, of_body, false);
    EXPECT_EQ(0u, one.limits->made.used());
    EXPECT_EQ(0u, one.limits->taken.used());
    EXPECT_EQ(0u, other.limits->taken.used());
    EXPECT_FALSE(one.expecting);
    EXPECT_FALSE(other.expecting);
}

TEST(shm_exchange_test, where_descriptors_pass_one_way_alone_nothing_is_shared_and_nothing_fails)
{
    side one;
    side other;
    const std::string body = octets_of(of_body, 1);
    for (std::size_t octets = 0; octets < 2 * test::until_worth_it; octets += of_body) {
        EXPECT_FALSE(one.put(body));
        while (!one.sent.empty() || !other.sent.empty()) {
            if (!one.sent.empty()) {
                side::message m = std::move(one.sent.front());
                one.sent.pop_front();
                ASSERT_TRUE(other.hear(m.what, std::move(m.descriptor), true));
            }
            if (!other.sent.empty()) {
                side::message m = std::move(other.sent.front());
                other.sent.pop_front();
                ASSERT_TRUE(one.hear(m.what, std::move(m.descriptor), false));
            }
        }
    }
    EXPECT_EQ(0u, one.limits->made.used());
    EXPECT_EQ(0u, other.limits->taken.used()) << "the segment that nobody uses is given up";
}

TEST(shm_exchange_test, a_side_without_room_declines)
{
    side one;
    side other({.least = 1024, .most = 4096});
    test::never_agree(one, other, of_body);
    EXPECT_EQ(0u, one.limits->made.used());
}

TEST(shm_exchange_test, a_side_that_takes_no_bodies_declines)
{
    side one;
    side other({.least = 1024, .most = 64 * 1024 * 1024}, incoming_bodies::declined);
    test::never_agree(one, other, of_body);
    EXPECT_EQ(0u, other.limits->taken.used());
    agree(other, one, of_body);
}

TEST(shm_exchange_test, segments_that_are_not_used_are_given_back)
{
    side one;
    side other;
    agree(one, other, of_body);
    EXPECT_LT(0u, one.limits->made.used());
    EXPECT_EQ(one.limits->made.used(), other.limits->taken.used());
    one.talk.retire_unused();
    EXPECT_TRUE(one.sent.empty()) << "it was used a moment ago";
    const auto where = one.put(octets_of(of_body, 1));
    ASSERT_TRUE(where);
    message::buffer* body = nullptr;
    EXPECT_EQ(octets_of(of_body, 1), other.get(*where, &body));
    one.talk.retire_unused();
    one.talk.retire_unused();
    EXPECT_TRUE(one.sent.empty()) << "a body lies in it";
    body->release();
    one.talk.retire_unused();
    ASSERT_TRUE(pass_on(one, other));
    EXPECT_EQ(0u, one.limits->made.used());
    EXPECT_EQ(0u, other.limits->taken.used());
    agree(one, other, of_body);
}

TEST(shm_exchange_test, a_segment_that_is_not_what_was_agreed_upon_is_a_violation)
{
    side one;
    ASSERT_TRUE(one.hear({command_kind::offer, {1, 2, 65536}}, {}));
    ASSERT_EQ(command_kind::accept, one.sent.back().what.kind);
    EXPECT_TRUE(one.expecting);
    unique_fd unsealed(zlink::test::memory_file("peer", MFD_CLOEXEC));
    EXPECT_FALSE(one.hear({command_kind::arena, {1, 0, 0}}, std::move(unsealed)));
    EXPECT_EQ(0u, one.limits->taken.used());
}

TEST(shm_exchange_test, commands_out_of_place_are_violations)
{
    for (const auto kind : {command_kind::accept, command_kind::decline, command_kind::arena, command_kind::returns,
                            command_kind::retire}) {
        side one;
        EXPECT_FALSE(one.hear(kind, 1)) << int(kind);
    }
    side one;
    EXPECT_FALSE(one.hear({command_kind::offer, {1, 0, 65536}}, {})) << "no slots";
    EXPECT_FALSE(one.hear({command_kind::offer, {1, 1, ~std::uint64_t{0}}}, {})) << "out of bounds";
    ASSERT_TRUE(one.hear({command_kind::offer, {1, 2, 65536}}, {}));
    EXPECT_FALSE(one.hear({command_kind::offer, {2, 2, 65536}}, {})) << "one at a time";
    EXPECT_FALSE(one.hear(command_kind::arena, 2)) << "another one than offered";
}

TEST(shm_exchange_test, answers_to_what_was_not_asked_are_violations)
{
    side one;
    const std::string body = octets_of(of_body, 1);
    while (one.sent.empty()) ASSERT_FALSE(one.put(body));
    ASSERT_EQ(1u, one.sent.size());
    const std::uint32_t id = one.sent[0].what.segment.id;
    EXPECT_FALSE(one.hear(command_kind::accept, id + 1));
    EXPECT_FALSE(one.hear(command_kind::returns, id)) << "before the segment went out";
    ASSERT_TRUE(one.hear(command_kind::accept, id));
    EXPECT_FALSE(one.hear(command_kind::accept, id)) << "twice";
    EXPECT_TRUE(one.hear(command_kind::decline, id)) << "the peer may find that it cannot";
    EXPECT_FALSE(one.hear(command_kind::decline, id));
}

TEST(shm_exchange_test, a_page_of_returns_that_is_none_is_a_violation)
{
    side one;
    const std::string body = octets_of(of_body, 1);
    while (one.sent.empty()) ASSERT_FALSE(one.put(body));
    const std::uint32_t id = one.sent[0].what.segment.id;
    ASSERT_TRUE(one.hear(command_kind::accept, id));
    EXPECT_TRUE(one.expecting);
    unique_fd unsealed(zlink::test::memory_file("peer", MFD_CLOEXEC));
    EXPECT_FALSE(one.hear({command_kind::returns, {id, 0, 0}}, std::move(unsealed)));
}

TEST(shm_exchange_test, the_same_segment_twice_is_declined)
{
    side one;
    side other;
    agree(one, other, of_body);
    ASSERT_TRUE(other.hear({command_kind::offer, {1, 2, 65536}}, {}));
    EXPECT_EQ(command_kind::decline, other.sent.back().what.kind);
}

TEST(shm_exchange_test, the_number_of_segments_is_bounded)
{
    side one;
    side other({.least = 1, .most = std::uint64_t{1} << 40});
    int accepted = 0;
    for (std::uint32_t id = 1; id <= 100; ++id) {
        auto made = runtime::make_shared_memory(4096);
        ASSERT_TRUE(made);
        ASSERT_TRUE(other.hear({command_kind::offer, {id, 1, 4096}}, {}));
        if (other.sent.back().what.kind == command_kind::decline) break;
        ASSERT_TRUE(other.hear({command_kind::arena, {id, 0, 0}}, std::move(made->descriptor)));
        ++accepted;
    }
    EXPECT_EQ(64, accepted);
}

}  // namespace
}  // namespace zlink::shm
