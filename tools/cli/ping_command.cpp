// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink ping: sends a request at each interval, whatever became of those before, and prints what comes back.
#include "cli/command.hpp"
#include "cli/command_socket.hpp"
#include "cli/farewell.hpp"

#include "pure/ping_ledger.hpp"
#include "support/failure.hpp"
#include "support/frame_list.hpp"
#include "support/json_text.hpp"
#include "support/latency_text.hpp"
#include "support/precise_sleep.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds look_around{100};

struct ping_options {
    socket_wishes wishes;
    std::string endpoint;
    std::optional<std::uint64_t> count;
    std::string typed_size = "64";
    std::string typed_interval = "1s";
    std::string typed_timeout = "5s";
    std::size_t size = 64;
    milliseconds interval{1000};
    milliseconds timeout{5000};
    bool json = false;
};

std::uint64_t nanoseconds(clock::time_point time)
{
    return std::uint64_t(std::chrono::nanoseconds(time.time_since_epoch()).count());
}

// Sends what came back to where it came from, for every pattern of frames.
exit_status answer_pings(const ping_options& options)
{
    command_socket link(options.wishes, ZMQ_ROUTER);
    link.own().set(ZMQ_SNDHWM, 0);
    link.open();
    frame_list frames;
    std::uint64_t answered = 0;
    while (!stop_signal::requested() && (!options.count || answered < *options.count)) {
        link.watch().read();
        while (frames.receive(link.own().handle(), ZMQ_DONTWAIT)) {
            answered += frames.offer(link.own().handle(), ZMQ_DONTWAIT) == sending::done ? 1 : 0;
        }
        if (!options.count || answered < *options.count) {
            sleep_until({{link.own().handle(), ZMQ_POLLIN}, {link.watch().handle(), ZMQ_POLLIN}}, std::nullopt);
        }
    }
    if (!options.wishes.quiet) {
        say("answered {}\n", messages(answered));
    }
    if (!link.finish(milliseconds(1000))) {
        leave(0);
    }
    return exit_status::success;
}

class pinger {
public:
    explicit pinger(const ping_options& options)
        : options_(options),
          link_(options.wishes, ZMQ_DEALER),
          ledger_(options.size, std::uint64_t(getpid()) ^ nanoseconds(clock::now()))
    {}

    exit_status run()
    {
        link_.open();
        if (!link_.await_peer(options_.timeout) && !stop_signal::requested()) {
            throw failure(fmt::format("no peer at {} within {} ms; start 'zlink ping --bind' there, or check the "
                                      "endpoint{}",
                                      options_.endpoint, options_.timeout.count(), link_.watch().hint()));
        }
        auto due = clock::now();
        while (!stop_signal::requested() && !finished()) {
            const auto now = clock::now();
            if (now >= due && may_send()) {
                send(now);
                due += options_.interval;
            }
            receive();
            lose(now);
            link_.watch().read();
            link_.check_hope();
            if (!finished()) {
                sleep_until({{link_.own().handle(), ZMQ_POLLIN}, {link_.watch().handle(), ZMQ_POLLIN}},
                            may_send() ? std::min(due, now + look_around) : now + look_around);
            }
        }
        return report();
    }

private:
    bool wants_more() const { return !options_.count || ledger_.sent() < *options_.count; }
    // At an interval of 0, each ping waits for the answer to the one before.
    bool may_send() const { return wants_more() && (options_.interval.count() > 0 || ledger_.under_way() == 0); }
    bool finished() const { return !wants_more() && ledger_.under_way() == 0; }

    void send(clock::time_point now)
    {
        // As REQ does: an empty frame before the request.
        (void)link_.own().send({"", ledger_.send(nanoseconds(now))}, ZMQ_DONTWAIT);
    }

    void receive()
    {
        while (frames_.receive(link_.own().handle(), ZMQ_DONTWAIT)) {
            const auto views = frames_.views();
            const auto payload = views.empty() ? std::string_view() : views.back();
            const auto answer = ledger_.receive(payload, nanoseconds(clock::now()));
            if (answer && !options_.json && !options_.wishes.quiet) {
                fmt::print("{} octets from {}: number {}, {}{}\n", payload.size(), options_.endpoint, answer->number,
                           time_text(answer->took), answer->same ? "" : ", with other contents than were sent");
                std::fflush(stdout);
            }
        }
    }

