// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Metadata properties.
#include "zmtp/metadata.hpp"

#include "unit/zmtp/handshake_script.hpp"
#include "unit/zmtp/octets.hpp"

#include <gtest/gtest.h>

using namespace zlink;
using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

octets example()
{
    return wire({11, "Socket-Type", 0, 0, 0, 6, "DEALER", 8, "Identity", 0, 0, 0, 0, 6, "X-Test", 0, 0, 0, 2, 0, 0xff});
}

TEST(metadata_test, is_a_list_of_names_and_values)
{
    const auto parsed = parse_metadata(example());
    ASSERT_TRUE(parsed);
    const std::vector<property> expected{
        {"Socket-Type", "DEALER"}, {"Identity", ""}, {"X-Test", std::string("\0\xff", 2)}};
    EXPECT_EQ(*parsed, expected);
}

TEST(metadata_test, may_be_empty)
{
    const auto parsed = parse_metadata({});
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(parsed->empty());
}

TEST(metadata_test, cut_short_is_malformed_unless_between_properties)
{
    const octets whole = example();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const bool boundary = size == 0 || size == 22 || size == 35;
        EXPECT_EQ(bool(parse_metadata(std::span(whole).first(size))), boundary) << size;
    }
}

TEST(metadata_test, bad_lengths_are_malformed)
{
    EXPECT_FALSE(parse_metadata(wire({0, 0, 0, 0, 0})));                        // no name
    EXPECT_FALSE(parse_metadata(wire({1, "a", 0, 0, 0, 2, "x"})));              // value too short
    EXPECT_FALSE(parse_metadata(wire({1, "a", 0xff, 0xff, 0xff, 0xff, "x"})));  // value past 2^31-1
    EXPECT_FALSE(parse_metadata(wire({1, "a", 0x80, 0, 0, 0, "x"})));
    EXPECT_FALSE(parse_metadata(wire({255, "a", 0, 0, 0, 0})));  // name too short
    EXPECT_EQ(parse_metadata(wire({7})).error(), errc::protocol_error);
}

TEST(metadata_test, reader_points_into_the_input_and_tells_end_from_error)
{
    const octets whole = example();
    metadata_reader reader(whole);
    property_view p;
    ASSERT_TRUE(reader.next(p));
    EXPECT_EQ(p.name, "Socket-Type");
    EXPECT_EQ(p.value.data(), whole.data() + 16);
    ASSERT_TRUE(reader.next(p));
    ASSERT_TRUE(reader.next(p));
    EXPECT_FALSE(reader.next(p));
    EXPECT_FALSE(reader.malformed());

    metadata_reader broken{std::span(whole).first(23)};
    ASSERT_TRUE(broken.next(p));
    EXPECT_FALSE(broken.next(p));
    EXPECT_TRUE(broken.malformed());
}

TEST(metadata_test, names_compare_without_case)
{
    EXPECT_TRUE(same_property_name("Socket-Type", "SOCKET-type"));
    EXPECT_FALSE(same_property_name("Socket-Type", "Socket-Typ"));
    EXPECT_FALSE(same_property_name("a[", "a{"));  // differ in the bit that is case in letters
    const std::vector<property> properties{{"x-one", "1"}, {"X-ONE", "2"}, {"X-Two", "3"}};
    ASSERT_NE(find_property(properties, "X-One"), nullptr);
    EXPECT_EQ(find_property(properties, "X-One")->second, "1");
    EXPECT_EQ(find_property(properties, "X-Three"), nullptr);
}

TEST(metadata_test, some_names_are_not_the_peers_to_say)
{
    for (const char* name : {"Peer-Address", "PEER-address", "User-Id", "user-id", "Routing-Id", "__fd", "__FD",
                             "Tls-Subject", "tls-anything", "TLS-"}) {
        EXPECT_TRUE(is_reserved_property(name)) << name;
    }
    for (const char* name : {"", "Socket-Type", "Identity", "Resource", "X-Peer-Address", "Peer-Addres",
                             "Peer-Address2", "Tls", "X-Tls-Subject", "__f", "fd"}) {
        EXPECT_FALSE(is_reserved_property(name)) << name;
    }
    auto forged = parse_metadata(forged_metadata("PUSH"));
    ASSERT_TRUE(forged);
    remove_forged_and_repeated(*forged);
    EXPECT_EQ(*forged, unforged_properties("PUSH"));
}

TEST(metadata_test, of_many_properties_the_first_of_each_name_is_left)
{
    std::vector<property> many;
    for (int i = 0; i < 10'000; ++i) many.emplace_back("x" + std::to_string(i % 5'000), std::to_string(i));
    remove_forged_and_repeated(many);
    ASSERT_EQ(many.size(), 5'000u);
    EXPECT_EQ(many.back(), (property{"x4999", "4999"}));
}

TEST(metadata_test, writes_what_it_reads)
{
    octets out;
    EXPECT_TRUE(append_property(out, "Socket-Type", "DEALER"));
    EXPECT_TRUE(append_property(out, "Identity", octets{}));
    EXPECT_TRUE(append_property(out, "X-Test", wire({0, 0xff})));
    EXPECT_EQ(hex(out), hex(example()));
}

TEST(metadata_test, writes_only_what_fits)
{
    octets out;
    EXPECT_EQ(append_property(out, "", "v").error(), errc::invalid_argument);
    EXPECT_EQ(append_property(out, std::string(256, 'n'), "v").error(), errc::invalid_argument);
    EXPECT_TRUE(out.empty());
    EXPECT_TRUE(append_property(out, std::string(255, 'n'), std::string(100000, 'v')));
    const auto parsed = parse_metadata(out);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->at(0).second.size(), 100000u);
}

}  // namespace
