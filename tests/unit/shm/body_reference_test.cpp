// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The frame that stands for a body in shared memory.
#include "shm/body_reference.hpp"

#include <gtest/gtest.h>

#include <array>

namespace zlink::shm {
namespace {

TEST(body_reference_test, comes_back_as_it_was_written)
{
    std::array<std::byte, reference_frame_size> frame;
    encode_reference_frame(frame.data(), {1, 0xfffffffe, 1ull << 63, 0x123456789a}, true);
    EXPECT_EQ(std::byte(flag_shared | message::flag_more), frame[0]);
    EXPECT_EQ(std::byte{24}, frame[1]);
    const body_reference r = decode_reference(frame.data() + 2);
    EXPECT_EQ(1u, r.segment);
    EXPECT_EQ(0xfffffffeu, r.slot);
    EXPECT_EQ(1ull << 63, r.generation);
    EXPECT_EQ(0x123456789aull, r.size);
}

TEST(body_reference_test, is_known_by_its_flags_alone)
{
    EXPECT_TRUE(is_reference(0x08));
    EXPECT_TRUE(is_reference(0x09));
    for (const int other : {0x00, 0x01, 0x04, 0x0a, 0x0c, 0x0d, 0x18, 0x88, 0x10}) {
        EXPECT_FALSE(is_reference(std::uint8_t(other))) << other;
    }
    EXPECT_TRUE(flag_shared & message::flags_reserved) << "who does not know it refuses it";
}

}  // namespace
}  // namespace zlink::shm
