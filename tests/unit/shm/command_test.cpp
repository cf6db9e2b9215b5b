// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Commands about shared memory.
#include "shm/command.hpp"

#include "shm/layout.hpp"
#include "zmtp/command.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace zlink::shm {
namespace {

/// As a peer reads it: the frame, the command in it, and this command.
result<command> read_back(const std::vector<std::byte>& frame)
{
    EXPECT_EQ(std::byte{4}, frame[0]);
    EXPECT_EQ(frame.size() - 2, std::size_t(frame[1]));
    const auto c = zmtp::parse_command(std::span(frame).subspan(2));
    EXPECT_TRUE(c);
    EXPECT_EQ(zmtp::command_kind::unknown, c->kind) << "to those who do not share memory";
    EXPECT_TRUE(c->name.starts_with(name_prefix));
    return parse_command(c->name, c->data);
}

TEST(shm_command_test, an_offer_tells_the_layout)
{
    std::vector<std::byte> frame;
    append_command(frame, {command_kind::offer, {7, 32, 64 * 1024}});
    const auto c = read_back(frame);
    ASSERT_TRUE(c);
    EXPECT_EQ(command_kind::offer, c->kind);
    EXPECT_EQ(7u, c->segment.id);
    EXPECT_EQ(32u, c->segment.slots);
    EXPECT_EQ(64u * 1024, c->segment.slot_size);
}

TEST(shm_command_test, others_tell_the_number)
{
    for (const auto kind : {command_kind::accept, command_kind::decline, command_kind::arena, command_kind::returns,
                            command_kind::retire}) {
        std::vector<std::byte> frame;
        append_command(frame, {kind, {0xfedcba98, 0, 0}});
        const auto c = read_back(frame);
        ASSERT_TRUE(c);
        EXPECT_EQ(kind, c->kind);
        EXPECT_EQ(0xfedcba98u, c->segment.id);
    }
}

TEST(shm_command_test, commands_of_a_wrong_size_or_name_are_refused)
{
    const std::vector<std::byte> data(32);
    for (const std::string_view name : {"X-SHM-OFFER", "X-SHM-ACCEPT", "X-SHM-DECLINE", "X-SHM-ARENA", "X-SHM-RETURNS",
                                        "X-SHM-RETIRE", "X-SHM-", "X-SHM-offer", "X-SHM-OFFERS"}) {
        int taken = 0;
        for (std::size_t size = 0; size <= data.size(); ++size) {
            taken += parse_command(name, std::span(data).first(size)).has_value();
        }
        EXPECT_EQ(name.size() > 8 && name != "X-SHM-offer" && name != "X-SHM-OFFERS" ? 1 : 0, taken) << name;
    }
}

TEST(segment_layout_test, bounds_hold_whatever_a_peer_says)
{
    EXPECT_TRUE((segment_layout{1, 1, 4096}).in_bounds());
    EXPECT_TRUE((segment_layout{1, segment_layout::most_slots, segment_layout::largest_slot}).in_bounds());
    EXPECT_FALSE((segment_layout{1, 0, 4096}).in_bounds());
    EXPECT_FALSE((segment_layout{1, 1, 0}).in_bounds());
    EXPECT_FALSE((segment_layout{1, segment_layout::most_slots + 1, 1}).in_bounds());
    EXPECT_FALSE((segment_layout{1, 1, segment_layout::largest_slot + 1}).in_bounds());
    EXPECT_FALSE((segment_layout{1, 1, ~std::uint64_t{0}}).in_bounds());
    const segment_layout largest{1, segment_layout::most_slots, segment_layout::largest_slot};
    EXPECT_EQ(largest.slot_size, largest.octets() / largest.slots) << "no overflow";
}

}  // namespace
}  // namespace zlink::shm
