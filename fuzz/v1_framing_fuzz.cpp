// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMTP 1.0 frames: the same frames however the input is split, limits hold, and frames can be written again.
#include "zmtp/v1_framing.hpp"

#include "fuzz_input.hpp"

#include <vector>

using namespace zlink;
using zmtp::v1_decoder;

namespace {

struct frame {
    bool more;
    std::vector<std::byte> body;
    bool operator==(const frame&) const = default;
};

struct outcome {
    std::vector<frame> frames;
    errc error = errc::none;
    bool operator==(const outcome&) const = default;
};

outcome decode(std::span<const std::byte> stream, std::uint8_t seed, std::int64_t limit, bool take)
{
    v1_decoder decoder(limit);
    outcome out;
    for (fuzz::parts parts(stream, seed); !parts.empty();) {
        auto part = parts.next();
        while (!part.empty()) {
            const auto step = decoder.advance(part);
            fuzz::require(step.consumed <= part.size());
            if (step.state == v1_decoder::state::failed) {
                fuzz::require(decoder.error() != errc::none);
                out.error = decoder.error();
                return out;
            }
            if (step.state == v1_decoder::state::frame) {
                fuzz::require(limit < 0 || decoder.body().size() <= std::uint64_t(limit));
                frame f{decoder.more(), {decoder.body().begin(), decoder.body().end()}};
                if (take) {
                    const auto taken = decoder.take_body();
                    fuzz::require(taken.empty() || taken == f.body);
                }
                out.frames.push_back(std::move(f));
            } else {
                fuzz::require(step.consumed == part.size());
            }
            part = part.subspan(step.consumed);
        }
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice();
    const std::int64_t limit = in.size_limit();

    const outcome whole = decode(in.rest(), 0, limit, false);
    fuzz::require(decode(in.rest(), seed, limit, true) == whole);

    std::vector<std::byte> again;
    for (const frame& f : whole.frames) {
        std::byte header[zmtp::v1_max_header_size];
        const std::size_t n = zmtp::encode_v1_header(header, f.more, f.body.size());
        again.insert(again.end(), header, header + n);
        again.insert(again.end(), f.body.begin(), f.body.end());
    }
    fuzz::require(decode(again, seed, limit, false).frames == whole.frames);
    return 0;
}
