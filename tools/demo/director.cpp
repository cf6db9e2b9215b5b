// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The peers talk over their pipes; silence longer than their own time limit means that one hangs.
#include "demo/director.hpp"

#include "support/stop_signal.hpp"

#include <atomic>
#include <csignal>

#include <fmt/format.h>
#include <poll.h>

namespace zlink::tool::demo {
namespace {

constexpr int grace_ms = 3000;  // beyond the time after which a peer itself reports a stall

std::string fresh_endpoint(const cell& experiment, const std::string& folder)
{
    static std::atomic<unsigned> number{0};
    switch (experiment.transport) {
    case transport::tcp: return "tcp://127.0.0.1:*";
    case transport::ipc: return fmt::format("ipc://{}/cell-{}", folder, ++number);
    case transport::inproc: break;
    }
    return "inproc://cell";
}

}  // namespace

director::director(const run_settings& settings, const cell& experiment, const live_rate& watch)
    : settings_(settings),
      watch_(watch),
      together_(experiment.transport == transport::inproc)
{
    result_.cell = experiment;
    sender_.runs_on = experiment.sender;
    receiver_.runs_on = experiment.receiver;
}

cell_result director::run()
{
    const auto& traits = traits_of(result_.cell.pattern);
    const std::string endpoint = fresh_endpoint(result_.cell, settings_.folder);
    try {
        if (together_) {
            start(sender_, "both", endpoint);
        } else {
            start(traits.sender_binds ? sender_ : receiver_, traits.sender_binds ? "sender" : "receiver", endpoint);
        }
        while (!over()) {
            step();
        }
        finish();
    } catch (const std::exception& problem) {
        result_.problem = problem.what();
    }
    result_.sender = sender_.counts;
    result_.receiver = receiver_.counts;
    result_.sender_library = sender_.runs_library;
    result_.receiver_library = receiver_.runs_library;
    if (result_.problem.empty()) {
        check_counts();
    }
    return result_;
}

void director::start(peer& which, const char* role_argument, const std::string& endpoint)
{
    const bool foreign = which.runs_on == library::libzmq;
    std::vector<std::string> arguments{
        fmt::format("role={}", role_argument),
        fmt::format("pattern={}", name_of(result_.cell.pattern)),
        fmt::format("endpoint={}", endpoint),
        fmt::format("corpus={}", settings_.corpus),
        fmt::format("paced={}", settings_.paced),
        fmt::format("burst={}", settings_.burst),
        fmt::format("seconds={}", settings_.burst_seconds),
        fmt::format("stall={}", settings_.stall_ms),
        fmt::format("raw={}", which.runs_on == library::raw ? 1 : 0),
    };
    if (!foreign) {
        arguments.insert(arguments.begin(), "demo-peer");
    }
    which.process =
        std::make_unique<child>(foreign ? settings_.foreign_program : settings_.own_program, arguments, foreign);
}

bool director::over() const
{
    return !result_.problem.empty() || stop_signal::requested() || (sender_.done && receiver_.done);
}

void director::step()
{
    peer* const peers[] = {&sender_, &receiver_};
    pollfd items[3] = {{stop_signal::descriptor(), POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
    for (int at = 0; at < 2; ++at) {
        if (peers[at]->process) {
            items[at + 1].fd = peers[at]->process->output();
        }
    }
    poll(items, 3, 100);
    for (int at = 0; at < 2; ++at) {
        if (items[at + 1].revents == 0) {
            continue;
        }
        for (const auto& line : peers[at]->process->lines()) {
            hear(*peers[at], line);
        }
        const bool finished = together_ ? sender_.done && receiver_.done : peers[at]->done;
        if (peers[at]->process->output() < 0 && !finished && result_.problem.empty()) {
            peers[at]->process->wait(1000);
            result_.problem = fmt::format("{} died: {}", name(*peers[at]), peers[at]->process->ending());
        }
    }
    const auto patience = std::chrono::milliseconds(settings_.stall_ms + grace_ms);
    for (const peer* which : {&receiver_, &sender_}) {
        const bool runs = which->process != nullptr || together_;
        if (result_.problem.empty() && runs && !which->done && clock::now() - which->heard > patience) {
            result_.problem = fmt::format("{} hangs{}", name(*which), silence_of(*which));
        }
    }
}

void director::hear(peer& which, const std::string& line)
{
    const auto first = line.find(' ');
    const auto second = line.find(' ', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
        return;
    }
    peer& speaker = addressed(which, std::string_view(line).substr(0, first));
    speaker.heard = clock::now();
    const std::string event = line.substr(first + 1, second - first - 1);
    const std::string text = line.substr(second + 1);
    if (event == "library") {
        speaker.runs_library = speaker.runs_on == library::raw ? "plain tcp" : text;
    } else if (event == "listening" && !together_) {
        peer& other = &speaker == &sender_ ? receiver_ : sender_;
        start(other, other.role, text);
    } else if (event == "ready") {
        speaker.ready = true;
    } else if (event == "progress") {
        note_progress(speaker, std::strtoull(text.c_str(), nullptr, 10));
    } else if (event == "done") {
        speaker.counts = tally::from_line(text);
        speaker.done = true;
    } else if (event == "error") {
        const peer& other = &speaker == &sender_ ? receiver_ : sender_;
        const bool silent = !other.done && clock::now() - other.heard > std::chrono::seconds(2);
        result_.problem = fmt::format("{}: {}{}", name(speaker), text,
                                      silent ? fmt::format("; {} hangs{}", name(other), silence_of(other)) : "");
    }
    if (sender_.ready && receiver_.ready && !begun_) {
        begun_ = true;
        sender_.process->order('g');
    }
}

// What is known of a peer that may not live to count for itself.
void director::note_progress(peer& which, std::uint64_t messages)
{
    const bool echoes = traits_of(result_.cell.pattern).echoes;
    if (&which == &receiver_) {
        which.counts.received = messages;
        which.counts.sent = echoes ? messages : 0;
        watch_(messages);
    } else {
        which.counts.sent = messages;
    }
}

std::string director::silence_of(const peer& which) const
{
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(clock::now() - which.heard).count();
    return fmt::format(": nothing heard of it for {} s", seconds);
}

director::peer& director::addressed(peer& from, std::string_view role)
{
    return !together_ ? from : role == sender_.role ? sender_ : receiver_;
}

void director::finish()
{
    const bool orderly = result_.problem.empty() && !stop_signal::requested();
    for (peer* which : {&sender_, &receiver_}) {
        if (!which->process) {
            continue;
        }
        if (!orderly) {
            which->process->signal(SIGTERM);
        }
        if (!which->process->wait(orderly ? settings_.stall_ms + grace_ms : 500)) {
            which->process->signal(SIGKILL);
            which->process->wait(1000);
            if (orderly) {
                result_.problem = fmt::format("{} hangs while it ends", name(*which));
            }
        } else if (orderly && !which->process->success()) {
            result_.problem = fmt::format("{} ended with {}", name(*which), which->process->ending());
        }
    }
    if (result_.problem.empty() && stop_signal::requested()) {
        result_.problem = "stopped";
    }
}

void director::check_counts()
{
    const auto& one = result_.sender;
    const auto& other = result_.receiver;
    const std::uint64_t echoes = traits_of(result_.cell.pattern).echoes ? one.sent : 0;
    if (result_.damaged() > 0) {
        result_.problem = fmt::format("{} messages were damaged", result_.damaged());
    } else if (result_.misplaced() > 0) {
        result_.problem = fmt::format("{} messages were doubled or out of order", result_.misplaced());
    } else if (other.received != one.sent || one.received != echoes || one.missing + other.missing > 0) {
        result_.problem = fmt::format("{} of {} messages were lost", result_.lost(), result_.sent());
    } else if (one.sent == 0) {
        result_.problem = "no message was sent";
    }
}

std::string director::name(const peer& which) const
{
    const auto pid = which.process ? which.process->pid() : sender_.process ? sender_.process->pid() : -1;
    return fmt::format("{} ({}, process {})", which.role, name_of(which.runs_on), pid);
}

}  // namespace zlink::tool::demo
