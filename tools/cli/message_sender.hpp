// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Gives messages to a socket and counts those that the socket type would lose without a word.
#pragma once

#include "support/frame_list.hpp"
#include "support/socket.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace zlink::tool {

// Messages that went into the socket, or nowhere.
struct losses {
    std::uint64_t at_mark = 0;   // PUB, XPUB: for at least one subscriber; others: a full queue had no room
    std::uint64_t no_taker = 0;  // answers and forwarded messages whose receiver had gone

    std::uint64_t all() const noexcept { return at_mark + no_taker; }
};

// PUB, XPUB and RADIO drop a message for every subscriber whose queue is full. They are asked not to (ZMQ_XPUB_NODROP),
// so that the refusal shows; then the message is sent once more, with leave to drop. ROUTER, asked to be strict
// (ZMQ_ROUTER_MANDATORY), STREAM, SERVER and PEER refuse messages without a taker or without room.
class message_sender {
public:
    enum class result { sent, blocked, lost, unreachable };

    // `may_lose`: ROUTER and its like lose what they can't deliver at once, a PUB drops at the mark; both are counted.
    // Otherwise they wait for room, and an unknown routing id is reported as unreachable.
    message_sender(socket& peer, int type, bool may_lose);

    // Waits for some milliseconds if polling can't tell when there is room, and otherwise not at all.
    result send(const message& frames);

    // The same for frames to be passed on, which are gone when they were sent.
    result send(frame_list& frames);

    const losses& lost() const noexcept { return lost_; }

private:
    template <class Frames>
    result try_to_send(Frames& frames);
    sending offer(const message& frames, int flags) { return peer_.offer(frames, flags); }
    sending offer(frame_list& frames, int flags) { return frames.offer(peer_.handle(), flags); }

    socket& peer_;
    bool publishes_;
    bool routes_;
    bool may_lose_;
    losses lost_;
};

// "dropped 12 of 3,400 messages at the high-water mark ...": a line for each kind of loss, on standard error.
void say_losses(const losses& lost, std::uint64_t offered, bool publishes);

}  // namespace zlink::tool
