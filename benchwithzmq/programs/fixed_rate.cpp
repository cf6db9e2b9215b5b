// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// DEALER to ROUTER (and back with BENCH_ECHO=1) at BENCH_RATE messages a second, in two processes.
#include "fixed_rate.hpp"

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const bench::settings of = bench::parse_rate_settings(argc, argv);
    bench::zmq_context::introduce(of);
    bench::print_settings(of);
    constexpr const char* name = bench::fixed_rate_pattern::name;
    bench::rig with(of);
    const bench::rate_seen seen = bench::run_at_rate(with, of);
    bench::print_info("rate_kept", seen.kept ? "yes" : "no: more and more messages are late");
    if (of.throughput) {
        bench::print_result(of, name, "rate_share", seen.share);
        bench::print_result(of, name, "rate_kept", seen.kept ? 1 : 0);
        if (seen.messages > 0) {
            bench::print_cpu(of, name, seen.used, seen.messages);
            bench::print_result(of, name, "timer_ns_per_msg", seen.timer_ns / seen.messages);
        }
    }
    const std::vector<std::uint32_t> times = with.state().samples.sorted();
    if (of.latency && times.empty()) {
        bench::fail(bench::exit_status::failed, "too few messages came to tell a latency: measure for longer");
    }
    if (of.latency) bench::print_latencies(of, name, times);
    return 0;
}
