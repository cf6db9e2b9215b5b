// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/datagram/datagram_reader.hpp"

#include "load/counters.hpp"
#include "pipe/receive_count.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace zlink::engine {

namespace {

// Under a mark in octets as many datagrams are read as have room if they are of this size. The next read sees what they
// were.
constexpr std::uint64_t usual_octets = 2048;

// False: memory is short, and the lane is as before.
bool write(pipe::lane_writer& lane, const transport::datagram& from) noexcept
{
    if (lane.write({from.head.data(), from.head.size(), true}) &&
        lane.write({from.body.data(), from.body.size(), false})) {
        lane.publish();
        return true;
    }
    lane.rollback();
    return false;
}

}  // namespace

datagram_reader::outcome datagram_reader::read_once(pipe::lane_writer& lane) noexcept
{
    if (!lane.has_room_for_next_or_wait()) return outcome::lane_full;
    std::size_t room = lane.hwm() == 0 ? most : std::size_t(std::clamp<std::uint64_t>(lane.room(), 1, most));
    room = std::size_t(std::clamp<std::uint64_t>(lane.octet_room() / usual_octets, 1, room));
    std::array<transport::datagram, most> some;
    const auto received = port_.receive(std::span(some).first(room));
    if (received.malformed != 0) load::count(load::rule::datagrams_malformed, received.malformed);
    std::size_t lost = 0;
    for (std::size_t i = 0; i < received.count; ++i) lost += write(lane, some[i]) ? 0 : 1;
    if (received.count != 0) pipe::count_receive();
    if (lost != 0) load::count(load::rule::datagrams_lost, lost);
    return received.more ? outcome::more : outcome::drained;
}

}  // namespace zlink::engine
