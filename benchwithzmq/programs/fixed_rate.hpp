// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An open loop: messages leave a DEALER when they are due, at a fixed rate, whatever became of those before. A ROUTER
// takes them in (one way) or sends them back (echo). Latency counts from when a message was due, not from when it was
// sent.
#pragma once

#include "harness/latency.hpp"
#include "harness/throughput.hpp"
#include "many_dealers.hpp"
#include "timetable.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace bench {

struct fixed_rate_pattern : pattern_defaults {
    static constexpr const char* name = "FIXED_RATE";
    using context = zmq_context;
    using sender = dealers;
    using receiver = crowd_router;
};

class rate_sender {
public:
    rate_sender(rig& with, zmq_context& context, const settings& of)
        : with_(with),
          state_(with.state()),
          settings_(of),
          dealer_(context, of),
          out_(of.size),
          in_(of.size)
    {
        join<fixed_rate_pattern>(with, dealer_, true);
        greet<fixed_rate_pattern>(with, of, dealer_, in_);
    }

    void run()
    {
        ::prctl(PR_SET_TIMERSLACK, 1);
        state_.samples.warm_up();
        const double timer_cost = timer_cost_ns(settings_.rate);
        const std::uint64_t start = now_ns() + 1'000'000;
        const timetable times(settings_, start);
        state_.start.store(start);
        settings_.echo ? converse(times) : stream(times);
        state_.timer_ns.store(static_cast<std::uint64_t>(timer_cost * static_cast<double>(turns_)));
        finish<fixed_rate_pattern>(with_, dealer_, settings_.size);
    }

private:
    [[nodiscard]] bool stopped() const { return state_.stop.load(std::memory_order_relaxed); }

    void sent_one() { state_.sent.store(++sent_, std::memory_order_relaxed); }

    void stream(const timetable& times)
    {
        std::uint64_t turn = 0;  // when the last sleep was to end
        while (!stopped()) {
            std::uint64_t now = now_ns();
            if (times.due(sent_) > now) {
                turn = std::max(times.due(sent_), turn + shortest_turn_ns);
                sleep_until_ns(turn);
                now = now_ns();
                if (times.measured(now)) ++turns_;
            }
            while (times.due(sent_) <= now && !stopped()) {
                out_.number(sent_);
                bench::send(dealer_.socket(0), out_.data(), settings_.size);
                sent_one();
            }
        }
    }

    // Never waits in a send: where the ROUTER waits for this end to take replies in, both would wait for ever.
    void converse(const timetable& times)
    {
        while (!stopped() || received_ < sent_) {
            const std::uint64_t now = now_ns();
            const bool full = !stopped() && !send_due(times, now);
            const bool more = take_replies(times);
            if (more || (!full && !stopped() && times.due(sent_) <= now)) continue;
            wait(times, now, full);
        }
    }

    // A share of what is due, so that replies are not left lying. False if the queue has no room.
    bool send_due(const timetable& times, std::uint64_t now)
    {
        for (unsigned left = share; left > 0 && times.due(sent_) <= now; --left) {
            out_.number(sent_);
            if (!try_send(dealer_.socket(0), out_.data(), settings_.size)) return false;
            sent_one();
        }
        return true;
    }

    // True if there may be more.
    bool take_replies(const timetable& times)
    {
        for (unsigned left = share; left > 0; --left) {
            const std::optional<std::size_t> got = try_receive(dealer_.socket(0), in_);
            if (!got) return false;
            if (*got != settings_.size) [[unlikely]]
                fail_size(*got, settings_.size);
            if (!in_.holds(received_)) [[unlikely]]
                fail_message(in_, *got, received_);
            if (times.timed(received_)) (void)state_.samples.add(now_ns() - times.due(received_));
            state_.received.store(++received_, std::memory_order_relaxed);
        }
        return true;
    }

