// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// All control messages of a header are met, in their order.
#include "transport/control_messages.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace zlink::transport {
namespace {

TEST(control_messages_test, all_are_met_in_their_order)
{
    alignas(cmsghdr) std::byte room[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(1)] = {};
    msghdr header{};
    header.msg_control = room;
    header.msg_controllen = sizeof room;
    cmsghdr* const first = CMSG_FIRSTHDR(&header);
    ASSERT_TRUE(first);
    first->cmsg_len = CMSG_LEN(sizeof(int));
    first->cmsg_type = 1;
    cmsghdr* const second = next_control_message(header, first);
    ASSERT_TRUE(second);
    EXPECT_EQ(reinterpret_cast<std::byte*>(second), room + CMSG_SPACE(sizeof(int)));
    second->cmsg_len = CMSG_LEN(1);
    second->cmsg_type = 2;
    std::vector<int> met;
    for (cmsghdr* c = first; c; c = next_control_message(header, c)) met.push_back(c->cmsg_type);
    EXPECT_EQ((std::vector{1, 2}), met);
}

}  // namespace
}  // namespace zlink::transport
