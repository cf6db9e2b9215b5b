// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/octet_queue.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace zlink::wire::test {
namespace {

std::span<const std::byte> octets_of(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

std::string unread(const octet_queue& q)
{
    return {reinterpret_cast<const char*>(q.unread().data()), q.unread().size()};
}

TEST(octet_queue_test, gives_octets_in_order)
{
    octet_queue q;
    EXPECT_TRUE(q.empty());
    q.append(octets_of("abc"));
    q.consume(2);
    EXPECT_EQ("c", unread(q));
    q.append(octets_of("de"));
    EXPECT_EQ("cde", unread(q));
    q.consume(3);
    EXPECT_TRUE(q.empty());
}

TEST(octet_queue_test, forgets_what_is_consumed_when_some_are_added)
{
    octet_queue q;
    q.append(octets_of("abc"));
    q.consume(3);
    EXPECT_EQ(0u, q.end().size());
    q.end().push_back(std::byte('d'));
    EXPECT_EQ("d", unread(q));
}

TEST(octet_queue_test, forgets_all)
{
    octet_queue q;
    q.append(octets_of("abc"));
    q.consume(1);
    q.clear();
    EXPECT_TRUE(q.empty());
    q.append(octets_of("d"));
    EXPECT_EQ("d", unread(q));
}

}  // namespace
}  // namespace zlink::wire::test
