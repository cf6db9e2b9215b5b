// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The greeting: our octets, and telling peers of all versions apart.
#include "zmtp/greeting.hpp"

#include "unit/zmtp/octets.hpp"

#include <gtest/gtest.h>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

using stage = greeting_reader::stage;

octets signature()
{
    return wire({0xff, zeros(8), 0x7f});
}

octets greeting_3(int major, int minor, const std::string& mechanism, int as_server = 0)
{
    return wire({signature(), major, minor, mechanism, zeros(20 - mechanism.size()), as_server, zeros(31)});
}

TEST(greeting_test, signature_is_also_the_header_of_a_10_routing_id_frame)
{
    EXPECT_EQ(hex(encode_signature(0)), "ff 00 00 00 00 00 00 00 01 7f ");
    EXPECT_EQ(hex(encode_signature(5)), "ff 00 00 00 00 00 00 00 06 7f ");
    EXPECT_EQ(hex(encode_signature(255)), "ff 00 00 00 00 00 00 01 00 7f ");
}

TEST(greeting_test, stages_make_up_the_greeting_of_the_rfc)
{
    octets whole = copy(encode_signature(0));
    whole.push_back(std::byte{own_major_version});
    const auto rest = encode_greeting_rest("NULL", false);
    whole.insert(whole.end(), rest.begin(), rest.end());
    EXPECT_EQ(hex(whole), hex(wire({0xff, zeros(7), 1, 0x7f, 3, 1, "NULL", zeros(16), 0, zeros(31)})));
    EXPECT_EQ(whole.size(), 64u);
}

TEST(greeting_test, as_server_is_octet_32)
{
    EXPECT_EQ(encode_greeting_rest("CURVE", true)[32 - 11], std::byte{1});
    EXPECT_EQ(encode_greeting_rest("A-NAME-MUCH-LONGER-THAN-THE-FIELD", false)[32 - 11], std::byte{0});
}

TEST(greeting_test, reader_recognises_31_wherever_the_input_is_split)
{
    octets in = greeting_3(3, 1, "NULL");
    const octets traffic = wire({4, 0x26, 5, "READY"});
    in.insert(in.end(), traffic.begin(), traffic.end());
    for (std::size_t cut = 0; cut <= in.size(); ++cut) {
        greeting_reader reader;
        std::size_t taken = reader.advance(std::span(in).first(cut));
        taken += reader.advance(std::span(in).subspan(taken));
        EXPECT_EQ(taken, 64u);
        EXPECT_EQ(reader.current(), stage::complete);
        EXPECT_EQ(reader.version(), protocol_version::zmtp_3_1);
        EXPECT_TRUE(reader.mechanism_is("NULL"));
        EXPECT_FALSE(reader.mechanism_is("NULLX"));
        EXPECT_FALSE(reader.mechanism_is("NUL"));
        EXPECT_FALSE(reader.as_server());
    }
}

TEST(greeting_test, reader_tells_each_stage_as_soon_as_it_can)
{
    const octets in = greeting_3(3, 0, "NULL");
    greeting_reader reader;
    for (std::size_t i = 0; i < in.size(); ++i) {
        EXPECT_EQ(reader.advance(std::span(in).subspan(i, 1)), 1u);
        const stage expected = i < 9     ? stage::signature
                               : i == 9  ? stage::version
                               : i == 63 ? stage::complete
                                         : stage::rest;
        EXPECT_EQ(reader.current(), expected) << "after octet " << i;
    }
    EXPECT_EQ(reader.version(), protocol_version::zmtp_3_0);
    EXPECT_EQ(reader.advance(in), 0u);
}

TEST(greeting_test, minor_and_major_versions_map_to_what_is_spoken)
{
    const auto version_of = [](int major, int minor) {
        greeting_reader reader;
        const octets in = greeting_3(major, minor, "NULL");
        reader.advance(in);
        EXPECT_EQ(reader.current(), stage::complete);
        return reader.version();
    };
    EXPECT_EQ(version_of(0, 0), protocol_version::zmtp_1_0);
    EXPECT_EQ(version_of(1, 5), protocol_version::zmtp_2_0);
    EXPECT_EQ(version_of(2, 5), protocol_version::zmtp_2_0);
    EXPECT_EQ(version_of(3, 0), protocol_version::zmtp_3_0);
    EXPECT_EQ(version_of(3, 1), protocol_version::zmtp_3_1);
    EXPECT_EQ(version_of(3, 2), protocol_version::zmtp_3_1);
    EXPECT_EQ(version_of(4, 0), protocol_version::zmtp_3_1);
    EXPECT_EQ(version_of(255, 0), protocol_version::zmtp_3_1);
}

TEST(greeting_test, of_20_ends_after_the_socket_type)
{
    const octets in = wire({signature(), 1, 5, 0, 0});
    greeting_reader reader;
    EXPECT_EQ(reader.advance(in), 12u);
    EXPECT_EQ(reader.current(), stage::complete);
    EXPECT_EQ(reader.version(), protocol_version::zmtp_2_0);
    EXPECT_EQ(reader.socket_type_octet(), 5);
}

TEST(greeting_test, padding_of_the_signature_means_nothing)
{
    greeting_reader reader;
    const octets in = wire({0xff, "anything", 0x01, 3, 1, "NULL", zeros(16), 1, "31 octets, not zero at all......"});
    reader.advance(in);
    EXPECT_EQ(reader.current(), stage::complete);
    EXPECT_EQ(reader.version(), protocol_version::zmtp_3_1);
    EXPECT_TRUE(reader.as_server());
}

TEST(greeting_test, first_octet_other_than_ff_is_a_10_peer)
{
    const octets in = wire({6, 0, "peer1", 1, 0});
    greeting_reader reader;
    EXPECT_EQ(reader.advance(in), 1u);
    EXPECT_EQ(reader.current(), stage::unversioned);
    EXPECT_EQ(reader.version(), protocol_version::zmtp_1_0);
    EXPECT_EQ(hex(reader.octets()), "06 ");
}

TEST(greeting_test, long_routing_id_header_is_a_10_peer)
{
    const octets in = wire({0xff, zeros(7), 6, 0, "peer1"});
    greeting_reader reader;
    EXPECT_EQ(reader.advance(in), 10u);
    EXPECT_EQ(reader.current(), stage::unversioned);
    EXPECT_EQ(reader.octets().size(), 10u);
}

}  // namespace
