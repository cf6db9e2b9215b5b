// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/datagram/datagram_writer.hpp"

#include "base/invariant.hpp"
#include "load/counters.hpp"
#include "wire/lane_frames.hpp"

#include <sys/uio.h>

#include <array>
#include <numeric>

namespace zlink::engine {

namespace {

struct batch {
    std::array<transport::datagram, datagram_writer::most> datagrams;
    std::array<std::size_t, datagram_writer::most> octets;  ///< of each in the lane
    std::size_t count = 0;
};

// The messages that the lane shows. All messages have two frames, as patterns write no others into such a lane.
void collect(pipe::lane_reader& lane, batch& to) noexcept
{
    wire::lane_frames frames(lane);
    wire::lane_frames::found head{};
    wire::lane_frames::found body{};
    while (to.count < datagram_writer::most && frames.next(head) && frames.next(body)) {
        invariant([&] { return head.more && !body.more; });
        to.datagrams[to.count] = {head.body, body.body};
        to.octets[to.count++] = head.octets + body.octets;
    }
}

}  // namespace

datagram_writer::outcome datagram_writer::write_once(pipe::lane_reader& lane, pipe::owed_credit& credit) noexcept
{
    return port_.sends() ? send(lane, credit) : drop(lane, credit);
}

datagram_writer::outcome datagram_writer::send(pipe::lane_reader& lane, pipe::owed_credit& credit) noexcept
{
    batch some;
    collect(lane, some);
    if (some.count == 0) {
        credit.add(lane.commit(0));
        return outcome::idle;
    }
    const auto sent = port_.send(std::span(some.datagrams).first(some.count));
    if (sent.dropped != 0) load::count(load::rule::datagrams_refused, sent.dropped);
    const auto* const octets = some.octets.data();
    credit.add(lane.commit(std::accumulate(octets, octets + sent.taken, std::size_t{0})));
    return sent.blocked ? outcome::blocked : outcome::more;
}

// Subscriptions of a socket that receives: nobody is there to take them.
datagram_writer::outcome datagram_writer::drop(pipe::lane_reader& lane, pipe::owed_credit& credit) noexcept
{
    constexpr int most_pieces = 16;
    constexpr std::size_t most_octets = 64 * 1024;
    iovec pieces[most_pieces];
    const std::size_t octets = lane.gather(pieces, most_pieces, most_octets, most_octets).bytes;
    credit.add(lane.commit(octets));
    return octets == 0 ? outcome::idle : outcome::more;
}

}  // namespace zlink::engine
