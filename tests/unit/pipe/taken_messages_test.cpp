// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/taken_messages.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace zlink::pipe {
namespace {

TEST(taken_messages_test, a_part_of_a_span_is_for_looks_alone)
{
    const std::byte place{};
    taken_messages taken;
    taken.add(5);
    EXPECT_EQ(nullptr, taken.walked().at);
    taken.note_part({&place, 4}, 1);
    EXPECT_EQ(5u, taken.get());
    EXPECT_EQ(8u, taken.look());
    EXPECT_EQ(4u, taken.walked().messages);
    taken.end_part();
    taken.add(6);
    EXPECT_EQ(11u, taken.look());
    EXPECT_EQ(nullptr, taken.walked().at);
}

}  // namespace
}  // namespace zlink::pipe
