// main() of the programs that measure a pattern.
#pragma once

#include "harness/latency.hpp"
#include "harness/throughput.hpp"

#include <cstdio>

namespace bench {

template <class Pattern>
int run(int argc, char** argv, const char* transports = "tcp ipc inproc")
{
    using context = typename Pattern::context;
    set_program_name(argv[0]);
    const settings of = parse_settings(argc, argv, transports);
    context::print_version();
    print_settings(of);
    rig with(of);
    if (of.throughput) {
        with.run<context>([&](context& c) { stream_out<Pattern>(with, c, of); },
                          [&](context& c) { stream_in<Pattern>(with, c, of); },
                          [&] { measure_stream<Pattern>(with, of); });
        std::fflush(stdout);
    }
    if (of.latency) measure_latency<Pattern>(with, of);
    return 0;
}

}  // namespace bench
