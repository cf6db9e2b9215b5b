// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The constants of all rules that adapt to the load, and the cases on either side of each. docs/load.md gives the
// purpose of the rules.
//
// "Below", "Above": cases on that side of the value. "Machine": the assumptions of the value, and the changes on other
// machines. A constant without "Machine" is a ratio or a number of messages, and assumes nothing. Measured on x86-64
// with two cores.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace zlink::load::limits {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// Yielding before a sleep. yielding.hpp
namespace yielding {

/// Below: a peer on this core, or one that answers at once (a ping-pong over inproc takes 1 to 8 us). Above: fixed
/// rates up to 50,000 a second, which would burn a core between two messages. Machine: a sleep and its wake-up take
/// 5 us on a busy core, 50 us on one that has to wake up itself. If they are more expensive, the gain is less than
/// possible.
inline constexpr microseconds longest{20};
/// Below: the wait ends by itself if yielding does not pay. Above: a thread that yields in turn with many others pays
/// for all of them. Machine: a time slice is some milliseconds, a piece of a thread's work some tens of microseconds.
inline constexpr microseconds long_yield{200};
/// For a thread that waits for a single peer, a find later than this counts as a failure. A thread that is woken goes
/// first, a thread that has yielded goes last. Below: two threads that share a core. Above: ten clients and four
/// workers on two cores.
inline constexpr microseconds late_for_one_peer = longest + long_yield;
/// Successes that are remembered. Divided by cost_of_failure, they are four failures in a row, as a flood has now and
/// then.
inline constexpr int most = 16;
/// In successes: yielding in vain uses a whole `longest`, a success saves a sleep, a quarter of that. Below: a flood
/// that runs empty now and then. Above: 100,000 messages a second, of which half of the waits find nothing.
inline constexpr int cost_of_failure = 4;
/// Waits without yielding until it is tried again. Each try in vain doubles the number, up to the second constant:
/// 0.02 % of the time if all tries are in vain. Below: programs with bursts 12 to 300 times a second on one core. There
/// each try costs more than its time: for some ms the kernel runs a woken thread before one that has yielded. (1,000
/// messages a second to 4 peers with 64 throughout: CPU time 0.75 of libzmq's, 0.85 without yields.) Above: a flood
/// that begins, and goes without yields for 4,096 waits, some 50 ms.
inline constexpr int first_retry_after = 64;
inline constexpr int longest_retry_after = 4096;
/// An I/O thread's yield has found little if the thread wrote at most this many messages, and fewer octets than the
/// next constant. (Two: one message, and its answer if both ends live there.) Below: a ping-pong on one core, which a
/// sleeping I/O thread would have left to the application. Above: floods.
inline constexpr std::uint64_t most_handed_on = 2;
inline constexpr std::uint64_t batch_octets = 4 * 1024;
/// After a yield that took longer than this a thread naps: its own program keeps the core busy. Below: senders and
/// receivers that stop for each other at their marks, 0.1 to 1 ms a turn. (1 KB over tcp, all on one core: 0.83 of the
/// rate with 200 us, 0.96 with 500.) Above: threads that keep their time slices. Machine: the kernel's slice, 1.5 to
/// 4 ms.
inline constexpr milliseconds displaced_after{1};
/// A nap. Machine: falling asleep and waking up, 5 us on a busy core, are 5 % of it. Application threads have the
/// kernel's timer slack of 50 us in addition.
inline constexpr microseconds nap{100};
/// A nap that found fewer messages was in vain. Below: a thread that takes 50 us for each message, two in a nap: 0.9 of
/// its rate if its peer sleeps until it is woken. Above: 50,000 a second on one core, five in a nap. Machine: a nap is
/// a timer and its interrupt, the time of some wake-ups.
inline constexpr std::uint64_t few_of_a_nap = 4;
/// Pipes of which the messages count for that. If there are more, the others count as quiet. Below: 64 peers. Above:
/// 200 and 1,000 over inproc, 200 over tcp, 100,000 a second on one core: equal whether all are counted or not.
/// Machine: one load that misses the cache, for each pipe and nap.
inline constexpr std::size_t most_counted = 64;
/// Napping ends after so many naps in a row in which threads of the program did not keep the core busy. A yield would
/// then take only the time that those threads need. Below: a core that is busy for nine tenths of the time. Above: two
/// threads that wait for each other.
inline constexpr int idle_naps = 4;
/// In naps: after so many the core is kept for `longest`, a percent or less of the time. A message that comes then
/// comes from another core, and yields do not take long.
inline constexpr int naps_before_spin = 64;
/// The longest wait for room in the kernel, for the rest of a large message. Machine: a peer reads 64 KB in 10 to
/// 20 us.
inline constexpr microseconds longest_for_room{200};
/// Room found later than this counts as a failure: the I/O thread, which the kernel wakes, would have gone first.
inline constexpr microseconds late_for_room = longest_for_room + long_yield;

}  // namespace yielding

