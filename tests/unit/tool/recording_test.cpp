// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/recording.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>

namespace zlink::tool {

namespace {

// Gives the octets in pieces of so many.
recording_reader reader_of(std::string octets, std::size_t piece = 1000)
{
    auto at = std::make_shared<std::size_t>(0);
    return recording_reader([octets = std::move(octets), at, piece](char* to, std::size_t size) {
        const std::size_t got = std::min({size, piece, octets.size() - *at});
        std::memcpy(to, octets.data() + *at, got);
        *at += got;
        return got;
    });
}

std::string sample()
{
    return encode(recording_header{1'700'000'000'000'000'000, "SUB"}) +
           *encode(recorded_message{5, {"weather", "sunny"}}) + *encode(recorded_message{7'000'000'000, {""}});
}

}  // namespace

TEST(recording_test, what_was_written_is_read_in_pieces_of_any_size)
{
    for (const std::size_t piece : {1U, 2U, 7U, 1000U}) {
        auto reader = reader_of(sample(), piece);
        recording_header header;
        ASSERT_TRUE(reader.read_header(header)) << reader.error();
        EXPECT_EQ(header.start_ns, 1'700'000'000'000'000'000U);
        EXPECT_EQ(header.type, "SUB");
        recorded_message message;
        ASSERT_TRUE(reader.next(message)) << reader.error();
        EXPECT_EQ(message.at_ns, 5U);
        EXPECT_EQ(message.frames, (std::vector<std::string>{"weather", "sunny"}));
        ASSERT_TRUE(reader.next(message)) << reader.error();
        EXPECT_EQ(message.at_ns, 7'000'000'000U);
        EXPECT_EQ(message.frames, std::vector<std::string>{""});
        EXPECT_FALSE(reader.next(message));
        EXPECT_EQ(reader.error(), "");
        EXPECT_EQ(reader.records(), 2U);
    }
}

TEST(recording_test, the_octets_are_those_of_the_document)
{
    const std::string octets = encode(recording_header{1, "PULL"}) + *encode(recorded_message{2, {"ab"}});
    const std::string expected("ZLINKREC\0\1\0\0\0\0\0\0\0\0\0\1PULL\0\0\0\0\0\0\0\0"
                               "\0\0\0\x12\0\0\0\0\0\0\0\2\0\0\0\1\0\0\0\2ab",
                               32 + 22);
    EXPECT_EQ(octets, expected);
}

TEST(recording_test, a_file_that_was_cut_off_says_where)
{
    const std::string whole = sample();
    const std::size_t first = recording_header_size + encode(recorded_message{5, {"weather", "sunny"}})->size();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        auto reader = reader_of(whole.substr(0, size));
        recording_header header;
        recorded_message message;
        std::uint64_t read = 0;
        if (reader.read_header(header)) {
            while (reader.next(message)) ++read;
        }
        EXPECT_EQ(read, size >= first ? 1U : 0U);
        const bool at_a_border = size == recording_header_size || size == first;
        EXPECT_EQ(reader.error().empty(), at_a_border) << size;
        if (size > recording_header_size && !at_a_border) {
            EXPECT_NE(reader.error().find(size < first ? "within record 1 at octet 32" : "within record 2"),
                      std::string::npos);
        }
    }
}

TEST(recording_test, what_is_no_recording_or_a_newer_one_is_refused)
{
    recording_header header;
    auto other = reader_of("PK\3\4 and so on, longer than a header would be");
    EXPECT_FALSE(other.read_header(header));
    EXPECT_NE(other.error().find("not a recording"), std::string::npos);
    std::string newer = sample();
    newer[9] = 2;
    auto later = reader_of(newer);
    EXPECT_FALSE(later.read_header(header));
    EXPECT_NE(later.error().find("version 2"), std::string::npos);
}

TEST(recording_test, records_that_contradict_themselves_are_refused)
{
    const auto error_of = [](const std::string& record) {
        auto reader = reader_of(encode(recording_header{0, ""}) + record);
        recording_header header;
        recorded_message message;
        EXPECT_TRUE(reader.read_header(header));
        EXPECT_FALSE(reader.next(message));
        return reader.error();
    };
    const std::string good = *encode(recorded_message{1, {"abc"}});
    const auto changed = [&](std::size_t at, char to) {
        std::string record = good;
        record[at] = to;
        return record;
    };
    EXPECT_NE(error_of(changed(3, 11)).find("its size is 11"), std::string::npos);
    EXPECT_NE(error_of(changed(15, 2)).find("fewer frames"), std::string::npos);
    EXPECT_NE(error_of(changed(15, 0)).find("no frames"), std::string::npos);
    EXPECT_NE(error_of(changed(12, '\x7f')).find("fewer frames"), std::string::npos);
    EXPECT_NE(error_of(changed(19, 4)).find("longer than the record"), std::string::npos);
    EXPECT_NE(error_of(changed(19, 2)).find("something follows"), std::string::npos);
    EXPECT_NE(error_of(changed(0, '\xff')).find("cut off"), std::string::npos);
}

}  // namespace zlink::tool
