// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A caller's memory in pieces, filled by records and cut into records, at every division into pieces.
#include "transport/tls/record_pieces.hpp"

#include <gtest/gtest.h>

#include <sys/uio.h>

#include <string>
#include <string_view>
#include <vector>

namespace zlink::transport::tls {
namespace {

/// The text in pieces of these sizes; what is left over is the last piece.
std::vector<iovec> cut(std::string& text, std::initializer_list<std::size_t> sizes)
{
    std::vector<iovec> pieces;
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
        pieces.push_back({text.data() + at, size});
        at += size;
    }
    pieces.push_back({text.data() + at, text.size() - at});
    return pieces;
}

void put(destination& to, std::string_view octets)
{
    while (!octets.empty()) {
        const std::size_t n = std::min(octets.size(), to.in_a_row());
        ASSERT_LT(0u, n);
        std::memcpy(to.at(), octets.data(), n);
        to.advance(n);
        octets.remove_prefix(n);
    }
}

TEST(record_pieces_test, a_destination_is_filled_piece_by_piece)
{
    const std::string octets = "0123456789";
    for (const auto& sizes : {std::initializer_list<std::size_t>{}, {3, 4}, {0, 5}, {5, 0, 0}, {10}, {0}}) {
        std::string memory(octets.size(), '?');
        const auto pieces = cut(memory, sizes);
        EXPECT_EQ(octets.size(), size_of(pieces.data(), int(pieces.size())));
        destination to(pieces.data(), int(pieces.size()));
        EXPECT_EQ(octets.size(), to.room());
        for (std::size_t at = 0; at < octets.size(); at += 2) {
            put(to, octets.substr(at, 2));
            EXPECT_EQ(at + 2, to.filled());
            EXPECT_EQ(octets.size() - at - 2, to.room());
        }
        EXPECT_EQ(octets, memory);
    }
}

TEST(record_pieces_test, no_memory_has_no_room)
{
    const iovec nothing{nullptr, 0};
    EXPECT_EQ(0u, destination(&nothing, 1).room());
    EXPECT_TRUE(source(&nothing, 1).empty());
}

std::string next(source& from, std::span<std::byte> spare)
{
    const auto record = from.next(spare);
    return {reinterpret_cast<const char*>(record.data()), record.size()};
}

TEST(record_pieces_test, a_record_is_taken_from_several_pieces)
{
    std::vector<std::byte> spare(largest_plain_record);
    std::string octets = "0123456789";
    for (const auto& sizes : {std::initializer_list<std::size_t>{}, {3, 4}, {0, 5}, {5, 0, 0}, {10}}) {
        const auto pieces = cut(octets, sizes);
        source from(pieces.data(), int(pieces.size()));
        EXPECT_FALSE(from.empty());
        EXPECT_EQ(octets, next(from, spare));
        EXPECT_TRUE(from.empty());
    }
}

TEST(record_pieces_test, octets_in_one_piece_stay_where_they_are)
{
    std::vector<std::byte> spare(largest_plain_record);
    std::string octets = "0123456789";
    const auto pieces = cut(octets, {10});
    source from(pieces.data(), int(pieces.size()));
    EXPECT_EQ(reinterpret_cast<const std::byte*>(octets.data()), from.next(spare).data());
}

TEST(record_pieces_test, more_than_a_record_holds_becomes_several)
{
    std::vector<std::byte> spare(largest_plain_record);
    std::string octets;
    for (std::size_t i = 0; i < 2 * largest_plain_record + 1; ++i) octets += char('a' + i % 23);
    const auto pieces = cut(octets, {largest_plain_record - 1, 1000});
    source from(pieces.data(), int(pieces.size()));
    std::string taken;
    std::vector<std::size_t> sizes;
    while (!from.empty()) {
        const std::string record = next(from, spare);
        sizes.push_back(record.size());
        taken += record;
    }
    EXPECT_EQ(octets, taken);
    EXPECT_EQ((std::vector<std::size_t>{largest_plain_record, largest_plain_record, 1}), sizes);
}

}  // namespace
}  // namespace zlink::transport::tls
