// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Message content that both ends of an interop test can compute for themselves. A seed, a message number and the sizes
// of its frames determine every byte. So its receiver finds a lost, doubled, swapped or damaged message. A first frame
// of at least eight bytes starts with the message number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace zlink::test {

using frame_sizes = std::vector<std::size_t>;

// Fills `size` bytes with what frame `part` of message `number` holds.
inline void fill_seeded(char* bytes, std::size_t size, std::uint64_t seed, std::uint64_t number, std::uint64_t part)
{
    // A multiplicative sequence: quick enough for many messages of 16 MB.
    std::uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15u ^ (number + 1) * 0xC2B2AE3D27D4EB4Fu ^ (part << 56);
    std::size_t at = 0;
    if (part == 0 && size >= sizeof number) {
        std::memcpy(bytes, &number, sizeof number);
        at = sizeof number;
    }
    while (at < size) {
        state = state * 0x5851F42D4C957F2Du + 0x14057B7EF767814Fu;
        const std::uint64_t word = state ^ (state >> 29);
        const std::size_t step = size - at < sizeof word ? size - at : sizeof word;
        std::memcpy(bytes + at, &word, step);
        at += step;
    }
}

inline std::string seeded_frame(std::size_t size, std::uint64_t seed, std::uint64_t number, std::uint64_t part)
{
    std::string frame(size, '\0');
    fill_seeded(frame.data(), size, seed, number, part);
    return frame;
}

inline std::vector<std::string> seeded_message(std::uint64_t seed, std::uint64_t number, const frame_sizes& sizes)
{
    std::vector<std::string> frames;
    for (std::size_t part = 0; part < sizes.size(); ++part) {
        frames.push_back(seeded_frame(sizes[part], seed, number, part));
    }
    return frames;
}

// The number at the start of a frame made by seeded_frame(); the frame must be long enough to hold one.
inline std::uint64_t number_of(const std::string& frame)
{
    std::uint64_t number = 0;
    std::memcpy(&number, frame.data(), sizeof number);
    return number;
}

}  // namespace zlink::test