/// Yielding after a wake-up, before the read. gathering.hpp
namespace gathering {

/// Wake-ups with yields before their gain is judged, and those of them that are judged by it: they have to bring so
/// many times the messages of wake-ups without. Below: two messages in flight, 1.2 times the rate with yields. Above:
/// one in flight, 0.85 of it, and floods.
inline constexpr unsigned series = 32;
inline constexpr unsigned judged = 16;
inline constexpr double gain = 1.4;
/// Wake-ups without yields before a series. Each series in vain doubles the number, up to the second constant. Below:
/// bursts that end before. Above: one message in flight, 1 % of the wake-ups with yields in vain.
inline constexpr unsigned first_wait = 64;
inline constexpr unsigned longest_wait = 4096;
/// Series until wake-ups without yields are measured again.
inline constexpr unsigned series_in_row = 64;

}  // namespace gathering

/// Whether other programs want our cores. core_contention.hpp
namespace core_contention {

/// Yields are measured for so long after a long one. This is longer than a time slice and the turns of some other
/// programs, and shorter than a program's next phase.
inline constexpr milliseconds suspicion{100};
/// So much time lost in so many losses, each at most so long after the last, means other programs. Below: a peer in
/// another process that catches up, a limit to our processor time (cpu.max). Above: a program that computes, which
/// takes a slice of 3 to 4 ms each time. Machine: the kernel's slice, 3 to 4 ms on two cores. Other kernels and more
/// cores have not been tried.
inline constexpr milliseconds much_lost{12};
inline constexpr int many_losses = 3;
inline constexpr milliseconds longest_gap{20};
/// A longer loss counts as one of this length: a longer stop comes from a limit to our processor time.
inline constexpr milliseconds most_at_once{5};
/// No thread yields for so long then. The loss by trying again, 12 ms, is a few percent of it.
inline constexpr milliseconds pause{500};
/// Asking for the processor time counts as expensive if it takes longer than the first constant, so often in a row as
/// the second. It counts so for the time of the third. Machine: 0.6 us and some more for each thread of the process.
/// With hundreds of threads it is expensive, and they gain nothing by yielding.
inline constexpr microseconds costly{10};
inline constexpr int many_costly = 16;
inline constexpr seconds costly_for{1};

}  // namespace core_contention

