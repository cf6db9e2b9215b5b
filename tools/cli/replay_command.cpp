// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink replay: sends what zlink record has written, at the times of then or at a rate.
#include "cli/command.hpp"
#include "cli/command_socket.hpp"
#include "cli/farewell.hpp"

#include "pure/recording.hpp"
#include "support/failure.hpp"
#include "support/precise_sleep.hpp"
#include "support/recording_file.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct pair_of_types {
    int received;
    int sends;
};

// What reaches the receivers again that the recording socket stood for.
constexpr std::array partners{
    pair_of_types{ZMQ_SUB, ZMQ_PUB},   pair_of_types{ZMQ_PULL, ZMQ_PUSH},      pair_of_types{ZMQ_DEALER, ZMQ_DEALER},
    pair_of_types{ZMQ_PAIR, ZMQ_PAIR}, pair_of_types{ZMQ_GATHER, ZMQ_SCATTER}, pair_of_types{ZMQ_DISH, ZMQ_RADIO},
};

struct replay_options {
    socket_wishes wishes;
    std::string file;
    std::string type;
    double rate = 0;
    double speed = 1;
    bool rate_given = false;
    bool speed_given = false;
    bool at_once = false;
    std::string delay;
    std::string timeout = "10s";
};

int type_of(const replay_options& options, const recording_header& header)
{
    const auto received = socket_type(header.type);
    const auto* const known = std::ranges::find(partners, received.value_or(-1), &pair_of_types::received);
    if (options.type.empty()) {
        if (known == partners.end()) {
            throw usage_failure(
                fmt::format("{} was recorded by a socket of type '{}'; give --type to say what sends it", options.file,
                            printable(header.type)));
        }
        return known->sends;
    }
    const auto type = socket_type(options.type);
    if (!type || std::ranges::find(partners, *type, &pair_of_types::sends) == partners.end()) {
        throw usage_failure(
            fmt::format("--type '{}' cannot replay; use pub, push, dealer, pair, scatter or radio", options.type));
    }
    return *type;
}

void check_frames(const message& frames, int type, std::uint64_t number)
{
    const std::size_t wanted = type == ZMQ_RADIO ? 2 : type == ZMQ_SCATTER ? 1 : 0;
    if (wanted != 0 && frames.size() != wanted) {
        throw failure(fmt::format("message {} has {} frames, and a {} sends {}; give another --type", number,
                                  frames.size(), socket_type_name(type), wanted == 1 ? "one" : "a group and one"));
    }
}

class player {
public:
    explicit player(const replay_options& options)
        : options_(options),
          timeout_(duration_of("--timeout", options.timeout)),
          file_(options.file),
          reader_([this](char* to, std::size_t size) { return file_.read(to, size); }),
          live_(!options.wishes.quiet && isatty(STDERR_FILENO) == 1)
    {
        if (!reader_.read_header(header_)) {
            throw failure(fmt::format("cannot replay {}: {}", options.file, reader_.error()));
        }
        type_ = type_of(options, header_);
        link_.emplace(options.wishes, type_);
        const int wait_instead = 1;  // a publisher drops nothing at the high-water mark
        if (type_ == ZMQ_PUB) {
            (void)zmq_setsockopt(link_->own().handle(), ZMQ_XPUB_NODROP, &wait_instead, sizeof wait_instead);
        }
    }

    exit_status run()
    {
        link_->open();
        await_peers();
        const auto start = clock::now();
        std::optional<std::uint64_t> first;
        while (!stop_signal::requested() && reader_.next(message_)) {
            check_frames(message_.frames, type_, reader_.records());
            first = first.value_or(message_.at_ns);
            const std::uint64_t since = message_.at_ns - std::min(*first, message_.at_ns);
            const double seconds =
                options_.rate_given ? double(sent_) / options_.rate : double(since) / 1e9 / options_.speed;
            if ((!options_.at_once && !pause_until(start, seconds)) || !send()) {
                break;
            }
            ++sent_;
            show();
        }
        return finish();
    }

private:
    void await_peers()
    {
        const bool publishes = type_ == ZMQ_PUB || type_ == ZMQ_RADIO;
        const auto delay =
            options_.delay.empty() ? milliseconds(publishes ? 200 : 0) : duration_of("--delay", options_.delay);
        const auto end = clock::now() + delay;
        while (!stop_signal::requested() && clock::now() < end) {
            sleep_until({{link_->watch().handle(), ZMQ_POLLIN}}, end);
            link_->watch().read();
            link_->check_hope();
        }
    }

    // False if a stop was asked for meanwhile.
    bool pause_until(clock::time_point start, double seconds)
    {
        constexpr double longest = 1e8;  // s: three years
        const auto due = start + std::chrono::duration_cast<clock::duration>(
                                     std::chrono::duration<double>(std::min(seconds, longest)));
        while (!stop_signal::requested() && clock::now() < due) {
            link_->watch().read();
            link_->check_hope();
            show();
            sleep_until({{link_->watch().handle(), ZMQ_POLLIN}}, std::min(due, clock::now() + std::chrono::seconds(1)));
        }
        return !stop_signal::requested();
    }

