// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What zlink bench was asked for, and what it found out.
#pragma once

#include "cli/command_socket.hpp"

#include "pure/bench_words.hpp"
#include "pure/latency_histogram.hpp"
#include "pure/timeline.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool::bench {

inline constexpr std::string_view magic = "zlink-bench 1";  // the first frame of what isn't measured
inline constexpr std::size_t stamp_size = 8;                // the time at which a message was due

struct pattern {
    const char* name;
    int remote;  // socket types
    int local;
    bool answers;  // the local side can answer: it echoes, and the remote side has all results
};

std::span<const pattern> patterns();

struct options {
    socket_wishes wishes;
    const pattern* how = nullptr;
    std::vector<std::size_t> sizes;
    bool throughput = true;
    bool latency = true;
    double rate = 1000;
    std::chrono::milliseconds duration{5000};
    std::chrono::milliseconds warmup{500};
    std::chrono::milliseconds timeout{10'000};
    bool once = false;
    bool json = false;
    std::string html;
};

struct result {
    bench_run run;
    bool round_trip = false;  // else one way
    std::uint64_t sent = 0;
    std::uint64_t received = 0;  // or answered
    std::uint64_t measured = 0;  // after the warm-up
    double seconds = 0;          // in which they came
    std::uint64_t step_ns = 0;
    std::vector<std::uint64_t> over_time;
    std::unique_ptr<latency_histogram> latency = std::make_unique<latency_histogram>();
    std::unique_ptr<latency_histogram> lag = std::make_unique<latency_histogram>();  // of the sender behind its times

    std::uint64_t lost() const noexcept { return sent > received ? sent - received : 0; }
    double messages_per_second() const noexcept { return seconds > 0 ? double(measured) / seconds : 0; }
};

// Runs one side to its end. The results that this side has.
std::vector<result> run_local(const options& wanted);
std::vector<result> run_remote(const options& wanted);

// CLOCK_MONOTONIC, which all processes of a machine share, in nanoseconds; and which machine this is.
std::uint64_t monotonic_ns() noexcept;
std::string this_machine();

}  // namespace zlink::tool::bench
