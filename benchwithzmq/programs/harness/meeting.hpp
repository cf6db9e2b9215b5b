// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How the two ends of a measurement begin and finish, the same for all patterns.
//
// A pattern is a struct with
//   name, frames, two_way, lockstep, sender_binds, repeats_hello, window  constants
//   context, sender, receiver                                             types
// Both ends offer bind() or connect(), send(), receive(), lanes(), lane(), again(), as plain_end does.
#pragma once

#include "harness/fail.hpp"
#include "harness/payload.hpp"
#include "harness/rig.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

// What most patterns are like; they hide what they have otherwise.
struct pattern_defaults {
    static constexpr std::size_t frames = 1;      // of the given size each
    static constexpr bool two_way = true;         // the receiver can answer
    static constexpr bool lockstep = false;       // the receiver must answer before the next message
    static constexpr bool sender_binds = false;   // the receiver binds
    static constexpr bool repeats_hello = false;  // what is sent before the peers have met may get lost
    static constexpr std::uint64_t window = 0;  // most messages on their way, where the library would drop some; 0: any
    static unsigned copies(const settings&) { return 1; }  // how many receivers get each message
};

// Octets of a message in all its frames.
template <class Pattern>
std::size_t payload_size(const settings& of)
{
    return of.size * Pattern::frames;
}

template <class Pattern, class End>
void join(rig& with, End& end, bool is_sender)
{
    if (Pattern::sender_binds == is_sender) {
        with.tell_endpoint(end.bind());
    } else {
        end.connect(with.await_endpoint());
    }
}

// Sends hellos until all receivers have met their senders.
template <class Pattern>
void greet(rig& with, const settings& of, typename Pattern::sender& sender, inbox& replies)
{
    // Long enough for all peers to take one in, so that no heap of hellos lies in front of what is measured.
    const std::uint64_t pause = 2'000'000 + std::uint64_t{200'000} * of.peers;
    const std::size_t size = payload_size<Pattern>(of);
    const payload hello(size);
    do {
        for (unsigned lane = 0; lane < sender.lanes(); ++lane) {
            sender.send(hello.data(), hello_size(size));
            if (Pattern::lockstep) (void)sender.receive(replies);
        }
        if (!Pattern::repeats_hello) break;
        const std::uint64_t again = now_ns() + pause;
        while (!with.state().met && now_ns() < again) sleep_ns(1'000'000);
    } while (!with.state().met);
    with.wait_for([&] { return with.state().met.load(); });
}

// The receiver's side of it.
template <class Pattern>
void await_hellos(rig& with, typename Pattern::receiver& receiver, std::size_t size, inbox& in)
{
    for (unsigned i = 0; i < receiver.lanes(); ++i) {
        const std::size_t got = receiver.receive(in);
        if (got != hello_size(size)) fail(exit_status::failed, "the first message has %zu octets", got);
        if (Pattern::lockstep) receiver.send(in.message(), got);
    }
    with.state().met = true;
}

// Tells all receivers that nothing more comes, and waits until they know.
template <class Pattern>
void finish(rig& with, typename Pattern::sender& sender, std::size_t size)
{
    const payload end(size);
    for (unsigned lane = 0; lane < sender.lanes(); ++lane) sender.send(end.data(), end_size(size));  // never answered
    with.wait_for([&] { return with.state().receiver_finished.load(); });
}

// Sequence numbers of the receiving end: the next one of each lane.
class lane_counters {
public:
    explicit lane_counters(unsigned lanes) : next_(lanes, 0) {}
    [[nodiscard]] std::uint64_t operator[](unsigned lane) const { return next_[lane]; }
    void advance(unsigned lane) { ++next_[lane]; }

private:
    std::vector<std::uint64_t> next_;
};

// Says what is wrong with a message that the inbox did not accept.
[[noreturn, gnu::cold]] inline void fail_message(inbox& in, std::size_t size, std::uint64_t expected)
{
    std::uint64_t number = 0;
    std::memcpy(&number, in.message(), size < sizeof number ? size : sizeof number);
    if (size >= sizeof number && number == expected) {
        fail(exit_status::failed, "message %llu came with octets changed", static_cast<unsigned long long>(expected));
    }
    fail(exit_status::failed, "message %llu came where message %llu was due", static_cast<unsigned long long>(number),
         static_cast<unsigned long long>(expected));
}

[[noreturn, gnu::cold]] inline void fail_size(std::size_t got, std::size_t size)
{
    fail(exit_status::failed, "a message of %zu octets came, not of %zu", got, size);
}

// Deals with a message of another size than the measured ones: true if it was an end.
template <class End>
[[gnu::cold]] bool is_end(End& end, std::size_t got, std::size_t size)
{
    if (got == end_size(size)) return true;
    if (got != hello_size(size)) fail_size(got, size);
    end.again();  // a hello sent more than once
    return false;
}

}  // namespace bench
