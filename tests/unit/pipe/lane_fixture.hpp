// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A lane with both handles, and messages as lists of texts.
#pragma once

#include "message/frame.hpp"
#include "pipe/lane_reader.hpp"
#include "pipe/lane_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::pipe {

/// Makes memory short for the chunks of one lane: the next one would be larger than memory is.
struct lane_writer_test_access {
    explicit lane_writer_test_access(lane_writer& writer) noexcept : plan_(writer.plan_), before_(writer.plan_)
    {
        plan_.next_size_ = std::numeric_limits<std::size_t>::max();
        plan_.usual_need_ = 0;  // the size is taken as it is
    }
    ~lane_writer_test_access() { plan_ = before_; }
    lane_writer_test_access(const lane_writer_test_access&) = delete;
    lane_writer_test_access& operator=(const lane_writer_test_access&) = delete;

private:
    chunk_plan& plan_;
    chunk_plan before_;
};

}  // namespace zlink::pipe

namespace zlink::pipe::test {

using parts = std::vector<std::string>;

inline const std::byte* bytes(std::string_view text)
{
    return reinterpret_cast<const std::byte*>(text.data());
}

inline std::string text(const std::byte* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

/// Octets that tell their place, so that a mix-up shows.
inline std::string pattern_of(std::size_t size, std::size_t seed = 0)
{
    std::string s(size, '\0');
    for (std::size_t i = 0; i < size; ++i) s[i] = char((i * 7 + (i >> 8) + seed * 13) & 0xff);
    return s;
}

inline std::string encode(const parts& message)
{
    std::string wire;
    for (std::size_t i = 0; i < message.size(); ++i) {
        std::byte header[message::long_header_size];
        const std::uint8_t flags = i + 1 < message.size() ? message::flag_more : 0;
        wire += text(header, message::encode_header(header, flags, message[i].size()));
        wire += message[i];
    }
    return wire;
}

inline std::string encode_all(const std::vector<parts>& messages)
{
    std::string wire;
    for (const parts& m : messages) wire += encode(m);
    return wire;
}

struct joined_lane {
    explicit joined_lane(std::uint64_t hwm = 0, std::size_t threshold = 8192)
        : writer(shared, hwm, threshold),
          reader(shared, hwm)
    {}

    void write(std::string_view frame, bool more) { ASSERT_TRUE(writer.write({bytes(frame), frame.size(), more})); }

    /// Writes and publishes.
    void put(const parts& message)
    {
        for (std::size_t i = 0; i < message.size(); ++i) write(message[i], i + 1 < message.size());
        writer.publish();
    }
    void put_all(const std::vector<parts>& messages)
    {
        for (const parts& m : messages) put(m);
    }

    /// The next message; {"(nothing)"} if there is none. `wake` is set when the writer has to be told of credit.
    parts take(bool* wake = nullptr)
    {
        parts message;
        incoming f;
        do {
            if (!reader.next(f)) {
                message.emplace_back("(nothing)");
                break;
            }
            message.push_back(text(f.data, f.size));
            last = f;
            const bool told = reader.pop(f);
            if (wake) *wake |= told;
        } while (f.more);
        return message;
    }

    std::vector<parts> take_all()
    {
        std::vector<parts> messages;
        while (reader.readable()) messages.push_back(take());
        return messages;
    }

    /// Gathers and commits until nothing is left, at most `step` octets a time.
    std::string drain_octets(std::size_t step = 1u << 30, bool* wake = nullptr)
    {
        std::string wire;
        while (true) {
            iovec to[8];
            const auto g = reader.gather(to, 8, step, step);
            if (g.bytes == 0) return wire;
            EXPECT_GT(g.count, 0);
            std::size_t sum = 0;
            for (int i = 0; i < g.count; ++i) {
                wire += text(static_cast<const std::byte*>(to[i].iov_base), to[i].iov_len);
                sum += to[i].iov_len;
            }
            EXPECT_EQ(g.bytes, sum);
            const bool told = reader.commit(g.bytes);
            if (wake) *wake |= told;
            EXPECT_TRUE(!g.at_boundary || reader.octets_to(lane_reader::boundary::message) == 0);
        }
    }

    lane shared;
    lane_writer writer;
    lane_reader reader;
    incoming last{};
};

inline const parts nothing{"(nothing)"};

/// Sizes around every limit of the encoding and the chunks.
inline const std::vector<std::size_t> telling_sizes{0,    1,     2,     100,   253,   254,   255,   256,  257,
                                                    900,  1000,  1023,  1024,  1025,  1500,  4000,  8191, 8192,
                                                    8193, 20000, 65000, 65535, 65536, 70000, 300000};

}  // namespace zlink::pipe::test
