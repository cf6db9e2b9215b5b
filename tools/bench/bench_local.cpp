// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The side that listens: echoes what is measured for latency, counts what is measured for throughput.
#include "bench/bench.hpp"

#include "bench/bench_report.hpp"

#include "support/failure.hpp"
#include "support/frame_list.hpp"
#include "support/precise_sleep.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool::bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int taken_at_once = 256;                   // messages between looks around
constexpr std::chrono::seconds longest_silence{10};  // of a sender; then another one may begin
constexpr std::chrono::seconds between_lines{1};

// What has come of one run.
class tally {
public:
    tally(const bench_run& run, bool round_trip)
        : one_clock_(!round_trip && run.latency && run.machine == this_machine() && !run.machine.empty()),
          warmup_(run.warmup_ms * 1'000'000),
          duration_(run.duration_ms * 1'000'000)
    {
        found_.run = run;
        found_.round_trip = round_trip;
    }

    void add(std::string_view octets)
    {
        const std::uint64_t now = monotonic_ns();
        std::uint64_t due = now;
        if (one_clock_ && octets.size() >= stamp_size) {
            std::memcpy(&due, octets.data(), stamp_size);
            due = std::min(due, now);
        }
        first_ = found_.received++ == 0 ? due : first_;
        last_ = now;
        const std::uint64_t since = now - first_;
        if (since >= warmup_ && since - warmup_ < duration_) {
            ++found_.measured;
            over_time_.add(since - warmup_);
        }
        if (one_clock_ && due >= first_ + warmup_) {
            found_.latency->add(now - due);
        }
    }

    std::uint64_t received() const noexcept { return found_.received; }
    const bench_run& run() const noexcept { return found_.run; }

    bench_count count() const
    {
        const std::uint64_t passed = last_ - first_;
        const std::uint64_t measured = std::min(duration_, passed > warmup_ ? passed - warmup_ : 0);
        return {found_.received, found_.measured, measured, over_time_.step_ns(), over_time_.counts()};
    }

    result finish(std::uint64_t sent)
    {
        const bench_count counted = count();
        found_.sent = sent;
        found_.seconds = double(counted.duration_ns) / 1e9;
        found_.step_ns = counted.step_ns;
        found_.over_time = counted.over_time;
        return std::move(found_);
    }

private:
    bool one_clock_;
    std::uint64_t warmup_;
    std::uint64_t duration_;
    std::uint64_t first_ = 0;
    std::uint64_t last_ = 0;
    timeline over_time_;
    result found_;
};

class listener {
public:
    explicit listener(const options& wanted)
        : options_(wanted),
          link_(wanted.wishes, wanted.how->local),
          live_(!wanted.wishes.quiet && isatty(STDERR_FILENO) == 1)
    {
        if (wanted.how->answers) {
            link_.own().set(ZMQ_SNDHWM, 0);  // ROUTER and REP would drop echoes at the mark
        }
        if (wanted.how->local == ZMQ_SUB) {
            link_.own().set(ZMQ_SUBSCRIBE, std::string_view(""));
        }
    }

    std::vector<result> run()
    {
        link_.open();
        while (!stop_signal::requested() && !done_) {
            link_.watch().read();
            link_.check_hope();
            int taken = 0;
            while (taken < taken_at_once && !done_ && incoming_.receive(link_.own().handle(), ZMQ_DONTWAIT)) {
                ++taken;
                take();
            }
            show();
            if (taken == 0) {
                sleep_until({{link_.own().handle(), ZMQ_POLLIN}, {link_.watch().handle(), ZMQ_POLLIN}},
                            live_ ? std::optional(clock::now() + between_lines) : std::nullopt);
            }
        }
        if (!link_.finish(options_.timeout)) {
            say("zlink: the peer did not take the last answer within {} ms\n", options_.timeout.count());
        }
        return std::move(results_);
    }

private:
    // Messages begin with the sender's routing id.
    bool addressed() const { return options_.how->local == ZMQ_ROUTER; }

