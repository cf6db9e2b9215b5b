// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What goes over udp: the form of a group's datagram, and addresses in text.
#include "transport/udp/address_text.hpp"
#include "transport/udp/group_form.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace zlink::transport::udp {
namespace {

using namespace std::string_view_literals;

std::span<const std::byte> octets_of(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> octets)
{
    return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

std::string written(const std::string& host, std::uint16_t port)
{
    const auto address = ip::ip_address::from_literal(host, port);
    char text[longest_address_text];
    return {text, write_address(address->data(), address->size(), text)};
}

std::string read_back(std::string_view text)
{
    const auto address = read_address(octets_of(text));
    return address ? address->text() : "none";
}

TEST(group_form_test, is_length_group_body)
{
    const auto found = decode_group_form(octets_of("\x03newsBODY"sv));
    ASSERT_TRUE(found);
    EXPECT_EQ("new", text_of(found->head));
    EXPECT_EQ("sBODY", text_of(found->body));
}

TEST(group_form_test, may_have_an_empty_group_or_body)
{
    const auto no_group = decode_group_form(octets_of("\0body"sv));
    ASSERT_TRUE(no_group);
    EXPECT_EQ("", text_of(no_group->head));
    EXPECT_EQ("body", text_of(no_group->body));
    const auto no_body = decode_group_form(octets_of("\x02"
                                                     "ab"sv));
    ASSERT_TRUE(no_body);
    EXPECT_EQ("ab", text_of(no_body->head));
    EXPECT_EQ("", text_of(no_body->body));
}

// A signed octet would make the longer ones negative.
TEST(group_form_test, has_groups_of_every_length)
{
    for (std::size_t length = 1; length <= longest_group; ++length) {
        const std::string group(length, 'g');
        std::byte octets[1 + longest_group + 4];
        const std::size_t size = encode_group_form(octets_of(group), octets);
        ASSERT_EQ(1 + length, size);
        octets[size] = std::byte{'b'};
        const auto found = decode_group_form(std::span(octets).first(size + 1));
        ASSERT_TRUE(found) << length;
        EXPECT_EQ(group, text_of(found->head));
        EXPECT_EQ("b", text_of(found->body));
        EXPECT_FALSE(decode_group_form(std::span(octets).first(size - 1))) << length;
    }
}

TEST(group_form_test, that_is_malformed_is_nothing)
{
    EXPECT_FALSE(decode_group_form({}));
    EXPECT_FALSE(decode_group_form(octets_of("\x01"sv)));
    EXPECT_FALSE(decode_group_form(octets_of("\xff"sv)));
    EXPECT_FALSE(decode_group_form(octets_of("\x80short"sv)));
    EXPECT_FALSE(decode_group_form(octets_of("\x03"
                                             "a\0bbody"sv)));
}

TEST(address_text_test, ends_with_a_nul)
{
    EXPECT_EQ("127.0.0.1:5555\0"sv, written("127.0.0.1", 5555));
    EXPECT_EQ("[::1]:1\0"sv, written("::1", 1));
    EXPECT_EQ("10.1.2.3:65535\0"sv, written("::ffff:10.1.2.3", 65535));
    const auto longest = written("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 65535);
    EXPECT_EQ("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535\0"sv, longest);
}

TEST(address_text_test, is_read_with_and_without_its_nul)
{
    for (const auto text : {"127.0.0.1:5555"sv, "127.0.0.1:5555\0"sv, "127.0.0.1:5555\0rest"sv})
        EXPECT_EQ("127.0.0.1:5555", read_back(text));
    EXPECT_EQ("[::1]:80", read_back("[::1]:80"));
    EXPECT_EQ("[::ffff:1.2.3.4]:80", read_back("[::ffff:1.2.3.4]:80"));
}

TEST(address_text_test, has_the_zone_of_a_link_local_address)
{
    auto address = *ip::ip_address::from_literal("fe80::1", 80);
    address.set_scope_id(4294967295u);
    char text[longest_address_text];
    const std::size_t size = write_address(address.data(), address.size(), text);
    EXPECT_EQ("[fe80::1%4294967295]:80\0"sv, std::string_view(text, size));
    const auto again = read_address(octets_of({text, size}));
    ASSERT_TRUE(again);
    EXPECT_EQ(address, *again);
}

TEST(address_text_test, that_is_no_address_is_nothing)
{
    for (const auto text : {""sv,
                            "\0"sv,
                            ":"sv,
                            "127.0.0.1"sv,
                            "127.0.0.1:"sv,
                            "127.0.0.1:0"sv,
                            "127.0.0.1:65536"sv,
                            "127.0.0.1:+1"sv,
                            "127.0.0.1:1 "sv,
                            " 127.0.0.1:1"sv,
                            "127.1:1"sv,
                            "localhost:1"sv,
                            "::1:80"sv,
                            "[::1:80"sv,
                            "[]:80"sv,
                            "[127.0.0.1]:80"sv,
                            "[fe80::1%]:80"sv,
                            "[fe80::1%0]:80"sv,
                            "[fe80::1%lo]:80"sv,
                            "*:1"sv,
                            ":80"sv}) {
        EXPECT_EQ("none", read_back(text)) << text;
    }
    EXPECT_EQ("none", read_back(std::string(10000, '1') + ":1"));
    EXPECT_EQ("none", read_back("[" + std::string(10000, 'f') + "]:1"));
}

TEST(address_text_test, of_another_family_is_empty)
{
    sockaddr_storage other{};
    other.ss_family = AF_UNIX;
    char text[longest_address_text];
    EXPECT_EQ(0u, write_address(reinterpret_cast<const sockaddr*>(&other), sizeof other, text));
}

}  // namespace
}  // namespace zlink::transport::udp