/// Messages that are held back. send_policy.hpp
namespace sends {

/// Held messages leave with the first send after so long plus the time that was saved. Below: a thread that answers the
/// messages it has read, some microseconds a message. Above: one that takes 20 us and more for each. If held for
/// longer, its messages would be late without a gain. Machine: some writes.
inline constexpr microseconds longest_hold{50};
/// A message that was held for longer than this was late. Twice longest_hold: a thread that was due is not late yet.
inline constexpr microseconds late_after{100};
/// The time of a write until one has been measured, and the longest that counts: a longer one was interrupted. Machine:
/// 2 to 9 us.
inline constexpr nanoseconds first_write_time{3'000};
inline constexpr nanoseconds longest_write_time{20'000};
/// The time of saved writes counts up to this, whatever their number. Below: 16 connections with 32 messages each.
/// Above: a thread that reads for milliseconds at a time while its peers wait for it.
inline constexpr nanoseconds most_saved{1'000'000};
/// One message in so many may be late: twice as good as the promise of one in a hundred.
inline constexpr int saves_per_late = 200;
/// So many messages in a row may be late after a long time without late ones: a batch for one peer.
inline constexpr int most_late_in_a_row = 64;
/// For a message that may not be held, as others were late. It is left to the I/O thread if the thread's last message
/// was at most so long ago. Below: 200 peers that are served in turn, four messages each, so that held messages would
/// wait for the next turn. There the rate is 2.2 to 2.6 of libzmq's, 0.6 to 0.8 if each message is written by itself.
/// With 20 us of work for each, CPU time is 1.25 and 0.83. Above: 200 us of work, CPU time 1.63 if the message is
/// written and 1.25 if it is left.
inline constexpr microseconds in_a_row{100};
/// So many batches after a late one are witnessed. After late messages that were excused unseen, as many for each of
/// them: so at most one in 256 is excused unseen. Machine: `getrusage`, 0.3 to 1 us.
inline constexpr int batches_witnessed = 256;
inline constexpr std::uint32_t most_excused = 100'000;
/// So many messages for one peer leave at once, so that it has some microseconds of work.
inline constexpr std::uint32_t most_held = 64;
/// So many rounds with several messages, each shorter than the next constant, are needed. Then the next round is
/// expected to end in a wait.
inline constexpr int rounds_to_learn = 4;
inline constexpr microseconds short_round{50};
/// If messages are due for more connections than this, they are left to their I/O threads. Up to this number, telling
/// those threads may cost as much as writing: thread_waits.hpp decides.
inline constexpr std::uint32_t most_written_when_due = 4;
/// Pipes that are checked for unread input. If there are more, the others have their turn at the next message.
inline constexpr std::size_t most_looked_at = 64;

}  // namespace sends

/// Batches that are held, or left to the I/O thread. hold_watch.hpp
namespace holds {

/// So many batches pay for telling an I/O thread to look. The same number of times in a row this must be so, or not so,
/// before the rule changes. A burst may arrive in pieces, and a batch answers each. If one batch was enough, bursts of
/// 8 at 1,000 and 3,000 a second took 1.2 to 1.3 of the CPU time.
inline constexpr int several = 4;
/// After batches were left, batches are held again if each comes so soon after the last one. Below: 64 connections with
/// 32 messages each in flight, 1.3 ms. Above: bursts of 8 messages and their answers at 3,000 a second, 2.7 ms. They
/// take 2.1 of the CPU time if they are held. Machine: an I/O thread looks after 0.2, 0.4 and 0.8 ms, and a look is a
/// wake-up.
inline constexpr milliseconds soon{2};

}  // namespace holds

/// Writes by the sender itself. own_writes.hpp
namespace own_writes {

/// A pause between two messages of a thread is longer than this. Below: a flood; its messages are better written
/// together (64 B over tcp: 35 million a second, 18 with a write each). Above: messages that a program sends now and
/// then. Machine: longer than a write, 2 to 9 us; the thread's own writes do not count as pauses.
inline constexpr microseconds gap{20};
/// Writes that answer nothing may take this part of a thread's pauses between bursts (a divisor). Below: bursts to 16
/// connections 2,000 times a second. Above: a thread that is late with 100,000 messages a second to 17 connections, all
/// on one core. There half of the pauses double its latency. (To 16 connections 4,000 times a second, half would take
/// 0.87 of the CPU time. Both are less than libzmq's.) The writes of all threads to one I/O thread's connections may
/// take the same part of all time, and as much at once. Below: one thread, which has only its own part. Above: 32
/// threads with four messages each at a time: CPU time 0.65 to 0.86 of libzmq's, 0.32 to 0.68 if their peers have a
/// core of their own.
inline constexpr int part_of_pauses = 8;
/// The most allowance that pauses earn, however long they are. Below: bursts to 12 connections, for which the wake-up
/// of an I/O thread would be a third of the cost. Above: publishers to hundreds of connections; their I/O threads write
/// while the publishers go on, and the wake-up is a hundredth. Machine: four wake-ups.
inline constexpr microseconds most_allowance{100};
/// Messages of a thread's burst, to all its peers, that are written one by one. Below: 8 peers, 125 times a second: CPU
/// time 0.87 of that if they are left. Above: 16 peers, 2,000 times a second, 0.78 if they are left. 12 and 24 peers 80
/// and 40 times a second lose by it, 1.08. Machine: one wake-up of an I/O thread against so many writes, which wake
/// peers. With more I/O threads it is somewhat more.
inline constexpr unsigned few = 8;
/// Of these, messages to peers that already have one of the burst. An I/O thread would write them together with that
/// one. Below: 4 in a row to one peer, 500 times a second: CPU time 1.06 if they are left. Above: 5 and 6 in a row, 0.8
/// to 0.95; 10 to 5 peers, 800 times a second, 0.85. Machine: a wake-up takes as long as three or four writes.
inline constexpr unsigned few_more = 3;
/// After so many long bursts in a row the next one is expected to be long. After so many short ones in a row it is
/// expected to be short.
inline constexpr int to_learn = 4;
/// A write that took longer was interrupted. Machine: 2 to 9 us.
inline constexpr nanoseconds longest_write_time = sends::longest_write_time;

}  // namespace own_writes

/// Waits of threads that send. thread_waits.hpp
namespace waits {

/// A thread is busy if it has not waited for so long. Below: the messages that a program sends without interruption
/// after a wait, some at 20 to 50 us each. Above: a sender that computes for each message and never waits, even at a
/// millisecond a message. Machine: `getrusage`, 0.3 to 1 us, at most so often while a thread does wait.
inline constexpr microseconds busy_after{200};
/// A busy thread, too, makes a write that takes at most this part (a divisor) of the time since the last one. Below:
/// 1 KB over tcp to a peer that sleeps, 13 us, each 200 us: 0.97 of libzmq's rate, and 0.6 of the CPU time if it is
/// left. Above: the same each 100 us. Held messages that are due count together.
inline constexpr int small_part = 10;

}  // namespace waits

/// Reading on, while the application has large messages to take. read_throttle.hpp
namespace read_throttle {

/// Octets of large bodies that one connection may hold, whatever the others hold. Machine: about half of a core's cache
/// of the second level.
inline constexpr std::uint64_t always_held = 1024 * 1024;
/// An application that took no body for so long counts as away, and its connection is read up to the high-water mark.
/// Below: floods, and 0.1 ms of work for each 256 KB; a millisecond gives the same there. Above: 2 ms of work for each
/// 128 KB; CPU time 1.35 with a millisecond, because of the looks.
inline constexpr microseconds longest_pause{300};
/// The time until the next look: an application takes 256 KB in 25 to 50 us, so this is some messages later.
inline constexpr microseconds look_after{100};

}  // namespace read_throttle

/// Fences for each message, or a membarrier for each sleep. fence_learning.hpp
namespace fences {

/// Messages between two sleeps. Below: fences are cheaper. Above: membarriers. Machine: a fence costs a writer some
/// 8 ns. A membarrier costs 0.1 us alone, and 4 us if another thread of the process runs (two cores). More cores
/// interrupt more threads, which has not been measured; nor has ARM64. If a membarrier is ten times as expensive, lanes
/// with 128 messages between sleeps pay at most 0.3 us a message for it.
inline constexpr std::uint64_t few_between_sleeps = 128;
/// So many in a row, so that one pause in a flood changes nothing: each change costs a membarrier itself.
inline constexpr std::uint8_t short_runs_to_learn = 4;

}  // namespace fences

/// Pauses of the senders of large messages. pause_policy.hpp
namespace pauses {

/// A sender waits for a peer while more octets than these are unread. Machine: about half of a core's cache of the
/// second level.
inline constexpr std::uint64_t above = 1024 * 1024;
/// A pause ends before this: it does not change what ZMQ_DONTWAIT and ZMQ_SNDTIMEO promise.
inline constexpr microseconds longest{200};
/// Peers are judged after pauses of so long in all, or so long (the next constant) without an octet read. (Each of
/// eight subscribers has its turn every millisecond, at 256 KB.)
inline constexpr microseconds judged_after{4000};
inline constexpr microseconds longest_idle{3000};
/// Octets a second, of all peers, below which pauses are in vain. Below: a link of 1 Gbit/s. Also a receiver that works
/// 0.2 ms for each 64 KB, 0.5 GB/s: CPU time 1.8 of libzmq's with pauses, 1.15 without, at libzmq's rate. Above: 0.1 ms
/// of work, 0.92 of the rate without; loopback, 1 GB/s and more. Machine: memory.
inline constexpr std::uint64_t fast = 600'000'000;
/// A sender waits for a peer that reads at least this part (a divisor) of the fastest peer's octets. This applies once
/// the fastest has read as many as the next constant.
inline constexpr unsigned share_of_fastest = 4;
inline constexpr std::uint64_t compared_from = 4 * above;
/// How long a peer is left alone after waits for it in vain.
inline constexpr milliseconds first_suspension{1};
inline constexpr milliseconds longest_suspension{1000};
/// A peer that got so many large messages without a small one between them counts as getting only large ones. Below:
/// one message in five is large: 5 times the rate if their sender does not yield to the I/O thread, and half of that
/// with one in a row. Above: floods of 64 and 128 KB over ipc: 0.75 to 0.85 of the rate without yielding.
inline constexpr unsigned many_in_row = 4;
/// Octets that an application takes in a microsecond if it does nothing else. The sender yields for the time that this
/// gives, from 20 us to a third of a pause. Below: 64 KB and 20 us of work for each: CPU time 0.75 of libzmq's, 0.34 if
/// each yield may take 66 us. Above: floods of 256 KB, 4.3 of libzmq's rate, 1.65 without yields. Machine: memory.
inline constexpr std::uint64_t read_in_a_microsecond = 4096;
/// Only so many peers of a socket are observed.
inline constexpr std::size_t most_peers = 16;

}  // namespace pauses

/// Read tokens that a waiting thread takes and keeps. token_lease.hpp
namespace lease {

/// Taking a token and giving it back are two system calls for each connection. So many connections may cost that at
/// each wait. More are taken only after as many quick rounds as there are connections. These rounds pay for it: two
/// calls a round on average.
inline constexpr unsigned most_at_each_wait = 2;
/// If a thread has more connections, they are left to the I/O threads. Below: one `ppoll` of all. Above: `ppoll` takes
/// longer than a wake-up by the I/O thread. Machine: a `ppoll` of 64 descriptors takes 4 us, of one 0.5; a wake-up 5.
inline constexpr unsigned most_connections = 64;
/// The most connections that are polled for each one that has input after a wait. Below: 64 conversations of one
/// thread, of which some have an answer at a time: 1.5 of the rate with I/O threads. (With 24 for this constant, some
/// runs had the I/O threads' rate.) Above: 64 connections with 33,000 messages a second in all, one at a time: CPU time
/// 0.75 with I/O threads. With 32 connections it is 0.85 to 0.95, with 16 equal. Machine: a sleep in `ppoll` takes
/// 0.2 us more for each descriptor, a wake-up by an I/O thread 5.
inline constexpr unsigned polled_for_one_found = 30;
/// The weight of the earlier average against the last value; and the first estimate of the number found.
inline constexpr int weight = 8;
inline constexpr double found_at_first = 2.0 * most_connections / polled_for_one_found;
/// If the thread finds too few, the I/O threads read for so many rounds. The number is doubled each time, up to the
/// second constant, until so many rounds in a row as the third were worth it. A try costs two system calls a
/// connection, and some rounds.
inline constexpr unsigned first_sparse_rounds = 64;
inline constexpr unsigned longest_sparse_rounds = 4096;
/// How long a thread that finds input at every poll does not read the connections that it has parked. Machine: a
/// `ppoll`, 0.5 to 4 us.
inline constexpr microseconds between_reads_of_parked{100};
/// Quick rounds in a row, before tokens are parked.
inline constexpr unsigned rounds_to_park = 4;
/// A round is quick if it ends so soon after the last, and so much more for each further connection. Below: more than
/// 2,000 rounds a second. Above: fewer rounds, for which two `epoll_ctl` are cheaper than an I/O thread that watches
/// parked tokens. Machine: a look of an I/O thread, 10 us with its wake-up, against two system calls of 0.5 us each.
inline constexpr microseconds back_within{500};
inline constexpr microseconds back_within_each_more{50};
/// The same for each connection of the same I/O thread, which watches all that are parked at once. Above the limit: a
/// broker with more than 300 clients.
inline constexpr microseconds back_within_each_neighbour{100};
inline constexpr milliseconds longest_back_within{30};
/// Added to this limit, before an I/O thread takes over.
inline constexpr milliseconds late_by{10};
/// A thread may stay away for so long, and so much more for each further connection. Below: a thread that loses its
/// core for a time slice of 3 to 4 ms. With 1 ms, an answer for each 0.5 ms of work took 1.25 of the CPU time, because
/// of the looks. Above: no thread reads the peer's messages, heartbeats among them. Machine: a look is a timer of the
/// kernel's, an interrupt and a wake-up: 20 us on a virtual machine.
inline constexpr milliseconds away_for{4};
inline constexpr microseconds away_for_each_more{100};
/// The time between two looks of a program that asks without waiting, and so much more for each connection. Machine: a
/// read that finds nothing, 0.4 us, and a `ppoll`, 0.06 us for each connection: 2 % of this time.
inline constexpr microseconds between_checks{20};
inline constexpr microseconds between_checks_each{3};

}  // namespace lease

/// Waits of senders at a full queue for an I/O thread that is late. io_patience.hpp
namespace io_patience {

/// The sum of waits in vain, until a second has passed without one. Below: an I/O thread that waits for a core during
/// some other threads' time slices. Above: an I/O thread that never gets its core. A thread that answers thousands then
/// waits so long once a second, 9 % of its time. Machine: a time slice, 3 to 4 ms.
inline constexpr milliseconds longest{100};
inline constexpr seconds forgiven_after{1};

}  // namespace io_patience

/// An I/O thread's looks at applications that have left something for later. activity_checks.hpp
namespace looks {

/// The time until the first look at held messages. They are late by one or two of these if their sender does not come
/// back. Machine: a wake-up of the I/O thread, 10 us with all that belongs to it.
inline constexpr microseconds first{200};
/// While the sender keeps coming the time doubles up to this: 1 % of a core while a conversation goes on.
inline constexpr microseconds longest{800};
/// So many looks in vain before a regular sender counts as gone.
inline constexpr int for_regulars = 4;
/// Looks lie on a grid, so that one wake-up serves several connections. The time until the next look at held messages
/// has so many points of it, up to twice that. With one point the messages would be late by twice that time. (Looks at
/// parked tokens use one point: nothing is late.)
inline constexpr unsigned points_for_held = 4;

}  // namespace looks

}  // namespace zlink::load::limits
