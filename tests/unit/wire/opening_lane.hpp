// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The incoming half of a sealed wire, with a lane behind it and octets that come as the test says.
#pragma once

#include "fuzz/toy_sealing.hpp"
#include "unit/pipe/lane_fixture.hpp"
#include "wire/framed_inbound.hpp"
#include "wire/inbound.hpp"
#include "wire/opening_inbound.hpp"
#include "wire/sealed_inbound.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::wire::test {

using pipe::test::encode;
using pipe::test::encode_all;
using pipe::test::parts;
using pipe::test::pattern_of;

using messages = std::vector<parts>;

inline std::string command_frame(std::string_view body)
{
    std::byte header[message::long_header_size];
    return pipe::test::text(header, message::encode_header(header, message::flag_command, body.size())) +
           std::string(body);
}

/// Frames in lane form, sealed by a new sealer.
inline std::string sealed(std::string_view plain)
{
    std::uint64_t number = 0;
    return toy::frames(plain, number);
}

struct opening_lane final : command_handler {
    explicit opening_lane(const frame_limits& l = {}, bool shared = false)
        : arena(shared),
          in(std::make_unique<toy::opener>(&opened), l)
    {}

    /// One round: as many of the octets as there is room for.
    inbound::outcome come_once(std::string_view& octets, bool commands_too = true)
    {
        inbound::scratch spare;
        inbound::room to;
        EXPECT_TRUE(in.prepare(arena, lane.writer, spare, to));
        std::size_t got = 0;
        for (int i = 0; i < to.count; ++i) {
            const std::size_t n = std::min(to.pieces[i].iov_len, octets.size());
            std::memcpy(to.pieces[i].iov_base, octets.data(), n);
            octets.remove_prefix(n);
            got += n;
        }
        return in.accept(got, got == to.octets && got != 0, arena, lane.writer, spare, commands_too ? this : nullptr);
    }

    /// All of them, `step` at a time. Stops when it fails.
    inbound::outcome come(std::string_view octets, std::size_t step = std::string_view::npos)
    {
        auto what = inbound::outcome::done;
        while (what != inbound::outcome::failed && !octets.empty()) {
            std::string_view now = octets.substr(0, step);
            octets.remove_prefix(now.size());
            while (what != inbound::outcome::failed && (!now.empty() || in.has_unread())) what = come_once(now);
        }
        return what;
    }

    [[nodiscard]] bool on_command(std::span<const std::byte> body) noexcept override
    {
        commands.push_back(pipe::test::text(body.data(), body.size()));
        written.push_back(lane.writer.written());
        return true;
    }

    receive_arena arena;
    pipe::test::joined_lane lane;
    toy::tally opened;
    sealed_inbound in;
    std::vector<std::string> commands;
    std::vector<std::uint64_t> written;  ///< messages that were in the lane before each
};

}  // namespace zlink::wire::test