    void lose(clock::time_point now)
    {
        while (const auto number = ledger_.lose_before(nanoseconds(now - options_.timeout))) {
            if (!options_.wishes.quiet) {
                say("number {}: no answer within {} ms{}\n", *number, options_.timeout.count(), link_.watch().hint());
            }
        }
    }

    exit_status report() const
    {
        const auto& times = ledger_.times();
        const std::uint64_t lost = ledger_.lost();
        if (options_.json) {
            fmt::print("{{\"endpoint\": {}, \"size\": {}, \"sent\": {}, \"answered\": {}, \"lost\": {}, "
                       "\"round_trip\": {{{}}}}}\n",
                       json_text(options_.endpoint), options_.size, ledger_.sent(), times.count(), lost,
                       json_percentiles(times));
        } else {
            fmt::print("{} sent, {} answered, {} lost\n", grouped(ledger_.sent()), grouped(times.count()),
                       grouped(lost));
            if (times.count() > 0) {
                fmt::print("{}\n{}", percentile_line(times), histogram_text(times));
            }
        }
        // At Ctrl-C, an answer may be under way still.
        return lost == 0 && (times.count() > 0 || ledger_.sent() == 0) ? exit_status::success : exit_status::failed;
    }

    const ping_options& options_;
    command_socket link_;
    ping_ledger ledger_;
    frame_list frames_;
};

exit_status run_ping(ping_options& options)
{
    const bool listens = !options.wishes.bind.empty();
    if (listens == !options.endpoint.empty()) {
        throw usage_failure(listens
                                ? "give an endpoint to ping or --bind, not both"
                                : "ping needs an endpoint, like tcp://127.0.0.1:5555; or --bind ENDPOINT to answer");
    }
    const auto size = parse_size(options.typed_size);
    if (!size || *size < ping_ledger::smallest || *size > (std::size_t{1} << 30)) {
        throw usage_failure(fmt::format("--size takes a size from {} to 1G like 64, 1k or 1M, not '{}'",
                                        ping_ledger::smallest, options.typed_size));
    }
    options.size = *size;
    options.interval = duration_of("--interval", options.typed_interval);
    options.timeout = duration_of("--timeout", options.typed_timeout);
    if (listens) {
        return answer_pings(options);
    }
    options.wishes.connect = {options.endpoint};
    return pinger(options).run();
}

}  // namespace

void add_ping_command(command_line& line)
{
    auto* command = add_command(line, "ping", "Measure round trips to a peer that answers");
    auto options = std::make_shared<ping_options>();
    command->add_option("ENDPOINT", options->endpoint, "Where a REP or ROUTER answers")->type_name("");
    command->add_option("-b,--bind", options->wishes.bind, "Answer here, until Ctrl-C or --count answers (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command->add_flag("--force", options->wishes.force, "Take over an ipc:// path that another socket listens on");
    command->add_option("-n,--count", options->count, "End after so many pings (default: at Ctrl-C)")
        ->check(whole_number())
        ->type_name("N");
    command
        ->add_option("-i,--interval", options->typed_interval,
                     "From one ping to the next (0: as soon as the answer is there)")
        ->type_name("TIME")
        ->capture_default_str();
    command->add_option("-s,--size", options->typed_size, "Octets in a ping, from 24 on")
        ->type_name("SIZE")
        ->capture_default_str();
    command->add_option("-t,--timeout", options->typed_timeout, "A ping without an answer for so long is lost")
        ->type_name("TIME")
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print the result as JSON");
    add_socket_options(*command, options->wishes);
    command->footer("Examples:\n"
                    "  zlink ping --bind tcp://*:5555                answers, and on the other machine:\n"
                    "  zlink ping tcp://server:5555\n"
                    "  zlink ping tcp://server:5555 --count 1000 --interval 1ms --size 1k --json\n"
                    "  zlink rep --bind tcp://*:5555                 answers, too, as any REP and any ROUTER that "
                    "echoes\n"
                    "It prints the time of each round trip, and at the end percentiles and a histogram.\n"
                    "The exit status is 1 if an answer was missing.");
    command->callback([options, &line] { line.chosen = [options] { return run_ping(*options); }; });
}

}  // namespace zlink::tool
