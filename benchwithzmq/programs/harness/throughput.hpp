// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Streams messages one way as fast as they go, and measures a window of it.
#pragma once

#include "harness/meeting.hpp"
#include "harness/report.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace bench {

// How many messages are sent: without BENCH_MSG_COUNT no limit, else those counted behind a tenth of them as warm-up.
struct message_quota {
    explicit message_quota(const settings& of)
        : limited(of.msg_count > 0),
          warm_up(of.msg_count / 10 + 1),
          total(limited ? of.msg_count + warm_up : std::numeric_limits<std::uint64_t>::max())
    {}
    bool limited;
    std::uint64_t warm_up;
    std::uint64_t total;
};

// Notes the moments when a counter passes the first and the last message to be counted.
class marker {
public:
    marker(moment (&marks)[2], const message_quota& quota, std::uint64_t copies)
        : marks_(marks),
          next_(quota.limited ? quota.warm_up * copies : quota.total),
          last_(quota.limited ? quota.total * copies : quota.total)
    {}

    // The count at which a moment will be noted next.
    [[nodiscard]] std::uint64_t next() const { return next_; }

    void passed(std::uint64_t count)
    {
        if (count == next_) [[unlikely]]
            note();
    }

private:
    [[gnu::cold]] void note()
    {
        marks_[next_ == last_ ? 1 : 0] = moment::now();
        next_ = last_;
    }

    moment (&marks_)[2];
    std::uint64_t next_;
    std::uint64_t last_;
};

template <class Pattern>
void stream_out(rig& with, typename Pattern::context& context, const settings& of)
{
    shared_state& state = with.state();
    const std::size_t size = payload_size<Pattern>(of);
    const message_quota quota(of);
    typename Pattern::sender sender(context, of);
    payload out(size);
    inbox replies(size);
    join<Pattern>(with, sender, true);
    greet<Pattern>(with, of, sender, replies);

    marker marks(state.sender_marks, quota, 1);
    const unsigned lanes = sender.lanes();
    std::uint64_t sent = 0;
    std::uint64_t sequence = 0;
    unsigned lane = 0;
    while (!state.stop.load(std::memory_order_relaxed) && sent < quota.total) {
        if constexpr (Pattern::window > 0) {
            while (sent - state.received.load(std::memory_order_relaxed) >= Pattern::window) ::sched_yield();
        }
        out.number(sequence);
        sender.send(out.data(), size);
        if constexpr (Pattern::lockstep) {
            const std::size_t got = sender.receive(replies);
            if (got != size || !replies.holds(sequence)) [[unlikely]]
                fail_message(replies, got, sequence);
        }
        if (++lane == lanes) {
            lane = 0;
            ++sequence;
        }
        state.sent.store(++sent, std::memory_order_relaxed);
        marks.passed(sent);
    }
    finish<Pattern>(with, sender, size);
}

template <class Pattern>
void stream_in(rig& with, typename Pattern::context& context, const settings& of)
{
    shared_state& state = with.state();
    const std::size_t size = payload_size<Pattern>(of);
    typename Pattern::receiver receiver(context, of);
    inbox in(size);
    join<Pattern>(with, receiver, false);
    await_hellos<Pattern>(with, receiver, size, in);

    marker marks(state.receiver_marks, message_quota(of), Pattern::copies(of));
    lane_counters due(receiver.lanes());
    std::uint64_t received = 0;
    for (unsigned ends = 0; ends < receiver.lanes();) {
        const std::size_t got = receiver.receive(in);
        if constexpr (Pattern::lockstep) {
            if (got != end_size(size)) receiver.send(in.message(), got);
        }
        if (got != size) [[unlikely]] {
            if (is_end(receiver, got, size)) ++ends;
            continue;
        }
        const unsigned lane = receiver.lane();
        if (!in.holds(due[lane])) [[unlikely]]
            fail_message(in, got, due[lane]);
        due.advance(lane);
        state.received.store(++received, std::memory_order_relaxed);
        marks.passed(received);
    }
}

// What was measured.
struct stream_window {
    double messages;
    double seconds;
    usage used;
};

// Lets the stream run for the time or the number of messages asked for.
template <class Pattern>
stream_window watch_stream(rig& with, const settings& of)
{
    shared_state& state = with.state();
    with.wait_for([&] { return state.met.load(); });
    if (of.msg_count > 0) {
        with.wait_for([&] { return state.receiver_finished.load(); });
        const moment(&marks)[2] = state.receiver_marks;
        usage used = marks[1].used.since(marks[0].used);
        if (of.two_process) used += state.sender_marks[1].used.since(state.sender_marks[0].used);
        return {static_cast<double>(of.msg_count * Pattern::copies(of)),
                1e-9 * static_cast<double>(marks[1].time - marks[0].time), used};
    }
    const auto length = static_cast<std::uint64_t>(1e9 * of.seconds);
    with.wait_until(now_ns() + std::max<std::uint64_t>(length / 10, 50'000'000));
    const observation first = with.look();
    with.wait_until(first.time + length);
    with.wait_for([&] { return state.received.load() > first.received; });  // a starved machine may need longer
    const observation last = with.look();
    state.stop = true;
    with.wait_for([&] { return state.receiver_finished.load(); });
    return {static_cast<double>(last.received - first.received), 1e-9 * static_cast<double>(last.time - first.time),
            last.used.since(first.used)};
}

template <class Pattern>
void print_stream(rig& with, const settings& of, const stream_window& seen)
{
    const double rate = seen.messages / seen.seconds;
    print_result(of, Pattern::name, "throughput", rate);
    print_result(of, Pattern::name, "mb_per_s", rate * static_cast<double>(payload_size<Pattern>(of)) * 1e-6);
    print_cpu(of, Pattern::name, seen.used, seen.messages);
    print_result(of, Pattern::name, "peak_rss_kb", static_cast<double>(with.look().used.peak_rss_kb));
}

// The observer's part: what was measured, once it is certain that all messages came.
template <class Pattern>
stream_window checked_stream(rig& with, const settings& of)
{
    const shared_state& state = with.state();
    const stream_window seen = watch_stream<Pattern>(with, of);
    const std::uint64_t due = state.sent * Pattern::copies(of);
    if (state.received != due) {
        fail(exit_status::failed, "%llu messages should have come, %llu came", static_cast<unsigned long long>(due),
             static_cast<unsigned long long>(state.received.load()));
    }
    if (seen.messages < 1 || seen.seconds <= 0) {
        fail(exit_status::failed, "too few messages came to tell a rate: measure for longer");
    }
    return seen;
}

// The same, with the results printed.
template <class Pattern>
void measure_stream(rig& with, const settings& of)
{
    print_stream<Pattern>(with, of, checked_stream<Pattern>(with, of));
}

}  // namespace bench
