// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where the library would lose a message silently it is made to refuse it; what follows is the caller's wish.
#include "cli/message_sender.hpp"

#include "cli/traffic_options.hpp"
#include "support/status_line.hpp"
#include "support/text.hpp"

#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr int patience = 50;  // ms; a stop is noticed between two attempts

}  // namespace

message_sender::message_sender(socket& peer, int type, bool may_lose)
    : peer_(peer),
      publishes_(publishes(type)),
      routes_(addresses(type) && type != ZMQ_DGRAM),
      may_lose_(may_lose)
{
    if (publishes_) {
        peer_.set(ZMQ_XPUB_NODROP, 1);
    } else if (type == ZMQ_ROUTER) {
        peer_.set(ZMQ_ROUTER_MANDATORY, 1);
    }
    if (publishes_ || routes_) {
        peer_.set(ZMQ_SNDTIMEO, patience);
    }
}

message_sender::result message_sender::send(const message& frames)
{
    return try_to_send(frames);
}

message_sender::result message_sender::send(frame_list& frames)
{
    return try_to_send(frames);
}

template <class Frames>
message_sender::result message_sender::try_to_send(Frames& frames)
{
    const bool waits = (publishes_ || routes_) && !may_lose_;
    sending done = offer(frames, waits ? 0 : ZMQ_DONTWAIT);
    if (done == sending::would_block && publishes_ && may_lose_) {
        peer_.set(ZMQ_XPUB_NODROP, 0);
        done = offer(frames, ZMQ_DONTWAIT);
        peer_.set(ZMQ_XPUB_NODROP, 1);
        lost_.at_mark += done == sending::done ? 1 : 0;
    }
    if (done == sending::done) {
        return result::sent;
    }
    if (done == sending::unreachable) {
        if (!may_lose_) {
            return result::unreachable;
        }
        ++lost_.no_taker;
        return result::lost;
    }
    if (routes_ && may_lose_) {
        ++lost_.at_mark;
        return result::lost;
    }
    return result::blocked;
}

void say_losses(const losses& lost, std::uint64_t offered, bool publishes)
{
    if (lost.at_mark > 0 && publishes) {
        say("zlink: dropped {} of {} at the high-water mark, for at least one subscriber each; slow down with --rate, "
            "raise the mark with --opt SNDHWM=N, or wait for slow subscribers with --opt XPUB_NODROP=1\n",
            grouped(lost.at_mark), messages(offered));
    } else if (lost.at_mark > 0) {
        say("zlink: dropped {} at the high-water mark: the peer reads too slowly; raise it with --opt SNDHWM=N\n",
            messages(lost.at_mark));
    }
    if (lost.no_taker > 0) {
        say("zlink: {} found no taker: the receiver had gone before; it should wait longer\n", messages(lost.no_taker));
    }
}

}  // namespace zlink::tool