    void take()
    {
        auto frames = incoming_.views();
        const std::string sender(addressed() && !frames.empty() ? frames[0] : "");
        frames = frames.subspan(addressed() && !frames.empty() ? 1 : 0);
        if (frames.size() == 3 && frames[0] == magic) {
            obey(sender, std::string(frames[1]), std::string(frames[2]));
        } else if (frames.size() == 1 && run_ && sender == owner_) {
            heard_ = clock::now();
            if (run_->received() == 0 && options_.wishes.verbose) {
                say("a run begins: {}, {} octets\n", run_->run().latency ? "latency" : "throughput", run_->run().size);
            }
            run_->add(frames[0]);
            const bool echo = options_.how->answers && (run_->run().latency || options_.how->local == ZMQ_REP);
            if (echo) {
                (void)incoming_.offer(link_.own().handle(), 0);
            }
        } else {
            complain();
        }
    }

    void complain()
    {
        if (options_.how->local == ZMQ_REP) {
            answer("", "busy", "");  // REP has to answer
        }
        if (!complained_) {
            say("zlink: something came that zlink bench did not send; it is left out\n");
            complained_ = true;
        }
    }

    void answer(const std::string& to, const char* verb, const std::string& text)
    {
        if (!options_.how->answers) {
            return;
        }
        message frames{std::string(magic), verb, text};
        if (addressed()) {
            frames.insert(frames.begin(), to);
        }
        (void)link_.own().offer(frames, 0);
    }

    void obey(const std::string& sender, const std::string& verb, const std::string& text)
    {
        const bool taken = run_ && sender != owner_ && clock::now() - heard_ < longest_silence;
        if (verb == "start" && !taken) {
            start(sender, text);
        } else if (verb == "end" && run_ && sender == owner_) {
            std::uint64_t sent = 0;
            std::from_chars(text.data(), text.data() + text.size(), sent);
            answer(sender, "count", encode(run_->count()));
            end(sent);
        } else if (verb == "bye" && !taken) {
            answer(sender, "bye", "");
            done_ = options_.once;
        } else {
            answer(sender, "busy", "");
        }
    }

    void start(const std::string& sender, const std::string& text)
    {
        const auto wanted = decode_run(text);
        if (!wanted || (wanted->latency && wanted->size < stamp_size)) {
            complain();
            return;
        }
        run_.emplace(*wanted, options_.how->answers);
        owner_ = sender;
        heard_ = clock::now();
        answer(sender, "ready", "");
    }

    void end(std::uint64_t sent)
    {
        result found = run_->finish(sent);
        run_.reset();
        if (!options_.wishes.quiet && !(options_.how->answers && found.run.latency)) {
            say("{}\n", summary(found));
        }
        if (!options_.how->answers) {
            results_.push_back(std::move(found));
        }
    }

    void show()
    {
        const auto now = clock::now();
        if (!live_ || !run_ || now - shown_ < between_lines) {
            return;
        }
        const double passed = std::chrono::duration<double>(now - shown_).count();
        say_live("{}, {} octets: {}/s, {} in all", run_->run().latency ? "latency" : "throughput", run_->run().size,
                 short_count(double(run_->received() - std::min(shown_count_, run_->received())) / passed),
                 grouped(run_->received()));
        shown_ = now;
        shown_count_ = run_->received();
    }

    const options& options_;
    command_socket link_;
    bool live_;
    bool done_ = false;
    bool complained_ = false;
    frame_list incoming_;
    std::string owner_;  // whose run it is
    std::optional<tally> run_;
    std::vector<result> results_;
    clock::time_point heard_ = clock::now();
    clock::time_point shown_ = clock::now();
    std::uint64_t shown_count_ = 0;
};

}  // namespace

std::vector<result> run_local(const options& wanted)
{
    return listener(wanted).run();
}

}  // namespace zlink::tool::bench
