// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/network_order.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace zlink::tool {

TEST(network_order_test, the_most_significant_octet_is_the_first)
{
    std::string octets;
    append_number<std::uint16_t>(octets, 0x0102);
    append_number<std::uint64_t>(octets, 0xff02030405060708);
    EXPECT_EQ(octets, "\x01\x02\xff\x02\x03\x04\x05\x06\x07\x08");
    EXPECT_EQ(number_at<std::uint16_t>(octets, 0), 0x0102);
    EXPECT_EQ(number_at<std::uint64_t>(octets, 2), 0xff02030405060708);
    EXPECT_EQ(little_number_at<std::uint32_t>(octets, 0), 0x02ff0201U);
}

}  // namespace zlink::tool
