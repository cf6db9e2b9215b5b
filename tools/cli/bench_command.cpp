// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink bench: its options, and where its results go.
#include "bench/bench_report.hpp"
#include "cli/command.hpp"

#include "support/failure.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr double highest_bench_rate = 10'000'000;

struct typed_bench {
    bench::options options;
    std::string role;
    std::string pattern = "dealer-router";
    std::string sizes = "64";
    std::string only;
    double rate = 1000;
    std::string duration = "5s";
    std::string warmup = "500ms";
    std::string timeout = "10s";
};

std::vector<std::string> pattern_names()
{
    std::vector<std::string> names;
    for (const auto& each : bench::patterns()) {
        names.emplace_back(each.name);
    }
    return names;
}

std::vector<std::size_t> sizes_of(const std::string& typed)
{
    std::vector<std::size_t> sizes;
    for (const auto& each : split(typed, ",")) {
        const auto size = each == "0" ? std::optional<std::size_t>(0) : parse_size(each);
        if (!size || *size > (std::size_t{1} << 30)) {
            throw usage_failure(fmt::format("--size takes sizes of up to 1G like 64, 1k or 0,64,1M, not '{}'", each));
        }
        sizes.push_back(*size);
    }
    return sizes;
}

// Only the side that sends has the results if it gets answers, and only the other one if not.
void check_outputs(const typed_bench& typed, bool local)
{
    const auto& options = typed.options;
    if ((!options.json && options.html.empty()) || options.how->answers != local) {
        return;
    }
    throw usage_failure(fmt::format("{}: with {}, the {} side has the results; give it there",
                                    options.json ? "--json" : "--html", options.how->name, local ? "remote" : "local"));
}

void check(typed_bench& typed, bool local)
{
    auto& options = typed.options;
    const auto all = bench::patterns();
    options.how = &*std::ranges::find_if(all, [&](const bench::pattern& each) { return typed.pattern == each.name; });
    options.sizes = sizes_of(typed.sizes);
    options.duration = duration_of("--duration", typed.duration);
    options.warmup = duration_of("--warmup", typed.warmup);
    options.timeout = duration_of("--timeout", typed.timeout);
    options.rate = typed.rate;
    if (options.wishes.bind.empty() && options.wishes.connect.empty()) {
        throw usage_failure(local ? "bench needs an endpoint: --bind ENDPOINT to listen there"
                                  : "bench needs an endpoint: --connect ENDPOINT, where 'zlink bench local' listens");
    }
    if (options.duration.count() == 0) {
        throw usage_failure("--duration takes a time above 0");
    }
    if (!(options.rate > 0 && options.rate <= highest_bench_rate)) {
        throw usage_failure(fmt::format("--rate takes a number above 0, and up to {} messages a second",
                                        grouped(std::uint64_t(highest_bench_rate))));
    }
    options.throughput = typed.only != "latency";
    options.latency = typed.only != "throughput";
    if (options.how->remote == ZMQ_REQ) {
        if (typed.only == "throughput") {
            throw usage_failure("req-rep waits for each answer, so it has latency alone; leave --only out");
        }
        options.throughput = false;
    }
    const auto smallest = std::ranges::min(options.sizes);
    if (options.latency && smallest < bench::stamp_size) {
        throw usage_failure(
            fmt::format("--size {}: a latency needs messages of at least {} octets, for the time; or give "
                        "--only throughput",
                        smallest, bench::stamp_size));
    }
    check_outputs(typed, local);
}

exit_status run_bench(typed_bench& typed)
{
    const bool local = typed.role == "local";
    check(typed, local);
    auto& options = typed.options;
    const auto found = local ? bench::run_local(options) : bench::run_remote(options);
    if (options.json) {
        fmt::print("{}", bench::json_of(options, found));
    } else if (!found.empty()) {
        fmt::print("{}", bench::text_of(found));
    }
    if (!options.html.empty()) {
        bench::write_page(options, found);
    }
    const bool lost = std::ranges::any_of(found, [](const bench::result& each) { return each.lost() > 0; });
    if (lost) {
        throw failure("messages were lost or not answered in time; the connection may have broken, or --timeout is too "
                      "short");
    }
    return exit_status::success;
}

}  // namespace

void add_bench_command(command_line& line)
{
    auto* command = add_command(line, "bench", "Measure throughput and latency between two processes or machines");
    auto typed = std::make_shared<typed_bench>();
    auto& options = typed->options;
    command->add_option("ROLE", typed->role, "local: listens and counts or echoes; remote: sends as the options say")
        ->check(unnamed(CLI::IsMember({"local", "remote"})))
        ->type_name("")
        ->required();
    add_endpoint_options(*command, options.wishes);
    command
        ->add_option("-p,--pattern", typed->pattern,
                     "The same on both sides: dealer-router, req-rep, pair; one way: push-pull, pub-sub")
        ->check(unnamed(CLI::IsMember(pattern_names())))
        ->type_name("NAME")
        ->capture_default_str();
    command->add_option("-s,--size", typed->sizes, "Octets in a message; a run for each: 64,1k,1M (remote)")
        ->type_name("SIZES")
        ->capture_default_str();
    command->add_option("--only", typed->only, "throughput or latency; both without it (remote)")
        ->check(unnamed(CLI::IsMember({"throughput", "latency"})))
        ->type_name("KIND");
    command
        ->add_option("-r,--rate", typed->rate, "Messages a second of the latency runs, kept whatever happens (remote)")
        ->type_name("N")
        ->capture_default_str();
    command->add_option("--duration", typed->duration, "Measured time of each run (remote)")
        ->type_name("TIME")
        ->capture_default_str();
    command->add_option("--warmup", typed->warmup, "Time before it that does not count (remote)")
        ->type_name("TIME")
        ->capture_default_str();
    command->add_option("-t,--timeout", typed->timeout, "Give up if the other side is silent for so long")
        ->type_name("TIME")
        ->capture_default_str();
    command->add_flag("--once", options.once, "End when the remote side has ended (local)");
    command->add_flag("--json", options.json, "Print the results as JSON");
    command->add_option("--html", options.html, "Write a page with histograms and throughput over time to this file")
        ->type_name("FILE");
    add_socket_options(*command, options.wishes);
    command->footer("Examples:\n"
                    "  zlink bench local --bind tcp://*:5555                 on one machine, and on the other:\n"
                    "  zlink bench remote --connect tcp://server:5555\n"
                    "  zlink bench remote --connect tcp://server:5555 --only latency --rate 20000 --html latency.html\n"
                    "  zlink bench local --bind tcp://*:5555 --pattern push-pull --json --once\n"
                    "A latency counts from the time at which its message was due, so a stall counts for each message\n"
                    "that was held up by it. With dealer-router, req-rep and pair, the remote side has the results;\n"
                    "with push-pull and pub-sub the local side, and latencies only if both are on one machine.");
    command->callback([typed, &line] { line.chosen = [typed] { return run_bench(*typed); }; });
}

}  // namespace zlink::tool