    void wait(const timetable& times, std::uint64_t now, bool full)
    {
        if (timer_.when() <= now) {
            const std::uint64_t next = std::max(times.due(sent_), timer_.when() + shortest_turn_ns);
            timer_.set(next > now ? next : now + shortest_turn_ns);
            if (times.measured(now)) ++turns_;
        }
        const auto events = static_cast<short>(full ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN);
        zmq_pollitem_t items[] = {{dealer_.socket(0).get(), 0, events, 0},
                                  {nullptr, timer_.descriptor(), ZMQ_POLLIN, 0}};
        if (zmq_poll(items, 2, -1) < 0 && zmq_errno() != EINTR) fail_call("zmq_poll");
    }

    static constexpr unsigned share = 64;

    rig& with_;
    shared_state& state_;
    const settings& settings_;
    dealers dealer_;
    payload out_;
    inbox in_;
    timer timer_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t turns_ = 0;  // that the timer ended while it was measured
};

// The ROUTER's side.
inline void take_in(rig& with, zmq_context& context, const settings& of)
{
    shared_state& state = with.state();
    crowd_router router(context, of);
    inbox in(of.size);
    join<fixed_rate_pattern>(with, router, false);
    await_hellos<fixed_rate_pattern>(with, router, of.size, in);
    std::optional<timetable> times;
    std::uint64_t received = 0;
    while (true) {
        const std::size_t got = router.receive(in);
        if (got != of.size) [[unlikely]] {
            if (is_end(router, got, of.size)) return;
            continue;
        }
        if (of.echo) {
            router.send(in.message(), got);
            continue;
        }
        if (!times) times.emplace(of, state.start.load());
        if (!in.holds(received)) [[unlikely]]
            fail_message(in, got, received);
        if (times->timed(received)) (void)state.samples.add(now_ns() - times->due(received));
        state.received.store(++received, std::memory_order_relaxed);
    }
}

// What became of a rate.
struct rate_seen {
    double messages;  // that arrived (one way) or came back (echo) while it was measured
    double share;     // of those that were due then
    bool kept;        // in the end no more were due than 1 % of them, or those of 20 ms
    usage used;
    double timer_ns;  // of it, by estimate, for the sender's sleep
};

inline rate_seen watch_rate(rig& with, const settings& of)
{
    shared_state& state = with.state();
    with.wait_for([&] { return state.start.load() != 0; });
    const timetable times(of, state.start);
    with.wait_until(times.from());
    const observation first = with.look();
    with.wait_until(times.until());
    const observation last = with.look();
    state.stop = true;
    with.wait_for([&] { return state.receiver_finished.load() && state.sender_finished.load(); });
    if (state.sent != state.received) {
        fail(exit_status::failed, "%llu messages should have come, %llu came",
             static_cast<unsigned long long>(state.sent), static_cast<unsigned long long>(state.received));
    }
    const auto done = static_cast<double>(last.received - first.received);
    const double due = times.due_by(last.time) - times.due_by(first.time);
    const double late = times.due_by(last.time) - static_cast<double>(last.received);
    const double most_late = std::max({0.01 * due, 0.02 * static_cast<double>(of.rate), 2.0});
    return {done, std::min(done / due, 1.0), late <= most_late, last.used.since(first.used),
            static_cast<double>(state.timer_ns)};
}

inline rate_seen run_at_rate(rig& with, const settings& of)
{
    rate_seen seen{};
    with.run<zmq_context>([&](zmq_context& context) { rate_sender(with, context, of).run(); },
                          [&](zmq_context& context) { take_in(with, context, of); },
                          [&] { seen = watch_rate(with, of); });
    return seen;
}

// The settings of a program that measures rates.
inline settings parse_rate_settings(int argc, char** argv)
{
    settings of = parse_settings(argc, argv, {.two_process = true});
    if (of.msg_count > 0) {
        fail(exit_status::usage, "BENCH_MSG_COUNT does not go with a rate: BENCH_SECONDS says how long to measure");
    }
    of.peers = 1;  // BENCH_PEERS is of other patterns
    return of;
}

}  // namespace bench
