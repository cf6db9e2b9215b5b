// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink record: messages that arrive, with their times, into a file.
#include "cli/command.hpp"
#include "cli/command_socket.hpp"

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
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

using clock = std::chrono::steady_clock;

constexpr int recorded_at_once = 256;

struct record_options {
    socket_wishes wishes;
    std::string file;
    std::string type = "sub";
    std::vector<std::string> topics;
    std::vector<std::string> groups;
    std::optional<std::uint64_t> count;
    std::string timeout;
    bool overwrite = false;
};

// Those that receive without having been asked.
int recording_type(const record_options& options)
{
    static constexpr std::array usable{ZMQ_SUB, ZMQ_PULL, ZMQ_DEALER, ZMQ_PAIR, ZMQ_GATHER, ZMQ_DISH};
    const auto type = socket_type(options.type);
    if (!type || std::ranges::find(usable, *type) == usable.end()) {
        throw usage_failure(
            fmt::format("--type '{}' cannot record; use sub, pull, dealer, pair, gather or dish", options.type));
    }
    if (*type != ZMQ_SUB && !options.topics.empty()) {
        throw usage_failure("--subscribe is for --type sub; leave it out");
    }
    if ((*type == ZMQ_DISH) == options.groups.empty()) {
        throw usage_failure(*type == ZMQ_DISH
                                ? "dish receives what is sent to groups, and there is none; give --group NAME"
                                : "--group is for --type dish; leave it out");
    }
    return *type;
}

class recorder {
public:
    recorder(const record_options& options, int type)
        : options_(options),
          link_(options.wishes, type),
          file_(options.file, options.overwrite),
          live_(!options.wishes.quiet && isatty(STDERR_FILENO) == 1)
    {
        if (type == ZMQ_SUB && options.topics.empty()) {
            link_.own().set(ZMQ_SUBSCRIBE, std::string_view(""));
        }
        for (const auto& topic : options.topics) {
            link_.own().set(ZMQ_SUBSCRIBE, std::string_view(topic));
        }
        for (const auto& group : options.groups) {
            link_.own().join(group);
        }
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        file_.write(
            encode(recording_header{std::uint64_t(std::chrono::nanoseconds(now).count()), socket_type_name(type)}));
    }

    exit_status run()
    {
        const bool limited = !options_.timeout.empty();
        const auto limit = duration_of("--timeout", limited ? options_.timeout : "0");
        link_.open();
        bool timed_out = false;
        while (!stop_signal::requested() && !full() && !timed_out && !link_.watch().hopeless()) {
            link_.watch().read();
            if (receive()) {
                continue;
            }
            file_.flush();
            const auto now = clock::now();
            timed_out = limited && now - moved_ >= limit;
            sleep_until({{link_.own().handle(), ZMQ_POLLIN}, {link_.watch().handle(), ZMQ_POLLIN}},
                        limited ? std::optional(moved_ + limit)
                        : live_ ? std::optional(now + std::chrono::seconds(1))
                                : std::nullopt);
        }
        file_.close();
        return report(timed_out);
    }

private:
    bool full() const { return options_.count && recorded_ >= *options_.count; }

    bool receive()
    {
        bool any = false;
        for (int left = recorded_at_once; left > 0 && !full() && link_.own().receive(incoming_.frames, ZMQ_DONTWAIT);
             --left) {
            moved_ = clock::now();
            incoming_.at_ns = std::uint64_t(std::chrono::nanoseconds(moved_ - start_).count());
            const auto octets = encode(incoming_);
            if (!octets) {
                throw failure(
                    fmt::format("message {} is larger than 4 GiB, which a recording cannot hold; {} are in {}",
                                recorded_ + 1, messages(recorded_), options_.file));
            }
            file_.write(*octets);
            size_ += octets->size();
            ++recorded_;
            any = true;
        }
        if (live_ && clock::now() - shown_ > std::chrono::seconds(1)) {
            say_live("{} recorded, {}", messages(recorded_), byte_count(double(size_)));
            shown_ = clock::now();
        }
        return any;
    }

    exit_status report(bool timed_out)
    {
        if (!options_.wishes.quiet) {
            say("recorded {}, {}\n", messages(recorded_), byte_count(double(size_)));
        }
        if (full()) {
            return exit_status::success;
        }
        link_.check_hope();
        if (timed_out && (options_.count || recorded_ == 0)) {
            throw failure(fmt::format("timed out: nothing came for {}; is the sender running?{}", options_.timeout,
                                      link_.watch().hint()));
        }
        return exit_status::success;
    }

    const record_options& options_;
    command_socket link_;
    recording_file file_;
    bool live_;
    recorded_message incoming_;
    std::uint64_t recorded_ = 0;
    std::uint64_t size_ = 0;
    clock::time_point start_ = clock::now();
    clock::time_point moved_ = start_;
    clock::time_point shown_ = start_;
};

exit_status run_record(const record_options& options)
{
    const int type = recording_type(options);
    if (options.wishes.bind.empty() && options.wishes.connect.empty()) {
        throw usage_failure("record needs an endpoint: --connect ENDPOINT or --bind ENDPOINT");
    }
    return recorder(options, type).run();
}

}  // namespace

void add_record_command(command_line& line)
{
    auto* command = add_command(line, "record", "Write messages that arrive to a file, with their times");
    auto options = std::make_shared<record_options>();
    command->add_option("FILE", options->file, "Where to; '-' is standard output")->type_name("")->required();
    add_endpoint_options(*command, options->wishes);
    command->add_option("--type", options->type, "Receive as sub, pull, dealer, pair, gather or dish")
        ->type_name("TYPE")
        ->capture_default_str();
    command->add_option("-s,--subscribe", options->topics, "Record messages that begin so (repeatable; default: all)")
        ->allow_extra_args(false)
        ->type_name("TOPIC");
    command->add_option("-g,--group", options->groups, "Of a dish: record what is sent to this group (repeatable)")
        ->allow_extra_args(false)
        ->type_name("NAME");
    command->add_option("-n,--count", options->count, "End after so many messages (default: at Ctrl-C)")
        ->check(whole_number())
        ->type_name("N");
    command->add_option("-t,--timeout", options->timeout, "End when nothing came for so long (ms, or 2s, 1m)")
        ->type_name("TIME");
    command->add_flag("--overwrite", options->overwrite, "Replace the file if there is one");
    add_socket_options(*command, options->wishes);
    command->footer("Examples:\n"
                    "  zlink record weather.rec --connect tcp://server:5556 --subscribe weather\n"
                    "  zlink record all.rec --connect ipc:///tmp/tap --timeout 1m        what a proxy passes on "
                    "(--capture)\n"
                    "  zlink record jobs.rec --bind tcp://*:5557 --type pull --count 1000\n"
                    "  zlink record - --connect tcp://server:5556 | gzip >all.rec.gz\n"
                    "'zlink replay' sends them again.");
    command->callback([options, &line] { line.chosen = [options] { return run_record(*options); }; });
}

}  // namespace zlink::tool
