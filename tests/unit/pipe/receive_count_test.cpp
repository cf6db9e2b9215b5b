// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages that are read are counted from the first publisher of the process on.
#include "pipe/receive_count.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe {
namespace {

TEST(receive_count_test, counts_once_there_are_publishers)
{
    enable_receive_count();
    const auto before = receive_count();
    count_receive();
    count_receive();
    EXPECT_EQ(before + 2, receive_count());
    enable_receive_count();
    EXPECT_EQ(before + 2, receive_count()) << "another publisher changes nothing";
}

}  // namespace
}  // namespace zlink::pipe
