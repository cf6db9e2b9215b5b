// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames of WebSocket, of the traffic and of the handshake. A stream of any octets means the same however it is split
// and whichever thread meets commands first, masked or not. What comes out, sent again, is what comes out once more.
#include "fill_room.hpp"
#include "fuzz_input.hpp"
#include "toy_sealing.hpp"
#include "wire/outbound.hpp"
#include "wire/zws_handshake.hpp"
#include "wire/zws_inbound.hpp"
#include "wire/zws_octets.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace zlink;

namespace {

struct outcome final : wire::command_handler {
    std::vector<std::string> frames;  ///< MORE as a first octet, then the body
    std::vector<std::string> told;
    errc error = errc::none;
    zmtp::handshake_error reason = zmtp::handshake_error::none;

    bool operator==(const outcome& other) const
    {
        return frames == other.frames && told == other.told && error == other.error && reason == other.reason;
    }

    bool note(char what, std::span<const std::byte> octets)
    {
        told.push_back(what + std::string(reinterpret_cast<const char*>(octets.data()), octets.size()));
        return true;
    }
    [[nodiscard]] bool on_command(std::span<const std::byte> body) noexcept override { return note('c', body); }
    [[nodiscard]] bool on_ping(std::span<const std::byte> payload) noexcept override
    {
        fuzz::require(payload.size() <= zws::longest_control);
        return note('p', payload);
    }
    [[nodiscard]] bool on_close(std::span<const std::byte> code) noexcept override { return note('x', code); }
};

constexpr std::size_t large_from = 300;

struct both_ends {
    pipe::lane shared;
    pipe::lane_writer writer{shared, 0, large_from};
    pipe::lane_reader reader{shared, 0};
};

void append_frame(std::string& wire, std::uint8_t first, std::string_view payload, bool masked)
{
    const zws::mask key = 0x5ac30f96;
    std::byte header[zws::longest_header];
    const std::size_t n = zws::encode_header(header, zws::opcode::binary, payload.size(), masked ? &key : nullptr);
    header[0] = std::byte(first);
    wire.append(reinterpret_cast<const char*>(header), n);
    std::string body(payload);
    zws::copy_masked(reinterpret_cast<std::byte*>(body.data()), reinterpret_cast<const std::byte*>(body.data()),
                     body.size(), masked ? key : 0);
    wire += body;
}

// A record of the input: what, how long, octets.
std::string stream_of(fuzz::input& in, bool masked, bool sealed)
{
    constexpr std::uint8_t firsts[] = {0x82, 0x82, 0x02, 0x00, 0x80, 0x89, 0x8a, 0x88};
    std::string wire;
    std::uint64_t number = 0;
    while (!in.rest().empty()) {
        const std::uint8_t choice = in.choice();
        const auto octets = in.take(in.choice());
        std::string body;
        // Some are longer than the input, up to beyond the second form of a length.
        const std::size_t times = choice & 0x40 ? 300 : choice & 0x20 ? 3 : 1;
        for (std::size_t i = 0; i < times; ++i)
            body.append(reinterpret_cast<const char*>(octets.data()), octets.size());
        if (choice & 0x80) {
            wire += body;
            continue;
        }
        const std::uint8_t first = firsts[choice % 8];
        if (first == 0x82 && sealed) {
            const std::string frame = toy::frame(number++, choice & 0x10 ? message::flag_command : 0, body);
            body = std::string(1, '\0') + frame.substr(std::uint8_t(frame[0]) & message::flag_long ? 9 : 2);
        }
        if (first >= 0x88) body.resize(std::min<std::size_t>(body.size(), zws::longest_control));
        append_frame(wire, first, body, masked);
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

outcome read(std::string_view stream, std::uint8_t seed, std::int64_t limit, bool masked, bool sealed)
{
    both_ends lane;
    wire::receive_arena arena(seed & 1);
    wire::frame_limits limits;
    limits.max_msg_size = limit;
    limits.large_from = large_from;
    limits.max_transfer = seed & 2 ? 64 : 0;
    wire::zws_inbound in(limits, !masked, sealed ? std::make_unique<toy::opener>() : nullptr);
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
    return out;
}

std::string send(const outcome& from, std::size_t step, bool masked)
{
    both_ends lane;
    for (const std::string& f : from.frames) {
        const bool more = f[0] == 'm';
        fuzz::require(lane.writer.write({reinterpret_cast<const std::byte*>(f.data()) + 1, f.size() - 1, more}));
        if (!more) lane.writer.publish();
    }
    lane.reader.begin_octets();
    wire::outbound out(nullptr, nullptr, &wire::zws_form(masked));
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
    return octets;
}

zmtp::handshake::state shake(std::string_view stream, std::uint8_t seed, bool masked)
{
    zmtp::handshake machine({}, zmtp::handshake::beginning::elsewhere);
    machine.begin(seed & 1);
    wire::zws_handshake hands(machine, !masked);
    auto now = zmtp::handshake::state::in_progress;
    for (fuzz::parts parts(std::as_bytes(std::span(stream)), seed & 0xfe);
         !parts.empty() && now == zmtp::handshake::state::in_progress;) {
        now = hands.advance(parts.next()).state;
        hands.consume_output(hands.output().size());
    }
    return now;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice();
    const std::uint8_t how = in.choice();
    const bool masked = how & 1, sealed = how & 2;
    const std::int64_t limit = how & 4 ? 1000 : -1;
    const std::string stream = stream_of(in, masked, sealed);
    const outcome whole = read(stream, 0, limit, masked, sealed);
    fuzz::require(whole == read(stream, seed, limit, masked, sealed));
    fuzz::require(shake(stream, how & 1, masked) == shake(stream, (seed & 0xfe) | (how & 1), masked));
    outcome messages;
    messages.frames = whole.frames;
    while (!messages.frames.empty() && messages.frames.back()[0] == 'm') messages.frames.pop_back();
    const std::string again = send(messages, 1 + seed, masked);
    fuzz::require(messages == read(again, seed, -1, masked, false));
    return 0;
}
