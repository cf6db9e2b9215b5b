// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Runs the ends of a measurement, two or three: threads of this process, or this process and forked ones
// (BENCH_TWO_PROCESS). BENCH_END_CORES pins each to a core; BENCH_SHARED_CORE gives them a busy process as a neighbour,
// which ends with them. A watchdog ends the program when nothing moves for ten seconds, so that no broken library makes
// it hang.
#pragma once

#include "harness/clock.hpp"
#include "harness/samples.hpp"
#include "harness/settings.hpp"

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

namespace bench {

// Time, and the CPU time of this process up to then.
struct moment {
    std::uint64_t time = 0;
    usage used;

    [[nodiscard]] static moment now() { return {now_ns(), own_usage()}; }
};

// What the ends, and the observer that measures, share; it may lie in memory of two processes. Each counter has cache
// lines of its own and one writer.
struct shared_state {
    alignas(128) std::atomic<std::uint64_t> sent{0};      // by the sender
    alignas(128) std::atomic<std::uint64_t> received{0};  // by the receiver; of a ping-pong, the turns
    alignas(128) std::atomic<bool> stop{false};           // by the observer: send no more

    alignas(128) std::atomic<std::uint32_t> steps{0};  // anything else that moved, for the watchdog
    std::atomic<bool> endpoint_known[2]{};
    std::atomic<bool> met{false};  // every receiver has heard from its sender
    std::atomic<bool> sender_finished{false};
    std::atomic<bool> receiver_finished{false};
    moment receiver_marks[2];                // the first and the last message to be counted, if their number is given,
    moment sender_marks[2];                  // as the receiver and the sender saw them; valid once they have finished
    std::atomic<std::uint64_t> start{0};     // when the first message is due, where they have a timetable
    std::atomic<std::uint64_t> timer_ns{0};  // CPU time that waiting for it took, by estimate
    std::atomic<std::uint64_t> skipped{0};   // samples at the front that are warm-up
    char endpoint[2][256]{};

    static constexpr std::size_t stamps = 4096;
    std::atomic<std::uint64_t> stamp[stamps]{};  // when message i was sent, at i % stamps
    sample_log samples;
};

// Values of one moment.
struct observation {
    std::uint64_t time;
    std::uint64_t received;
    usage used;  // by all processes of the measurement
};

class rig {
public:
    explicit rig(const settings& of);
    ~rig();
    rig(const rig&) = delete;
    rig& operator=(const rig&) = delete;

    [[nodiscard]] shared_state& state() { return *state_; }

    // Runs `send(Context&)` and `receive(Context&)` on a thread each while this thread runs `observe()`; returns when
    // all three are done. Both ends have the same context, unless they are two processes.
    template <class Context, class Send, class Receive, class Observe>
    void run(Send send, Receive receive, Observe observe);

    // The same with any number of ends besides the sender, a process each where there are processes; they say
    // themselves when they have finished.
    template <class Context, class Send, class Observe, class... Others>
    void run_ends(Send send, Observe observe, Others... others);

    // The same with one end alone, that drives both sides.
    template <class Context, class Both>
    void run_alone(Both both);

    // For observe().
    [[nodiscard]] observation look();
    void wait_until(std::uint64_t time);
    template <class Condition>
    void wait_for(Condition condition, std::uint64_t pause_ns = 1'000'000);

    // For the ends: the binder tells, the other one waits. There may be two endpoints, 0 and 1.
    void tell_endpoint(const std::string& endpoint, std::size_t which = 0);
    [[nodiscard]] std::string await_endpoint(std::size_t which = 0);

private:
    // The calling thread, and those that it or a library starts from it from now on; -1 leaves it as it is.
    static void pin_to(int core);
    void reset();
    bool fork_end();  // true in the child
    template <class Context, class End>
    [[noreturn]] void be_end(End end);
    void serve_parent();
    void dismiss_children();
    void start_stranger();
    void end_stranger();
    void watch();
    [[nodiscard]] std::uint64_t progress() const;
    void check_children();

    struct process {
        std::atomic<pid_t> id{0};  // 0: none; set by run(), read by the watchdog
        int control = -1;          // stream socket to it
    };

    const settings& settings_;
    shared_state* state_;
    process children_[2];
    pid_t stranger_ = 0;
    int parent_ = -1;  // in a child: stream socket to the parent
    std::atomic<bool> over_{false};
    std::thread watchdog_;
};

template <class Condition>
void rig::wait_for(Condition condition, std::uint64_t pause_ns)
{
    while (!condition()) sleep_ns(pause_ns);
    state_->steps.fetch_add(1);
}

template <class Context, class Send, class Receive, class Observe>
void rig::run(Send send, Receive receive, Observe observe)
{
    run_ends<Context>(send, observe, [&](Context& context) {
        receive(context);
        state_->receiver_finished = true;
    });
}

template <class Context, class Send, class Observe, class... Others>
void rig::run_ends(Send send, Observe observe, Others... others)
{
    reset();
    const auto fork_for = [&](auto& end) {
        if (fork_end()) be_end<Context>(end);
    };
    if (settings_.two_process) (fork_for(others), ...);
    {
        Context context(settings_);
        std::array<std::thread, sizeof...(Others)> threads;
        auto next = threads.begin();
        const auto start = [&](auto& end) {
            *next++ = std::thread([&] {
                pin_to(settings_.receiver_core);
                end(context);
            });
        };
        if (!settings_.two_process) (start(others), ...);
        std::thread sender([&] {
            pin_to(settings_.sender_core);
            send(context);
            state_->sender_finished = true;
        });
        observe();
        sender.join();
        for (std::thread& thread : threads) {
            if (thread.joinable()) thread.join();
        }
        state_->steps.fetch_add(1);
    }
    dismiss_children();
    state_->steps.fetch_add(1);
}

template <class Context, class Both>
void rig::run_alone(Both both)
{
    reset();
    Context context(settings_);
    both(context);
    state_->steps.fetch_add(1);
}

template <class Context, class End>
void rig::be_end(End end)
{
    pin_to(settings_.receiver_core);
    {
        Context context(settings_);
        std::thread thread([&] { end(context); });
        serve_parent();
        thread.join();
    }
    std::_Exit(0);
}

}  // namespace bench
