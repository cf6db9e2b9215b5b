// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sealed frames. A stream of good ones, forged ones and octets of any kind means the same however it is split and
// whichever thread handles the commands. Nothing behind the first bad frame is seen, and none is opened twice. What
// comes out, sealed again, is what comes out once more.
#include "fill_room.hpp"
#include "fuzz_input.hpp"
#include "toy_sealing.hpp"
#include "wire/outbound.hpp"
#include "wire/sealed_inbound.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace zlink;

namespace {

struct outcome final : wire::command_handler {
    std::vector<std::string> frames;  ///< MORE as a first octet, then the body
    std::vector<std::string> commands;
    errc error = errc::none;
    zmtp::handshake_error reason = zmtp::handshake_error::none;

    bool operator==(const outcome& other) const
    {
        return frames == other.frames && commands == other.commands && error == other.error && reason == other.reason;
    }

    [[nodiscard]] bool on_command(std::span<const std::byte> body) noexcept override
    {
        commands.emplace_back(reinterpret_cast<const char*>(body.data()), body.size());
        return true;
    }
};

/// Larger bodies lie outside of the lane.
constexpr std::size_t large_from = 100;

struct both_ends {
    pipe::lane shared;
    pipe::lane_writer writer{shared, 0, large_from};
    pipe::lane_reader reader{shared, 0};
};

// A record of the input: what, how long, octets. Most make a sealed frame.
std::string stream_of(fuzz::input& in)
{
    enum : std::uint8_t { data, data_more, command, any_flags, altered, skipped, repeated, raw, kinds };
    std::string wire;
    std::uint64_t number = 0;
    while (!in.rest().empty()) {
        const std::uint8_t choice = in.choice();
        const std::uint8_t size = in.choice();
        // Some are longer than the input.
        const std::size_t times = choice & 0x80 ? 16 : 1;
        const auto octets = in.take(size);
        std::string body;
        for (std::size_t i = 0; i < times; ++i)
            body.append(reinterpret_cast<const char*>(octets.data()), octets.size());
        switch ((choice & 0x7f) % kinds) {
        case data: wire += toy::frame(number++, 0, body); break;
        case data_more: wire += toy::frame(number++, message::flag_more, body); break;
        case command: wire += toy::frame(number++, message::flag_command, body); break;
        case any_flags: wire += toy::frame(number++, in.choice(), body); break;
        case altered: {
            std::string frame = toy::frame(number++, 0, body);
            frame[in.choice() % frame.size()] ^= char(1 + in.choice() % 255);
            wire += frame;
            break;
        }
        case skipped: wire += toy::frame(++number, 0, body); break;
        case repeated: wire += toy::frame(number ? number - 1 : 0, 0, body); break;
        case raw: wire += body; break;
        default: break;
        }
    }
    return wire;
}

void take(both_ends& lane, outcome& out, std::int64_t limit)
{
    while (lane.reader.readable()) {
        pipe::incoming f{};
        fuzz::require(lane.reader.next(f));
        fuzz::require(limit < 0 || f.size <= std::uint64_t(limit));
        out.frames.push_back(std::string(1, f.more ? 'm' : '.') +
                             std::string(reinterpret_cast<const char*>(f.data), f.size));
        (void)lane.reader.pop(f);
    }
}

/// One octet of `seed` says how the stream is split, and whether another thread meets commands first.
outcome open(std::string_view stream, std::uint8_t seed, std::int64_t limit)
{
    both_ends lane;
    wire::receive_arena arena(seed & 1);
    wire::sealed_inbound in(std::make_unique<toy::opener>(), {limit, 512 * 1024, large_from, seed & 2 ? 64u : 0u});
    outcome out;
    auto what = wire::inbound::outcome::done;
    const auto once = [&](std::span<const std::byte>& octets, wire::command_handler* commands) {
        wire::inbound::scratch spare;
        wire::inbound::room to;
        fuzz::require(in.prepare(arena, lane.writer, spare, to));
        const std::size_t got = fuzz::fill(to, octets);
        what = in.accept(got, got != 0 && got == to.octets, arena, lane.writer, spare, commands);
        take(lane, out, limit);
    };
    for (fuzz::parts parts(std::as_bytes(std::span(stream)), seed); !parts.empty();) {
        auto now = parts.next();
        while ((!now.empty() || in.has_unread()) && what != wire::inbound::outcome::failed) {
            const bool hands_over = seed & 4 && what != wire::inbound::outcome::command;
            once(now, hands_over ? nullptr : &out);
        }
    }
    out.error = in.error();
    out.reason = in.reason();
    lane.writer.rollback();
    take(lane, out, limit);
    fuzz::require(out.frames.empty() || out.frames.back()[0] == '.');
    return out;
}

/// The same messages by way of a sealing wire, whose stream takes so many octets at a time.
std::string seal(const outcome& from, std::size_t step)
{
    both_ends lane;
    for (const std::string& f : from.frames) {
        const bool more = f[0] == 'm';
        fuzz::require(lane.writer.write({reinterpret_cast<const std::byte*>(f.data()) + 1, f.size() - 1, more}));
        if (!more) lane.writer.publish();
    }
    lane.reader.begin_octets();
    wire::outbound out(nullptr, std::make_unique<toy::sealer>());
    std::string octets;
    pipe::owed_credit credit;
    while (true) {
        iovec piece[1];
        const auto batch = out.gather(lane.reader, piece, 1, {100 + step, 100}, credit);
        if (batch.count == 0) break;
        const std::size_t n = std::min(step, batch.octets);
        octets.append(static_cast<const char*>(piece[0].iov_base), n);
        (void)out.accept(lane.reader, n);
    }
    fuzz::require(out.at_boundary());
    return octets;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice();
    const std::int64_t limit = in.size_limit(16);
    const std::string stream = stream_of(in);

    const outcome whole = open(stream, 0, limit);
    fuzz::require(open(stream, seed, limit) == whole);
    const outcome again = open(seal(whole, 1 + seed), seed, limit);
    fuzz::require(again.frames == whole.frames && again.error == errc::none);
    return 0;
}
