// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The side that sends: it decides what is measured, when, and for how long.
#include "bench/bench.hpp"

#include "support/failure.hpp"
#include "support/frame_list.hpp"
#include "support/latency_text.hpp"
#include "support/precise_sleep.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool::bench {
namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

constexpr int look_every = 64;  // messages between looks at the clock
constexpr milliseconds between_looks{100};

clock::time_point moment_of(std::uint64_t monotonic)
{
    const auto from_now = std::int64_t(monotonic - monotonic_ns());
    return clock::now() + std::chrono::nanoseconds(from_now);
}

class sender {
public:
    explicit sender(const options& wanted)
        : options_(wanted),
          link_(wanted.wishes, wanted.how->remote),
          answers_(wanted.how->answers),
          live_(!wanted.wishes.quiet && isatty(STDERR_FILENO) == 1)
    {
        if (wanted.how->remote == ZMQ_XPUB) {
            const int wait_instead = 1;  // nothing is dropped at the high-water mark
            (void)zmq_setsockopt(link_.own().handle(), ZMQ_XPUB_NODROP, &wait_instead, sizeof wait_instead);
        }
    }

    std::vector<result> run()
    {
        link_.open();
        if (!link_.await_peer(options_.timeout)) {
            throw failure(fmt::format("no peer within {} ms; start 'zlink bench local' there, or check the endpoint{}",
                                      options_.timeout.count(), link_.watch().hint()));
        }
        await_subscription();
        std::vector<result> all;
        for (const bool latency : {false, true}) {
            for (const auto size : options_.sizes) {
                const bool wanted = latency ? options_.latency : options_.throughput;
                if (wanted && !stop_signal::requested()) {
                    all.push_back(run_one(latency, size));
                }
            }
        }
        tell("bye", "");
        if (!link_.finish(options_.timeout)) {
            throw failure(fmt::format("the peer did not take what was left within {} ms; the results are incomplete",
                                      options_.timeout.count()));
        }
        return answers_ ? std::move(all) : std::vector<result>();
    }

private:
    void await_subscription()
    {
        if (options_.how->remote == ZMQ_XPUB && !receive_within(options_.timeout)) {
            throw failure("the peer subscribes to nothing; start 'zlink bench local --pattern pub-sub' there");
        }
    }

    bool receive_within(milliseconds limit)
    {
        const auto end = clock::now() + limit;
        while (!stop_signal::requested()) {
            if (incoming_.receive(link_.own().handle(), ZMQ_DONTWAIT)) {
                return true;
            }
            link_.watch().read();
            link_.check_hope();
            if (clock::now() >= end) {
                return false;
            }
            sleep_until({{link_.own().handle(), ZMQ_POLLIN}, {link_.watch().handle(), ZMQ_POLLIN}}, end);
        }
        return false;
    }

    // Sends it as soon as there is room.
    void tell(const char* verb, const std::string& text)
    {
        const auto end = clock::now() + options_.timeout;
        while (!link_.own().send({std::string(magic), verb, text}, ZMQ_DONTWAIT) && clock::now() < end &&
               !stop_signal::requested()) {
            sleep_until({{link_.own().handle(), ZMQ_POLLOUT}}, clock::now() + between_looks);
        }
        if (answers_ && std::strcmp(verb, "bye") == 0) {
            (void)await("bye");
        }
    }

    // The text of the answer; echoes that are late are passed over.
    std::string await(const char* verb)
    {
        while (receive_within(options_.timeout)) {
            const auto frames = incoming_.views();
            if (frames.size() != 3 || frames[0] != magic) {
                continue;
            }
            if (frames[1] == "busy") {
                throw failure("the other side is measuring for someone else; try again when that has ended");
            }
            if (frames[1] == verb) {
                return std::string(frames[2]);
            }
        }
        if (stop_signal::requested()) {
            throw failure("stopped: the results are incomplete");
        }
        throw failure(fmt::format("no answer within {} ms; start 'zlink bench local --pattern {}' there, or give it "
                                  "longer with --timeout{}",
                                  options_.timeout.count(), options_.how->name, link_.watch().hint()));
    }

    result run_one(bool latency, std::size_t size)
    {
        result found;
        found.run = {latency,
                     size,
                     latency ? options_.rate : 0,
                     std::uint64_t(options_.warmup.count()),
                     std::uint64_t(options_.duration.count()),
                     this_machine()};
        found.round_trip = answers_;
        tell("start", encode(found.run));
        if (answers_) {
            await("ready");
        }
        payload_.assign(size, 'z');
        latency ? send_at_rate(found) : send_all(found);
        tell("end", std::to_string(found.sent));
        if (answers_) {
            take_count(found, await("count"));
        } else if (!options_.wishes.quiet) {
            say("sent {} of {} octets; the other side has the results\n", messages(found.sent), size);
        }
        return found;
    }

    // What the local side has counted; of latencies this side knows all.
    static void take_count(result& found, const std::string& text)
    {
        const auto count = decode_count(text);
        if (!count) {
            throw failure("the other side's answer is not one of zlink bench; use the same version on both sides");
        }
        if (!found.run.latency) {
            found.received = count->received;
            found.measured = count->measured;
            found.seconds = double(count->duration_ns) / 1e9;
            found.step_ns = count->step_ns;
            found.over_time = count->over_time;
        }
    }

    bool offer()
    {
        if (zmq_send(link_.own().handle(), payload_.data(), payload_.size(), ZMQ_DONTWAIT) >= 0) {
            return true;
        }
        const int error = zmq_errno();
        if (error != EAGAIN && error != EINTR && error != EFSM) {
            throw failure(fmt::format("sending failed: {}", zmq_strerror(error)));
        }
        return false;
    }

