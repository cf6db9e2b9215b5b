// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Progress goes to stderr, the table to standard output.
#include "demo/report.hpp"

#include "support/failure.hpp"
#include "support/json_text.hpp"
#include "support/status_line.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <unistd.h>

namespace zlink::tool::demo {
namespace {

// "libzmq 4.3.4", from what the peer itself reported
std::string short_library(library which, const std::string& reported)
{
    if (which == library::raw) {
        return "plain tcp";
    }
    return fmt::format("{} {}", name_of(which), reported.substr(0, reported.find(' ')));
}

std::string json_cell(const cell_result& result)
{
    return fmt::format(
        "    {{\"pattern\": {}, \"transport\": {}, \"sender\": {}, \"receiver\": {}, \"sender_library\": {}, "
        "\"receiver_library\": {}, \"sent\": {}, \"received\": {}, \"lost\": {}, \"misplaced\": {}, \"damaged\": {}, "
        "\"bytes\": {}, \"messages_per_second\": {:.0f}, \"latency_p50_us\": {:.1f}, \"latency_p99_us\": {:.1f}, "
        "\"ok\": {}, \"problem\": {}}}",
        json_text(name_of(result.cell.pattern)), json_text(name_of(result.cell.transport)),
        json_text(name_of(result.cell.sender)), json_text(name_of(result.cell.receiver)),
        json_text(result.sender_library), json_text(result.receiver_library), result.sent(), result.received(),
        result.lost(), result.misplaced(), result.damaged(), result.sender.bytes + result.receiver.bytes, result.rate(),
        result.receiver.p50, result.receiver.p99, result.right(), json_text(result.problem));
}

}  // namespace

report::report(std::size_t cells, bool quiet)
    : cells_(cells),
      quiet_(quiet),
      live_(!quiet && isatty(STDERR_FILENO) == 1)
{}

std::string report::counter() const
{
    return fmt::format("[{:>2}/{}]", results_.size() + 1, cells_);
}

void report::begin(const cell& experiment)
{
    title_ = title(experiment);
    last_messages_ = 0;
    last_time_ = clock::now();
    if (live_) {
        say_live("{} {}", counter(), title_);
    }
}

void report::rate(std::uint64_t messages)
{
    const auto now = clock::now();
    const double seconds = std::chrono::duration<double>(now - last_time_).count();
    if (live_ && seconds > 0.05) {
        say_live("{} {:<42} {:>8}/s {:>12} messages", counter(), title_,
                 short_count(double(messages - std::min(messages, last_messages_)) / seconds), grouped(messages));
        last_messages_ = messages;
        last_time_ = now;
    }
}

void report::end(const cell_result& result)
{
    if (!quiet_) {
        say("{} {:<42} {:>8}/s {:>12} messages {}\n", counter(), title_, short_count(result.rate()),
            grouped(result.received()), result.right() ? "ok" : result.problem);
    }
    results_.push_back(result);
}

void report::print(double seconds) const
{
    fmt::print("\n{:<15}{:<8}{:<14}{:<14}{:>11}{:>11}{:>7}{:>10}{:>10}{:>10}  {}\n", "pattern", "over", "sender",
               "receiver", "sent", "received", "lost", "msgs/s", "p50 us", "p99 us", "");
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t lost = 0;
    std::uint64_t bytes = 0;
    std::size_t wrong = 0;
    std::map<std::string, std::string> libraries;
    for (const auto& result : results_) {
        const auto sender = short_library(result.cell.sender, result.sender_library);
        const auto receiver = short_library(result.cell.receiver, result.receiver_library);
        fmt::print("{:<15}{:<8}{:<14}{:<14}{:>11}{:>11}{:>7}{:>10}{:>10.1f}{:>10.1f}  {}\n",
                   name_of(result.cell.pattern), name_of(result.cell.transport), sender, receiver,
                   grouped(result.sent()), grouped(result.received()), grouped(result.lost()),
                   short_count(result.rate()), result.receiver.p50, result.receiver.p99,
                   result.right() ? "ok" : "WRONG: " + result.problem);
        for (const auto& [name, reported] :
             {std::pair(sender, result.sender_library), {receiver, result.receiver_library}}) {
            const auto blank = reported.find(' ');
            if (blank != std::string::npos && reported != "plain tcp") {
                libraries[name] = reported.substr(blank + 1);
            }
        }
        sent += result.sent();
        received += result.received();
        lost += result.lost();
        bytes += result.sender.bytes + result.receiver.bytes;
        wrong += result.right() ? 0 : 1;
    }
    fmt::print("\nLatency: one way, small messages sent one by one. Sent and received count echoes too.\n");
    for (const auto& [name, path] : libraries) {
        fmt::print("{} is {}\n", name, path);
    }
    fmt::print("{} of {} cells right; {} messages sent, {} received, {} lost; {} verified in {:.1f} s\n",
               results_.size() - wrong, cells_, grouped(sent), grouped(received), grouped(lost),
               byte_count(double(bytes)), seconds);
}

void report::write_json(const std::string& path, double seconds) const
{
    std::ofstream file(path);
    file << fmt::format("{{\n  \"ok\": {},\n  \"seconds\": {:.1f},\n  \"cells\": [\n", all_right(), seconds);
    for (std::size_t at = 0; at < results_.size(); ++at) {
        file << json_cell(results_[at]) << (at + 1 < results_.size() ? ",\n" : "\n");
    }
    file << "  ]\n}\n";
    if (!file.flush()) {
        throw failure(
            fmt::format("cannot write {}: {}; give --json a path that can be written", path, std::strerror(errno)));
    }
}

bool report::all_right() const
{
    return results_.size() == cells_ &&
           std::all_of(results_.begin(), results_.end(), [](const cell_result& result) { return result.right(); });
}

}  // namespace zlink::tool::demo
