// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Options of single transports, which a socket sets and everything else has copies of.
#include "transport/transport_options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::transport {
namespace {

struct some_options {
    int number = 7;
    std::vector<std::string> names;
};

struct other_options {
    int number = 9;
};

TEST(transport_options_test, are_the_defaults_until_they_are_set)
{
    const transport_options options;
    EXPECT_EQ(7, options.of<some_options>().number);
    EXPECT_EQ(9, options.of<other_options>().number);
}

TEST(transport_options_test, are_found_by_their_type)
{
    transport_options options;
    options.change<some_options>().number = 1;
    options.change<other_options>().number = 2;
    EXPECT_EQ(1, options.of<some_options>().number);
    EXPECT_EQ(2, options.of<other_options>().number);
}

TEST(transport_options_test, keep_what_a_change_does_not_touch)
{
    transport_options options;
    options.change<some_options>().names.emplace_back("one");
    options.change<some_options>().number = 1;
    options.change<some_options>().names.emplace_back("two");
    EXPECT_EQ((std::vector<std::string>{"one", "two"}), options.of<some_options>().names);
    EXPECT_EQ(1, options.of<some_options>().number);
}

TEST(transport_options_test, copies_share_them_and_change_apart)
{
    transport_options first;
    first.change<some_options>().number = 1;
    transport_options second = first;
    EXPECT_EQ(&first.of<some_options>(), &second.of<some_options>());
    const some_options& seen = second.of<some_options>();
    first.change<some_options>().number = 2;
    EXPECT_EQ(1, seen.number);
    EXPECT_EQ(2, first.of<some_options>().number);
    second.change<some_options>().number = 3;
    EXPECT_EQ(2, first.of<some_options>().number);
}

}  // namespace
}  // namespace zlink::transport
