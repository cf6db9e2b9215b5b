// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink stats: what the sockets of other processes do, in the manner of top.
#include "cli/command.hpp"

#include "pure/stats_table.hpp"
#include "stats/report_json.hpp"
#include "support/failure.hpp"
#include "support/json_text.hpp"
#include "support/live_screen.hpp"
#include "support/stats_sources.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace zlink::tool {
namespace {

struct stats_options {
    std::vector<std::string> places;
    std::string interval = "1s";
    bool peers = false;
    bool once = false;
    bool json = false;
};

using reports = std::vector<stats::process_report>;

constexpr std::chrono::milliseconds patience{2000};

// Looks at all places. What cannot be read is told once for each place, on standard error; if it is all that was asked
// for, it is a failure.
class stats_look {
public:
    explicit stats_look(const stats_options& options) : options_(options), sources_(options.places) {}

    reports take()
    {
        reports seen;
        skipped_.clear();
        std::string last;
        for (auto& one : sources_.ask(options_.peers, patience)) {
            if (one.failure.empty()) {
                ever_seen_.insert(one.where);
                seen.push_back(std::move(one.report));
                continue;
            }
            if (one.has_ended && ever_seen_.contains(one.where)) {
                one.failure = "the program has ended";
            }
            last = one.where + ": " + one.failure;
            skipped_.emplace_back(one.where, one.failure);
        }
        if (stop_signal::requested()) {
            return seen;
        }
        if (seen.empty() && !sources_.has_folder()) {
            throw failure(last);
        }
        if (seen.empty() && options_.once) {
            throw failure(fmt::format("{}: no process serves its statistics here; start one with ZLINK_STATS={}/%p",
                                      options_.places.front(), options_.places.front()));
        }
        return seen;
    }

    void tell_skipped()
    {
        for (const auto& [where, why] : skipped_) {
            if (told_.insert(where).second) {
                say("skipped {}: {}\n", where, why);
            }
        }
    }

    // Of the last look.
    const std::vector<std::pair<std::string, std::string>>& skipped() const noexcept { return skipped_; }

private:
    const stats_options& options_;
    stats_sources sources_;
    std::vector<std::pair<std::string, std::string>> skipped_;
    std::set<std::string> told_;
    std::set<std::string> ever_seen_;
};

void print_json(const reports& seen, const stats_look& look)
{
    std::string line = R"({"processes":[)";
    for (const auto& one : seen) {
        std::string text = stats::json_of(one);
        text.pop_back();  // its line break
        line += (&one == seen.data() ? "" : ",") + text;
    }
    line += R"(],"skipped":[)";
    for (const auto& [where, why] : look.skipped()) {
        line += fmt::format("{}{{\"endpoint\":{},\"reason\":{}}}", line.back() == '[' ? "" : ",", json_text(where),
                            json_text(why));
    }
    line += "]}\n";
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() || std::fflush(stdout) != 0) {
        stop_signal::request();  // nobody reads it any more
    }
}

std::vector<screen_line> screen_of(const reports& before, const reports& now, const stats_options& options,
                                   std::size_t skipped)
{
    std::size_t sockets = 0;
    for (const auto& one : now) {
        sockets += one.sockets.size();
    }
    std::string summary = fmt::format("{} process{}, {} socket{}", now.size(), now.size() == 1 ? "" : "es", sockets,
                                      sockets == 1 ? "" : "s");
    if (skipped != 0) {
        summary += fmt::format(", {} skipped", skipped);
    }
    std::vector<screen_line> lines{{summary}};
    for (auto& line : table_of(before, now, options.peers)) {
        lines.push_back({std::move(line.text), line.what == table_line::kind::head, line.drops});
    }
    return lines;
}

exit_status run_json(const stats_options& options, stats_look& look, std::chrono::milliseconds interval)
{
    live_screen pauses;
    auto next = std::chrono::steady_clock::now();
    do {
        print_json(look.take(), look);
        next = std::max(next + interval, std::chrono::steady_clock::now());
    } while (!options.once && pauses.wait_until(next));
    return exit_status::success;
}

exit_status run_stats(const stats_options& options)
{
    const auto interval = parse_duration(options.interval);
    if (!interval || interval->count() < 100) {
        throw usage_failure(
            fmt::format("--interval '{}' is not a time from 100ms on; use one like 2s", options.interval));
    }
    stats_look look(options);
    if (options.json) {
        return run_json(options, look, *interval);
    }
    live_screen screen;
    reports before = look.take();
    auto next = std::chrono::steady_clock::now() + *interval;
    if (options.once) {
        look.tell_skipped();
    } else {
        screen.show(screen_of({}, before, options, look.skipped().size()));
    }
    while (screen.wait_until(next)) {
        reports now = look.take();
        if (stop_signal::requested()) {
            break;
        }
        screen.show(screen_of(before, now, options, look.skipped().size()));
        if (options.once) {
            break;
        }
        before = std::move(now);
        next = std::max(next + *interval, std::chrono::steady_clock::now());
    }
    return exit_status::success;
}

}  // namespace

void add_stats_command(command_line& line)
{
    auto* command = add_command(line, "stats", "Show what the sockets of processes do that serve their statistics");
    auto options = std::make_shared<stats_options>();
    command->add_option("ENDPOINT", options->places, "Where a process serves them (ZLINK_STATS), or a folder of such")
        ->required();
    command->add_option("-i,--interval", options->interval, "Time between two looks (default: 1s)")->type_name("TIME");
    command->add_flag("-p,--peers", options->peers, "The peers of each socket, too");
    command->add_flag("--once", options->once, "One table, with the rates of one interval; with --json one line");
    command->add_flag("--json", options->json, "A line of JSON for each look, with numbers since the beginning");
    command->footer(
        "The table ends with q or Ctrl-C. IN and OUT are messages a second, Q messages that wait.\nExamples:\n"
        "  ZLINK_STATS=/tmp/stats/%p python3 app.py    a program that serves its statistics\n"
        "  zlink stats /tmp/stats                      all processes that serve in this folder\n"
        "  zlink stats --peers tcp://127.0.0.1:9100\n"
        "  zlink stats --once --json /tmp/stats/4711");
    command->callback([options, &line] { line.chosen = [options] { return run_stats(*options); }; });
}

}  // namespace zlink::tool
