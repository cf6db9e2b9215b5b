// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frame decoders: the same messages in the lane however the input is split, and staged again they are the same octets.
#include "wire/frame_decoder.hpp"

#include "fuzz_input.hpp"
#include "wire/staging.hpp"

#include <utility>
#include <vector>

using namespace zlink;

namespace {

struct frame {
    std::vector<std::byte> body;
    bool more;
    bool operator==(const frame&) const = default;
};

struct outcome {
    std::vector<frame> frames;
    errc error = errc::none;
    bool operator==(const outcome&) const = default;
};

/// A lane whose larger bodies lie outside of it.
struct both_ends {
    pipe::lane shared;
    pipe::lane_writer writer{shared, 0, 100};
    pipe::lane_reader reader{shared, 0};
};

errc fill(pipe::lane_writer& to, std::span<const std::byte> stream, std::uint8_t seed, std::int64_t limit)
{
    const auto how = wire::make_zmtp1_decoder(limit);
    errc error = errc::none;
    for (fuzz::parts parts(stream, seed); !parts.empty() && error == errc::none;) error = how->accept(parts.next(), to);
    to.rollback();
    return error;
}

outcome decode(std::span<const std::byte> stream, std::uint8_t seed, std::int64_t limit)
{
    both_ends lane;
    outcome out;
    out.error = fill(lane.writer, stream, seed, limit);
    while (lane.reader.readable()) {
        pipe::incoming f{};
        fuzz::require(lane.reader.next(f));
        fuzz::require(limit < 0 || f.size <= std::uint64_t(limit));
        out.frames.push_back({{f.data, f.data + f.size}, f.more});
        (void)lane.reader.pop(f);
    }
    fuzz::require(out.frames.empty() || !out.frames.back().more);
    return out;
}

/// By way of staging, which gives out so many octets at a time.
std::vector<std::byte> encode_again(std::span<const std::byte> stream, std::int64_t limit, std::size_t step)
{
    both_ends lane;
    (void)fill(lane.writer, stream, 0, limit);
    lane.reader.begin_octets();
    wire::staging stage(wire::make_zmtp1_encoder());
    std::vector<std::byte> octets;
    while (stage.fill(lane.reader, 100 + step)) {
        const auto now = stage.waiting().first(std::min(step, stage.waiting().size()));
        octets.insert(octets.end(), now.begin(), now.end());
        (void)stage.accept(lane.reader, now.size());
    }
    fuzz::require(stage.at_boundary());
    return octets;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice();
    const std::int64_t limit = in.size_limit();

    const outcome whole = decode(in.rest(), 0, limit);
    fuzz::require(decode(in.rest(), seed, limit) == whole);
    const auto again = encode_again(in.rest(), limit, 1 + seed);
    fuzz::require(decode(again, seed, limit).frames == whole.frames);
    return 0;
}
