// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See actors.hpp. The asking actors are in ask.cpp.
#include "explore/actors.hpp"

#include "explore/line.hpp"
#include "explore/waiter.hpp"
#include "harness/clock.hpp"

#include <sys/prctl.h>

#include <algorithm>

namespace explore {

namespace {

using bench::now_ns;

class sender {
public:
    sender(const workload& of, board& with, const post& at)
        : of_(of),
          with_(with),
          at_(at),
          mine_(with.front[at.thread]),
          out_(of, at.thread)
    {}

    void run()
    {
        meet();
        await_start(with_);
        if (of_.load == load_kind::open)
            keep_time();
        else
            flood();
    }

private:
    // A greeting's stamp is the number of the front, and one. Publishers repeat it until it was seen; those that have
    // several backs go on until all have one.
    void meet()
    {
        std::vector<bool> greeted(at_.sockets.size(), false);
        bool told = false;
        while (with_.now.load() == phase::meet) {
            for (unsigned i = 0; i < at_.sockets.size(); ++i) {
                const bool seen = with_.seen[at_.numbers[i]].load(std::memory_order_relaxed);
                if (of_.publishes()) greeted[i] = seen;
                if (greeted[i] && of_.backs == 1) continue;
                if (greet(i) && !of_.publishes()) greeted[i] = true;
            }
            if (!told && std::find(greeted.begin(), greeted.end(), false) == greeted.end()) {
                told = true;
                with_.met.fetch_add(1);
            }
            bench::sleep_ns(2'000'000);
        }
    }

    bool greet(unsigned i)
    {
        const unsigned ways = of_.addressed() ? of_.backs : std::max(of_.topics, 1U);
        bool all = true;
        for (unsigned way = 0; way < ways; ++way) {
            if (of_.addressed() && with_.greeted[way].load() > 0) continue;
            const std::uint64_t stamp = at_.numbers[i] + 1;
            const bool sent = out_.send(at_.sockets[i], way, way, stamp, ZMQ_DONTWAIT);
            if (sent) with_.greetings.fetch_add(1);
            all = all && sent;
        }
        return all;
    }

    // Waits for room. False if the context ends.
    bool send_one(std::uint64_t due)
    {
        if (!out_.send(at_.sockets[socket_], peer_, topic_, due, 0)) return false;
        tally::add(mine_.sent, of_.copies(topic_));
        tally::add(mine_.octets_sent, out_.last_octets());
        if (++socket_ == at_.sockets.size()) socket_ = 0;
        if (++peer_ == of_.backs) peer_ = 0;
        if (++topic_ >= of_.topics) topic_ = 0;
        if (of_.think_us > 0) compute(of_.think_us, mine_);
        return true;
    }

    void flood()
    {
        while (!with_.stopping() && send_one(now_ns())) {
        }
    }

    void keep_time()
    {
        const timetable times(of_, with_.start_ns);
        std::uint64_t turn = 0;  // when the last sleep was to end
        std::uint64_t next = at_.thread;
        while (!with_.stopping()) {
            const std::uint64_t due = times.due(next);
            if (due >= with_.until_ns) return;
            if (due > now_ns()) {
                turn = std::max(due, turn + shortest_turn_ns);
                bench::sleep_until_ns(turn);
                continue;
            }
            if (!send_one(due)) return;
            next += of_.front_threads;
        }
    }

    const workload& of_;
    board& with_;
    const post& at_;
    tally& mine_;
    outbox out_;
    unsigned socket_ = 0;
    unsigned peer_ = 0;
    unsigned topic_ = 0;
};

class taker {
public:
    taker(const workload& of, board& with, const post& at)
        : of_(of),
          with_(with),
          at_(at),
          mine_(with.back[at.thread]),
          in_(of)
    {}

    void run()
    {
        if (of_.wait == wait_kind::receive) {
            while (in_.take(at_.sockets[0], 0) && handle(0)) {
            }
            return;
        }
        waiter waits(of_, at_.sockets, at_.guest, false);
        while (waits.wait(-1)) {
            for (const unsigned i : waits.ready()) {
                for (unsigned left = of_.take; left > 0 && in_.take(at_.sockets[i], ZMQ_DONTWAIT); --left) {
                    if (!handle(i)) return;
                    if (of_.echo) waits.sent_to(i);
                }
            }
        }
    }

private:
    // False if the context ends.
    bool handle(unsigned i)
    {
        const unsigned number = at_.numbers[i];
        const bool running = with_.running();
        if (!of_.echo) take(number, running, in_.due());
        if (running && !with_.stopping() && (number == 0 || !of_.slow_first)) labour();
        return !of_.echo || in_.send_back(at_.sockets[i]);
    }

    void take(unsigned number, bool running, std::uint64_t stamp)
    {
        // A number and no time; it may come late, held up by a small buffer behind a proxy.
        const bool is_greeting = stamp > 0 && stamp <= of_.fronts;
        if (running && !is_greeting) return count(stamp);
        if (is_greeting) with_.seen[stamp - 1].store(true, std::memory_order_relaxed);
        with_.greeted[number].fetch_add(1);
    }

    void count(std::uint64_t due)
    {
        if (due != 0 && with_.measured(due)) mine_.latencies.add(now_ns() - due);
        tally::add(mine_.octets_received, in_.octets());
        tally::add(mine_.received, 1);
    }

    void labour()
    {
        if (of_.work_us > 0) compute(of_.work_us, mine_);
        if (of_.nap_every > 0 && ++since_nap_ >= of_.nap_every) {
            since_nap_ = 0;
            bench::sleep_ns(std::uint64_t{1000} * of_.nap_us);
        }
    }

    const workload& of_;
    board& with_;
    const post& at_;
    tally& mine_;
    inbox in_;
    unsigned since_nap_ = 0;
};

}  // namespace

void await_start(const board& with)
{
    while (!with.running()) bench::sleep_ns(200'000);
    bench::sleep_until_ns(with.start_ns);
}

void compute(unsigned us, tally& mine)
{
    constexpr unsigned steps_a_us =
        700;  // of some 1.4 ns: a multiplication that waits for the one before, and an addition
    const std::uint64_t before = bench::thread_cpu_ns();
    std::uint64_t value = before | 1;
    for (unsigned left = us * steps_a_us; left > 0; --left) {
        value = value * 6364136223846793005ULL + 1;
        asm volatile("" : "+r"(value));
    }
    tally::add(mine.work_ns, bench::thread_cpu_ns() - before);
}

void send_one_way(const workload& of, board& with, const post& at)
{
    ::prctl(PR_SET_TIMERSLACK, 1);
    sender(of, with, at).run();
    with.finished.fetch_add(1);
}

void take_in(const workload& of, board& with, const post& at)
{
    taker(of, with, at).run();
}

}  // namespace explore