    // As fast as the socket takes them.
    void send_all(result& found)
    {
        const auto end = clock::now() + options_.warmup + options_.duration;
        auto moved = clock::now();
        for (auto now = moved; now < end && !stop_signal::requested(); now = clock::now()) {
            int taken = 0;
            while (taken < look_every && offer()) {
                ++taken;
            }
            found.sent += std::uint64_t(taken);
            show(now, found);
            if (taken == look_every) {
                moved = now;
                continue;
            }
            moved = taken > 0 ? now : moved;
            link_.watch().read();
            link_.check_hope();
            check_progress(now - moved, found);
            sleep_until({{link_.own().handle(), ZMQ_POLLOUT}, {link_.watch().handle(), ZMQ_POLLIN}},
                        std::min(end, now + between_looks));
        }
    }

    void check_progress(clock::duration idle, const result& found)
    {
        if (idle > options_.timeout) {
            throw failure(fmt::format("the peer took nothing for {} ms, after {}; is it still there? --timeout gives "
                                      "it longer{}",
                                      options_.timeout.count(), messages(found.sent), link_.watch().hint()));
        }
    }

    // Message n is due at n/rate, whatever became of those before it; its latency counts from then on.
    void send_at_rate(result& found)
    {
        const double step = 1e9 / options_.rate;
        const double whole = double((options_.warmup + options_.duration).count()) * options_.rate / 1000;
        const auto total = std::max<std::uint64_t>(1, std::uint64_t(std::llround(whole)));
        const std::uint64_t start = monotonic_ns() + 1'000'000;
        const std::uint64_t measured_from = start + std::uint64_t(options_.warmup.count()) * 1'000'000;
        const bool lockstep = options_.how->remote == ZMQ_REQ;
        timeline over_time;
        const auto due = [&](std::uint64_t n) { return start + std::uint64_t(double(n) * step); };
        auto moved = clock::now();
        while (!stop_signal::requested()) {
            bool blocked = false;
            const std::uint64_t before = found.sent + found.received;
            for (int left = look_every; left > 0 && found.sent < total && !blocked; --left) {
                const std::uint64_t now = monotonic_ns();
                const std::uint64_t planned = due(found.sent);
                if (planned > now || (lockstep && found.sent > found.received)) {
                    break;
                }
                std::memcpy(payload_.data(), &planned, stamp_size);
                blocked = !offer();
                if (!blocked) {
                    ++found.sent;
                    if (planned >= measured_from) found.lag->add(now - planned);
                }
            }
            while (answers_ && (!lockstep || found.sent > found.received) &&
                   incoming_.receive(link_.own().handle(), ZMQ_DONTWAIT)) {
                take_echo(found, start, measured_from, over_time);
            }
            const auto now = clock::now();
            show(now, found);
            moved = found.sent + found.received != before ? now : moved;
            if (found.sent == total && (!answers_ || found.received == found.sent || now - moved > options_.timeout)) {
                break;
            }
            link_.watch().read();
            link_.check_hope();
            if (blocked || lockstep) {
                check_progress(now - moved, found);
            }
            const short events = blocked ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN;
            const bool waits = blocked || found.sent == total || (lockstep && found.sent > found.received);
            if (waits || due(found.sent) > monotonic_ns()) {
                sleep_until({{link_.own().handle(), events}, {link_.watch().handle(), ZMQ_POLLIN}},
                            waits ? now + between_looks : std::min(moment_of(due(found.sent)), now + between_looks));
            }
        }
        found.seconds = double(options_.duration.count()) / 1000;
        found.step_ns = over_time.step_ns();
        found.over_time = over_time.counts();
    }

    void take_echo(result& found, std::uint64_t start, std::uint64_t measured_from, timeline& over_time)
    {
        const auto frames = incoming_.views();
        const std::uint64_t now = monotonic_ns();
        std::uint64_t planned = 0;
        if (frames.size() != 1 || frames[0].size() != payload_.size()) {
            return;
        }
        std::memcpy(&planned, frames[0].data(), stamp_size);
        if (planned < start || planned > now) {
            return;  // not of this run
        }
        ++found.received;
        if (planned >= measured_from) {
            ++found.measured;
            found.latency->add(now - planned);
            over_time.add(now - measured_from);
        }
    }

    // One line, once a second.
    void show(clock::time_point now, const result& found)
    {
        if (!live_ || now - shown_ < std::chrono::seconds(1)) {
            return;
        }
        if (found.run.latency) {
            say_live(
                "latency, {} octets: {} of {} sent, {} answered, p99 {}", found.run.size, grouped(found.sent),
                grouped(std::uint64_t(double((options_.warmup + options_.duration).count()) * options_.rate / 1000)),
                grouped(found.received), time_text(found.latency->percentile(0.99)));
        } else {
            const double passed = std::chrono::duration<double>(now - shown_).count();
            say_live("throughput, {} octets: {}/s sent, {} in all", found.run.size,
                     short_count(double(found.sent - std::min(shown_sent_, found.sent)) / passed), grouped(found.sent));
        }
        shown_ = now;
        shown_sent_ = found.sent;
    }

    const options& options_;
    command_socket link_;
    bool answers_;
    bool live_;
    frame_list incoming_;
    std::string payload_;
    clock::time_point shown_ = clock::now();
    std::uint64_t shown_sent_ = 0;
};

}  // namespace

std::vector<result> run_remote(const options& wanted)
{
    return sender(wanted).run();
}

}  // namespace zlink::tool::bench
