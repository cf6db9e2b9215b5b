// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Arrivals are counted from the first publisher of the process on.
#include "pipe/arrivals.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe {
namespace {

TEST(arrivals_test, are_counted_once_there_are_publishers)
{
    count_arrivals();
    const auto before = arrivals();
    note_arrival();
    note_arrival();
    EXPECT_EQ(before + 2, arrivals());
    count_arrivals();
    EXPECT_EQ(before + 2, arrivals()) << "another publisher changes nothing";
}

}  // namespace
}  // namespace zlink::pipe
