// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// main() of the programs that measure a pattern.
#pragma once

#include "harness/latency.hpp"
#include "harness/own_process.hpp"
#include "harness/throughput.hpp"

namespace bench {

template <class Pattern>
void measure_throughput(const settings& of)
{
    using context = typename Pattern::context;
    rig with(of);
    with.run<context>([&](context& c) { stream_out<Pattern>(with, c, of); },
                      [&](context& c) { stream_in<Pattern>(with, c, of); }, [&] { measure_stream<Pattern>(with, of); });
}

template <class Pattern>
int run(int argc, char** argv, const command_line& line = {})
{
    set_program_name(argv[0]);
    const settings of = parse_settings(argc, argv, line);
    Pattern::context::introduce(of);
    print_settings(of);
    // Where processes fork, none of them has had a context before.
    const auto measure = [&](auto what) { of.two_process ? in_own_process(what) : what(); };
    if (of.throughput) measure([&] { measure_throughput<Pattern>(of); });
    if (of.latency) {
        measure([&] {
            rig with(of);
            measure_latency<Pattern>(with, of);
        });
    }
    return 0;
}

// The same for patterns that have no latency.
template <class Pattern>
int run_throughput(int argc, char** argv, const command_line& line)
{
    set_program_name(argv[0]);
    const settings of = parse_settings(argc, argv, line);
    if (!of.throughput) {
        fail(exit_status::usage, "%s has no latency: --metrics throughput", Pattern::name);
    }
    Pattern::context::introduce(of);
    print_settings(of);
    measure_throughput<Pattern>(of);
    return 0;
}

// The same for patterns with a thousand peers, which are measured for throughput alone.
template <class Pattern>
int run_crowd(int argc, char** argv)
{
    set_program_name(argv[0]);
    const settings of = parse_settings(argc, argv, {.peers = 1000});
    constexpr std::uint64_t per_peer = 5;  // two ends of a connection, two wake-up descriptors, one to spare
    allow_descriptors(200 + per_peer * of.peers);
    Pattern::context::introduce(of);
    print_settings(of);
    measure_throughput<Pattern>(of);
    return 0;
}

}  // namespace bench
