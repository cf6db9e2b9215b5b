// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames on their way into a lane.
#include "pipe/outgoing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zlink::pipe {
namespace {

TEST(outgoing_test, a_frame_goes_with_its_octets_and_as_their_owner)
{
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{10'000}}) {
        const std::string body(size, 'x');
        message::frame frame;
        ASSERT_TRUE(frame.init_copy_of(body.data(), body.size()));
        for (const bool more : {false, true}) {
            const outgoing out = outgoing::of(frame, more);
            EXPECT_EQ(frame.data(), out.data);
            EXPECT_EQ(size, out.size);
            EXPECT_EQ(more, out.more);
            EXPECT_EQ(&frame, out.msg);
            EXPECT_FALSE(out.stays);
            EXPECT_FALSE(out.dont_wait);
        }
        frame.close();
    }
}

TEST(outgoing_test, octets_alone_belong_to_nobody_and_are_copied)
{
    const std::string body = "body";
    const outgoing out{reinterpret_cast<const std::byte*>(body.data()), body.size(), false};
    EXPECT_EQ(nullptr, out.msg);
    EXPECT_FALSE(out.stays);
    EXPECT_FALSE(out.dont_wait);
}

}  // namespace
}  // namespace zlink::pipe
