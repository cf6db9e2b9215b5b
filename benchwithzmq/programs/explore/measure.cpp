// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See measure.hpp.
#include "explore/measure.hpp"

#include "explore/actors.hpp"
#include "explore/waiter.hpp"
#include "harness/clock.hpp"
#include "harness/fail.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace explore {

namespace {

using bench::now_ns;

constexpr std::uint64_t ms = 1'000'000;

const board* watched = nullptr;

struct totals {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t octets_sent = 0;
    std::uint64_t octets_received = 0;
    std::uint64_t work_ns = 0;
};

class controller {
public:
    controller(const workload& of, board& with, pid_t other) : of_(of), with_(with), other_(other) {}

    outcome run()
    {
        meet();
        const std::uint64_t start = now_ns() + 2 * ms;
        with_.start_ns = start;
        with_.from_ns = start + of_.warm_ms * ms;
        with_.until_ns = with_.from_ns + of_.measure_ms * ms;
        with_.now = phase::run;
        watch();
        with_.now = phase::stop;
        drain();
        read_latencies();
        return seen_;
    }

private:
    void pause(std::uint64_t ns)
    {
        bench::sleep_ns(ns);
        int status = 0;
        if (other_ != 0 && ::waitpid(other_, &status, WNOHANG) == other_) {
            bench::fail(bench::exit_status::failed, "the other process ended");
        }
    }

    // Backs that take anything: a subscriber to a topic that is not published takes nothing.
    [[nodiscard]] bool all_greeted() const
    {
        if (with_.met.load() < of_.front_threads) return false;
        for (unsigned i = 0; !of_.echo && i < of_.backs; ++i) {
            if (with_.greeted[i].load() == 0) return false;
        }
        return true;
    }

    [[nodiscard]] std::uint64_t greeted() const
    {
        std::uint64_t sum = 0;
        for (unsigned i = 0; i < of_.backs; ++i) sum += with_.greeted[i].load();
        return sum;
    }

    void meet()
    {
        while (!all_greeted()) pause(1 * ms);
        with_.now = phase::settle;
        if (of_.echo) return;
        // Greetings of publishers may have had no subscriber yet, so there is no telling how many are to come.
        std::uint64_t last = greeted();
        for (std::uint64_t quiet_since = now_ns(); now_ns() < quiet_since + 20 * ms;) {
            pause(2 * ms);
            if (greeted() == last && (of_.publishes() || last == with_.greetings.load())) continue;
            last = greeted();
            quiet_since = now_ns();
        }
    }

    [[nodiscard]] totals sum() const
    {
        totals sum;
        const auto add = [&sum](const tally& of, bool takes) {
            sum.sent += of.sent.load(std::memory_order_relaxed);
            if (takes) sum.received += of.received.load(std::memory_order_relaxed);
            sum.octets_sent += of.octets_sent.load(std::memory_order_relaxed);
            sum.octets_received += of.octets_received.load(std::memory_order_relaxed);
            sum.work_ns += of.work_ns.load(std::memory_order_relaxed);
        };
        for (unsigned i = 0; i < of_.front_threads; ++i) add(with_.front[i], of_.echo);
        for (unsigned i = 0; i < of_.back_threads; ++i) add(with_.back[i], !of_.echo);
        return sum;
    }