    bool send()
    {
        const auto end = clock::now() + timeout_;
        while (!link_->own().send(message_.frames, ZMQ_DONTWAIT)) {
            link_->watch().read();
            link_->check_hope();
            if (stop_signal::requested()) {
                return false;
            }
            if (clock::now() >= end) {
                throw failure(
                    fmt::format("no peer took message {} within {} ms; start the receiver, or give it longer with "
                                "--timeout{}",
                                reader_.records(), timeout_.count(), link_->watch().hint()));
            }
            sleep_until({{link_->own().handle(), ZMQ_POLLOUT}, {link_->watch().handle(), ZMQ_POLLIN}}, end);
        }
        return true;
    }

    void show()
    {
        const auto now = clock::now();
        if (live_ && now - shown_ > std::chrono::seconds(1)) {
            say_live("{} sent, {:.1f} s into the recording", messages(sent_), double(message_.at_ns) / 1e9);
            shown_ = now;
        }
    }

    exit_status finish()
    {
        const bool complete = link_->finish(stop_signal::requested() ? milliseconds(250) : timeout_);
        if (!options_.wishes.quiet) {
            say("{}sent {}\n", stop_signal::requested() ? "stopped: " : "", messages(sent_));
        }
        if (!reader_.error().empty()) {
            say("zlink: {}: {}; the messages before it were sent\n", options_.file, reader_.error());
        }
        if (!complete) {
            say("zlink: some were not taken by a peer in time; start the receiver, or give it longer with --timeout\n");
            leave(static_cast<int>(exit_status::failed));
        }
        return reader_.error().empty() ? exit_status::success : exit_status::failed;
    }

    const replay_options& options_;
    milliseconds timeout_;
    octet_file file_;
    recording_reader reader_;
    bool live_;
    recording_header header_;
    int type_ = 0;
    std::optional<command_socket> link_;
    recorded_message message_;
    std::uint64_t sent_ = 0;
    clock::time_point shown_ = clock::now();
};

exit_status run_replay(const replay_options& options)
{
    if (options.wishes.bind.empty() && options.wishes.connect.empty()) {
        throw usage_failure("replay needs an endpoint: --connect ENDPOINT or --bind ENDPOINT");
    }
    if (int(options.rate_given) + int(options.speed_given) + int(options.at_once) > 1) {
        throw usage_failure("give one of --rate, --speed and --at-once");
    }
    for (const auto& [name, value] : {std::pair{"--rate", options.rate_given ? options.rate : 1},
                                      {"--speed", options.speed_given ? options.speed : 1}}) {
        if (!(value > 0 && std::isfinite(value))) {
            throw usage_failure(fmt::format("{} takes a number above 0", name));
        }
    }
    return player(options).run();
}

}  // namespace

void add_replay_command(command_line& line)
{
    auto* command = add_command(line, "replay", "Send the messages of a recording again, at their times");
    auto options = std::make_shared<replay_options>();
    command->add_option("FILE", options->file, "What 'zlink record' has written; '-' is standard input")
        ->type_name("")
        ->required();
    add_endpoint_options(*command, options->wishes);
    command
        ->add_option("--type", options->type,
                     "Send as pub, push, dealer, pair, scatter or radio (default: the one that fits the recording)")
        ->type_name("TYPE");
    auto* rate = command->add_option("-r,--rate", options->rate, "Send so many messages a second, whatever their times")
                     ->type_name("N");
    auto* speed = command->add_option("--speed", options->speed, "So many times as fast as it was recorded")
                      ->type_name("FACTOR")
                      ->capture_default_str();
    command->add_flag("--at-once", options->at_once, "Send as fast as the receivers take them");
    command->add_option("-d,--delay", options->delay, "Wait so long for peers before sending (default of pub: 200ms)")
        ->type_name("TIME");
    command->add_option("-t,--timeout", options->timeout, "Give up if no peer takes a message for so long")
        ->type_name("TIME")
        ->capture_default_str();
    add_socket_options(*command, options->wishes);
    command->footer("Examples:\n"
                    "  zlink replay weather.rec --bind tcp://*:5556\n"
                    "  zlink replay jobs.rec --connect tcp://server:5557 --speed 10\n"
                    "  zlink replay jobs.rec --connect tcp://server:5557 --rate 100\n"
                    "  zcat all.rec.gz | zlink replay - --bind tcp://*:5556 --at-once\n"
                    "If the file was cut off, the messages before that are sent, and the exit status is 1.");
    command->callback([options, rate, speed, &line] {
        options->rate_given = rate->count() > 0;
        options->speed_given = speed->count() > 0;
        line.chosen = [options] { return run_replay(*options); };
    });
}

}  // namespace zlink::tool
