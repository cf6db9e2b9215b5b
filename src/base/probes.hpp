// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Tracing points (USDT, provider "zlink") for bpftrace, perf and SystemTap: docs/observing.md has the arguments, which
// are a part of the interface. Without a tracer each is an instruction that does nothing, and its arguments are values
// at hand. The rare ones are out of line: the compiler takes their notes for many instructions, and would not inline the
// functions around them. Built without sys/sdt.h, they are nothing at all. Any thread.
#pragma once

#if defined ZLINK_USDT
#include <sys/sdt.h>
#endif

#include <cstddef>
#include <cstdint>

namespace zlink::probes {

enum class drop_cause : std::uint8_t {
    full = 1,        ///< the peer's queue has reached its mark
    no_peer = 2,     ///< a publisher without peers
    no_match = 3,    ///< no peer has subscribed to it
    unroutable = 4,  ///< no peer of that routing id
    unwanted = 5,    ///< received, and not for the program
};

enum class mark_side : std::uint8_t {
    sending = 0,    ///< a send waits, as no peer has room
    receiving = 1,  ///< a connection is not read any more, as its queue is full
};

/// An attempt to connect is over. `error`: an errno; 0: connected.
[[gnu::noinline]] inline void connect([[maybe_unused]] const char* endpoint, [[maybe_unused]] int error) noexcept
{
#if defined ZLINK_USDT
    STAP_PROBE2(zlink, connect, endpoint, error);
#endif
}

/// A handshake is over. `event`: one of ZMQ_EVENT_HANDSHAKE_*. `reason`: in words; "" if it has succeeded.
[[gnu::noinline]] inline void handshake([[maybe_unused]] const char* endpoint, [[maybe_unused]] std::uint32_t event,
                                        [[maybe_unused]] const char* reason) noexcept
{
#if defined ZLINK_USDT
    STAP_PROBE3(zlink, handshake, endpoint, event, reason);
#endif
}

/// A publisher has looked for the peers that a message is for. `peers`: how many there are. `topic`: octets of the
/// topic, or of the first part. Not in the path of single queues: there the compiler would no longer inline it.
inline void publish([[maybe_unused]] std::size_t peers, [[maybe_unused]] std::size_t topic) noexcept
{
#if defined ZLINK_USDT
    STAP_PROBE2(zlink, publish, peers, topic);
#endif
}

/// A message is not sent, or not given to the program.
[[gnu::noinline]] inline void drop([[maybe_unused]] drop_cause why) noexcept
{
#if defined ZLINK_USDT
    STAP_PROBE1(zlink, drop, int(why));
#endif
}

/// A high-water mark was reached. `where` tells sockets, or connections, apart.
[[gnu::noinline]] inline void mark([[maybe_unused]] mark_side side, [[maybe_unused]] const void* where) noexcept
{
#if defined ZLINK_USDT
    STAP_PROBE2(zlink, mark, int(side), where);
#endif
}

}  // namespace zlink::probes
