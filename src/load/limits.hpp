// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The constants of all rules that adapt to the load, with what lies on either side of each. docs/load.md says what the rules are for.
//
// "Machine": what the value assumes, and what changes elsewhere. Unless it says so, a constant is a ratio or a number of messages, and
// assumes nothing. Measured on x86-64 with two cores.
#pragma once

#include <chrono>
#include <cstdint>

namespace zlink::load::limits {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// Yielding before a sleep. yielding.hpp
namespace yielding {

/// Below: a peer on this core, or one that answers at once (a ping-pong over inproc takes 1 to 8 us). Above: fixed rates up to 50,000 a
/// second, which would burn a core between two messages. Machine: a sleep and its wake-up, 5 us on a busy core, 50 on one that
/// has to wake up itself; where that is dearer, less is gained than could be.
inline constexpr microseconds longest{20};
/// Below: the wait ends by itself when yielding does not pay. Above: a thread that yields in turn with many others pays for all of them.
/// Machine: a time slice is some milliseconds, a piece of a thread's work some tens of microseconds.
inline constexpr microseconds long_yield{200};
/// What one that waits for a single peer finds later than this counts as a failure: who is woken goes first, who has yielded goes last.
/// Below: two threads that share a core. Above: ten clients and four workers on two cores.
inline constexpr microseconds late_for_one_peer = longest + long_yield;
/// Successes that are remembered: so many, by cost_of_failure, are four failures in a row, as a flood has now and then.
inline constexpr int most = 16;
/// In successes: yielding in vain burns a whole `longest`, a success saves a sleep, a quarter of that. Below: a flood that runs dry now
/// and then. Above: 100,000 messages a second, where half of the waits find nothing.
inline constexpr int cost_of_failure = 4;
/// Waits without yielding until it is tried again: a percent or two of the time where it stays in vain.
inline constexpr int first_retry_after = 64;
/// The same for one that is late again and again, doubled each time up to this: 0.02 %.
inline constexpr int longest_retry_after = 4096;

}  // namespace yielding

/// Whether strangers want our cores. crowding.hpp
namespace crowding {

/// Yields are measured for so long after a long one: longer than a time slice and the turns of some strangers, shorter than
/// what a program does next.
inline constexpr milliseconds suspicion{100};
/// So much in so many losses, each at most so long after the last, is strangers. Below: a peer in another process that catches up, a
/// limit to our processor time (cpu.max). Above: a program that computes, which takes a slice of 3 to 4 ms each time. Machine: the
/// kernel's slice, 3 ms on two cores; it grows with the logarithm of their number, so strangers are found sooner there.
inline constexpr milliseconds much_lost{12};
inline constexpr int many_losses = 3;
inline constexpr milliseconds longest_gap{20};
/// A longer loss counts as one of this: what stops us for longer is a limit to our processor time.
inline constexpr milliseconds most_at_once{5};
/// Nobody yields for so long then. What is lost by trying again, 12 ms, is a few percent of it.
inline constexpr milliseconds pause{500};
/// Asking for the processor time is dear if it takes longer than this so often in a row, for so long. Machine: 0.3 us and some more for
/// each thread of the process; among hundreds of threads it is dear, and they gain nothing by yielding.
inline constexpr microseconds dear{10};
inline constexpr int many_dear = 16;
inline constexpr seconds dear_for{1};

}  // namespace crowding

/// An I/O thread that lets those go first whom it is about to serve. gathering.hpp
namespace gathering {

/// So many are found on average after a wake-up. Below: one peer, which is never held up. Above: a broker with ten clients.
inline constexpr int several = 2;
/// More in one look do not count: one crowd is not to speak for hundreds of wake-ups.
inline constexpr int most_counted = 16;
/// A yield may take so long on average. Below: peers in this process and in others, 70 us. Above: a program that computes, 3 to 4 ms.
inline constexpr microseconds longest_on_average{500};
/// If it takes longer, there is none for so long.
inline constexpr milliseconds pause{500};
/// Of what was, against the last.
inline constexpr int weight = 16;

}  // namespace gathering

/// Several messages at a time, or one by one. send_rhythm.hpp
namespace rhythm {

/// A pause that is longer begins a new burst. Below: a loop that sends, 0.1 to 5 us a message. Above: timers, and rates up to 50,000 a
/// second, whose messages are written one by one. Machine: what a program does between two sends.
inline constexpr microseconds between_bursts{20};
/// Bursts of several messages in a row that are needed to expect another one.
inline constexpr std::uint32_t bursts_to_learn = 4;

}  // namespace rhythm

}  // namespace zlink::load::limits