    // CPU time of the processes that are measured.
    [[nodiscard]] std::uint64_t cpu_ns() const
    {
        timespec own{};
        timespec others{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
        clockid_t clock{};
        if (other_ != 0 && ::clock_getcpuclockid(other_, &clock) == 0) ::clock_gettime(clock, &others);
        return static_cast<std::uint64_t>(own.tv_sec + others.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(own.tv_nsec + others.tv_nsec);
    }

    // Deliveries of one message, on average.
    [[nodiscard]] double copies() const
    {
        if (of_.topics == 0) return of_.copies(0);
        return static_cast<double>(of_.backs) / of_.topics;
    }

    void watch()
    {
        bench::sleep_until_ns(with_.from_ns);
        const std::uint64_t began = now_ns();
        const std::uint64_t cpu_before = cpu_ns();
        const totals before = sum();
        bench::sleep_until_ns(with_.until_ns);
        const std::uint64_t ended = now_ns();
        const totals after = sum();
        const std::uint64_t cpu_after = cpu_ns();
        seen_.seconds = static_cast<double>(ended - began) / 1e9;
        seen_.messages = static_cast<double>(after.received - before.received);
        seen_.cpu_ns =
            static_cast<double>(cpu_after - cpu_before) - static_cast<double>(after.work_ns - before.work_ns);
        // Half of a message's work is done where it is sent: queues that fill up in the window are not for nothing.
        const auto sent = static_cast<double>(after.sent - before.sent);
        seen_.moved = of_.loses() ? seen_.messages : (sent + seen_.messages) / 2;
        const auto arrived = static_cast<double>(of_.loses() ? after.sent : after.received);
        if (of_.load == load_kind::open) {
            const timetable times(of_, with_.start_ns);
            seen_.due = (times.due_by(ended) - times.due_by(began)) * copies();
            seen_.backlog = times.due_by(ended) * copies() - arrived;
        } else {
            seen_.backlog = static_cast<double>(after.sent) - static_cast<double>(after.received);
        }
    }

    void drain()
    {
        constexpr std::uint64_t patience = 2'000 * ms;
        const std::uint64_t quiet = of_.loses() ? 40 * ms : patience;
        totals last = sum();
        std::uint64_t since = now_ns();
        while (true) {
            const bool finished = with_.finished.load() == of_.front_threads;
            const totals now = sum();
            seen_.sent = now.sent;
            seen_.received = now.received;
            if (finished && now.received == now.sent) break;
            if (now.received != last.received || now.sent != last.sent ||
                (of_.loses() && !finished && now_ns() < since + patience)) {
                if (now.received != last.received || now.sent != last.sent) since = now_ns();
                last = now;
            } else if (now_ns() > since + quiet) {
                break;
            }
            pause(2 * ms);
        }
        const totals all = sum();
        if (!of_.loses() && all.received != all.sent) {
            seen_.reason =
                std::to_string(all.sent) + " messages should have come, " + std::to_string(all.received) + " came";
        } else if (has_plain_octets() && all.octets_sent != all.octets_received) {
            seen_.reason = "octets are missing";
        }
    }

    // What is received is what was sent, without routing ids and the like.
    [[nodiscard]] bool has_plain_octets() const
    {
        return !of_.echo && !of_.publishes() && !of_.addressed() && of_.back != ZMQ_ROUTER;
    }

    void read_latencies()
    {
        const tally* side = of_.echo ? with_.front : with_.back;
        const unsigned threads = of_.echo ? of_.front_threads : of_.back_threads;
        std::vector<std::uint64_t> counts(histogram::cells);
        for (unsigned thread = 0; thread < threads; ++thread) {
            for (unsigned cell = 0; cell < histogram::cells; ++cell) counts[cell] += side[thread].latencies.count(cell);
        }
        for (const std::uint64_t count : counts) seen_.samples += count;
        if (seen_.samples == 0) return;
        const auto percentile = [&](double share) {
            auto left = static_cast<std::uint64_t>(share * static_cast<double>(seen_.samples - 1)) + 1;
            for (unsigned cell = 0; cell < histogram::cells; ++cell) {
                if (counts[cell] >= left) return histogram::ns_of(cell);
                left -= counts[cell];
            }
            return 0.0;
        };
        seen_.p50_ns = percentile(0.5);
        seen_.p99_ns = percentile(0.99);
    }

    const workload& of_;
    board& with_;
    const pid_t other_;
    outcome seen_;
};

}  // namespace

outcome measure(const workload& of, board& with, pid_t other)
{
    return controller(of, with, other).run();
}

void print(const workload& of, const outcome& seen)
{
    const bool zlink = ::dlsym(RTLD_DEFAULT, "zlink_version") != nullptr;
    const bool kept_due = of.load == load_kind::open;
    std::printf("{\"status\": \"%s\", \"reason\": \"%s\", \"library\": \"%s\", \"poller\": %s, ",
                seen.reason.empty() ? "ok" : "failed", seen.reason.c_str(), zlink ? "zlink" : "libzmq",
                waiter::has_poller() ? "true" : "false");
    std::printf("\"throughput\": %.6g, \"seconds\": %.6g, \"messages\": %.0f, ", seen.messages / seen.seconds,
                seen.seconds, seen.messages);
    if (seen.moved > 0) std::printf("\"cpu_ns\": %.6g, ", seen.cpu_ns / seen.moved);
    if (kept_due) std::printf("\"due\": %.1f, ", seen.due);
    if (seen.samples > 0) std::printf("\"p50_us\": %.6g, \"p99_us\": %.6g, ", seen.p50_ns / 1e3, seen.p99_ns / 1e3);
    std::printf("\"samples\": %" PRIu64 ", \"backlog\": %.0f, \"sent\": %" PRIu64 ", \"received\": %" PRIu64 "}\n",
                seen.samples, seen.backlog, seen.sent, seen.received);
}

void watch_over(const board& with)
{
    watched = &with;
}

void tell_timeout()
{
    static constexpr const char* const names[] = {"meeting", "settling", "running", "stopping"};
    const char* const name = names[static_cast<unsigned>(watched->now.load())];
    const char before[] = "{\"status\": \"timeout\", \"reason\": \"out of time while ";
    const char after[] = "\"}\n";
    (void)!::write(STDOUT_FILENO, before, sizeof before - 1);
    (void)!::write(STDOUT_FILENO, name, std::strlen(name));
    (void)!::write(STDOUT_FILENO, after, sizeof after - 1);
}

}  // namespace explore
