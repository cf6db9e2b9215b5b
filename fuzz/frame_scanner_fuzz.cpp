// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frame scanner: agrees with a plain parser written for clarity, stays inside its input, and finds the same frames
// when the stream comes in parts.
#include "zmtp/frame_scanner.hpp"

#include "fuzz_input.hpp"

#include <vector>

using namespace zlink;
using zmtp::frame_scanner;
using stop = frame_scanner::stop;

namespace {

/// What a stream amounts to: octets of data frames and commands in order, and how it ends.
struct summary {
    std::uint32_t messages = 0;
    std::uint64_t data_octets = 0;        ///< headers included
    std::vector<std::uint64_t> commands;  ///< body sizes
    stop end = stop::end;

    bool operator==(const summary&) const = default;
};

bool is_error(stop why)
{
    return why == stop::reserved_bits || why == stop::too_long;
}

summary parse_plainly(std::span<const std::byte> in, std::int64_t limit)
{
    summary out;
    while (!in.empty()) {
        const auto flags = std::uint8_t(in[0]);
        const bool is_long = flags & 2, is_command = flags & 4;
        if (flags & 0xf8 || (is_command && flags & 1)) {
            out.end = stop::reserved_bits;
            return out;
        }
        const std::size_t header = is_long ? 9 : 2;
        if (in.size() < header) {
            out.end = stop::partial_header;
            return out;
        }
        std::uint64_t size = 0;
        for (std::size_t i = 1; i < header; ++i) size = size << 8 | std::uint64_t(in[i]);
        if (size >> 63 || (limit >= 0 && size > std::uint64_t(limit))) {
            out.end = stop::too_long;
            return out;
        }
        if (in.size() - header < size) {
            out.end = stop::partial_body;
            return out;
        }
        in = in.subspan(header + std::size_t(size));
        if (is_command) {
            out.commands.push_back(size);
        } else {
            out.data_octets += header + size;
            out.messages += !(flags & 1);
        }
    }
    return out;
}

/// Reads a stream as a connection does: scans what is there, keeps what is incomplete.
summary read(std::span<const std::byte> stream, std::uint8_t seed, std::int64_t limit)
{
    const frame_scanner scanner(limit);
    summary total;
    std::vector<std::byte> kept;
    for (fuzz::parts parts(stream, seed); !parts.empty();) {
        const auto part = parts.next();
        kept.insert(kept.end(), part.begin(), part.end());
        const std::byte* at = kept.data();
        const std::byte* const end = at + kept.size();
        do {
            const auto out = scanner.scan(at, end);
            fuzz::require(out.frames_end >= at && out.frames_end <= end);
            fuzz::require((out.messages_end != nullptr) == (out.messages > 0));
            fuzz::require(!out.messages_end || (out.messages_end > at && out.messages_end <= out.frames_end));
            fuzz::require((out.frames_end == end) == (out.why == stop::end));
            total.messages += out.messages;
            total.data_octets += std::uint64_t(out.frames_end - at);
            total.end = out.why;
            at = out.frames_end;
            if (out.why == stop::command) {
                fuzz::require(std::uint64_t(end - at) >= out.header.size + out.header.body_size);
                fuzz::require((out.header.flags & message::flag_command) != 0);
                total.commands.push_back(out.header.body_size);
                at += out.header.size + out.header.body_size;
                total.end = stop::end;
            } else if (out.why == stop::partial_body) {
                fuzz::require(std::uint64_t(end - at) < out.header.size + out.header.body_size);
            }
            if (is_error(total.end)) return total;
        } while (at != end && total.end == stop::end);
        kept.erase(kept.begin(), kept.begin() + (at - kept.data()));
    }
    return total;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice();
    const std::int64_t limit = in.size_limit(4);

    const summary expected = parse_plainly(in.rest(), limit);
    fuzz::require(read(in.rest(), 0, limit) == expected);
    fuzz::require(read(in.rest(), seed, limit) == expected);
    return 0;
}
