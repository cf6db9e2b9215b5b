// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See settings.hpp.
#include "harness/settings.hpp"

#include "harness/fail.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <vector>

namespace bench {

namespace {

const char* environment(const char* variable)
{
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0' ? text : nullptr;
}

std::vector<std::string> words(const std::string& text, char separator)
{
    std::vector<std::string> list;
    std::stringstream stream(text);
    for (std::string word; std::getline(stream, word, separator);) list.push_back(word);
    return list;
}

void parse_metrics(settings& to, const std::string& list)
{
    to.throughput = to.latency = false;
    for (const std::string& word : words(list, ',')) {
        if (word == "throughput") {
            to.throughput = true;
        } else if (word == "latency") {
            to.latency = true;
        } else {
            fail(exit_status::usage, "unknown metric '%s' (throughput, latency)", word.c_str());
        }
    }
    if (!to.throughput && !to.latency) fail(exit_status::usage, "--metrics names no metric (throughput, latency)");
}

void parse_transport(settings& to, const std::string& text, const std::string& transports)
{
    bool known = false;
    for (const std::string& name : words(transports, ' ')) known |= name == text;
    if (!known) fail(exit_status::usage, "unknown transport '%s' (%s)", text.c_str(), transports.c_str());
    to.transport = text;
}

// BENCH_END_CORES=0,1: the sending end on core 0, the receiving one on core 1, each with its own I/O threads, if any.
void read_end_cores(settings& to)
{
    const char* text = environment("BENCH_END_CORES");
    if (text == nullptr) return;
    const std::vector<std::string> cores = words(text, ',');
    if (cores.size() != 2) fail(exit_status::usage, "BENCH_END_CORES '%s' is not two cores, such as 0,1", text);
    to.sender_core = static_cast<int>(parse_number("BENCH_END_CORES", cores[0].c_str(), 0, CPU_SETSIZE - 1));
    to.receiver_core = static_cast<int>(parse_number("BENCH_END_CORES", cores[1].c_str(), 0, CPU_SETSIZE - 1));
}

void read_api(settings& to)
{
    const char* text = environment("BENCH_API");
    if (text == nullptr) return;
    to.messages = std::strcmp(text, "msg") == 0;
    if (!to.messages && std::strcmp(text, "buffer") != 0) {
        fail(exit_status::usage, "BENCH_API '%s' is neither buffer nor msg", text);
    }
}

double seconds_from_environment(const char* variable, double otherwise)
{
    const char* text = environment(variable);
    if (text == nullptr) return otherwise;
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (*end != '\0' || !std::isfinite(value) || value < 0.001 || value > 3600) {
        fail(exit_status::usage, "%s '%s' is not a number from 0.001 to 3600", variable, text);
    }
    return value;
}

// Next to a busy process on another core nothing would be shared.
void check_shared_core(const settings& of)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (!of.shared_core) return;
    if (of.sender_core >= 0)
        fail(exit_status::usage, "BENCH_SHARED_CORE is one core for all: not with BENCH_END_CORES");
    if (::sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) != 1) {
        fail(exit_status::usage, "BENCH_SHARED_CORE needs a program that is pinned to one core: taskset -c 1 %s ...",
             program_name().c_str());
    }
}

constexpr const char* curve_prefix = "curve+";

}  // namespace

std::string without_curve(const std::string& transport)
{
    return has_curve(transport) ? transport.substr(std::strlen(curve_prefix)) : transport;
}

bool has_curve(const std::string& transport)
{
    return transport.starts_with(curve_prefix);
}

void allow_descriptors(std::uint64_t count)
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
    if (limit.rlim_max < count) {
        fail(exit_status::failed, "needs %llu open files, the limit is %llu: ulimit -Hn",
             static_cast<unsigned long long>(count), static_cast<unsigned long long>(limit.rlim_max));
    }
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

std::uint64_t parse_number(const char* what, const char* text, std::uint64_t low, std::uint64_t high)
{
    char* end = nullptr;
    errno = 0;
    const unsigned long long value = std::strtoull(text, &end, 10);
    const bool digits = *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
    if (!digits || value < low || value > high) {
        fail(exit_status::usage, "%s '%s' is not a whole number from %llu to %llu", what, text,
             static_cast<unsigned long long>(low), static_cast<unsigned long long>(high));
    }
    return value;
}

std::uint64_t number_from_environment(const char* variable, std::uint64_t otherwise, std::uint64_t low,
                                      std::uint64_t high)
{
    const char* text = environment(variable);
    return text != nullptr ? parse_number(variable, text, low, high) : otherwise;
}

void read_environment(settings& to)
{
    to.seconds = seconds_from_environment("BENCH_SECONDS", to.seconds);
    to.hold = seconds_from_environment("BENCH_HOLD_SECONDS", to.hold);
    to.msg_count = number_from_environment("BENCH_MSG_COUNT", to.msg_count, 0, std::uint64_t{1} << 40);
    to.io_threads =
        static_cast<int>(number_from_environment("BENCH_IO_THREADS", static_cast<std::uint64_t>(to.io_threads), 1, 64));
    to.peers = static_cast<unsigned>(number_from_environment("BENCH_PEERS", to.peers, 1, 10000));
    to.window = static_cast<unsigned>(number_from_environment("BENCH_WINDOW", to.window, 1, 10000));
    to.workers = static_cast<unsigned>(number_from_environment("BENCH_WORKERS", to.workers, 1, 1000));
    to.rate = number_from_environment("BENCH_RATE", to.rate, 1, 100'000'000);
    to.echo = number_from_environment("BENCH_ECHO", to.echo ? 1 : 0, 0, 1) == 1;
    to.two_process = number_from_environment("BENCH_TWO_PROCESS", to.two_process ? 1 : 0, 0, 1) == 1;
    read_end_cores(to);
    read_api(to);
    to.shared_core = number_from_environment("BENCH_SHARED_CORE", 0, 0, 1) == 1;
    if (environment("BENCH_HWM") != nullptr) {
        to.hwm = static_cast<int>(number_from_environment("BENCH_HWM", 0, 0, std::numeric_limits<int>::max()));
    }
}

settings parse_settings(int argc, char** argv, const command_line& line)
{
    settings to;
    to.peers = line.peers;
    to.window = line.window;
    std::vector<const char*> positional;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--help" || argument == "-h") {
            std::printf("usage: %s LABEL TRANSPORT SIZE [--metrics throughput,latency]\n"
                        "LABEL names the library in the output; TRANSPORT: %s; SIZE: %s.\n"
                        "Environment: BENCH_SECONDS BENCH_MSG_COUNT BENCH_IO_THREADS BENCH_HWM BENCH_TWO_PROCESS "
                        "BENCH_END_CORES "
                        "BENCH_PEERS BENCH_WINDOW BENCH_WORKERS BENCH_RATE BENCH_ECHO BENCH_HOLD_SECONDS "
                        "BENCH_SHARED_CORE BENCH_API\n",
                        program_name().c_str(), line.transports.c_str(), line.size.c_str());
            std::exit(0);
        } else if (argument == "--metrics" && i + 1 < argc) {
            parse_metrics(to, argv[++i]);
        } else if (argument.starts_with("--metrics=")) {
            parse_metrics(to, argument.substr(std::strlen("--metrics=")));
        } else if (argument.starts_with('-')) {
            fail(exit_status::usage, "unknown option '%s', or its value is missing (--metrics)", argv[i]);
        } else {
            positional.push_back(argv[i]);
        }
    }
    if (positional.size() != 3) {
        fail(exit_status::usage, "usage: %s LABEL TRANSPORT SIZE [--metrics throughput,latency]",
             program_name().c_str());
    }
    to.label = positional[0];
    if (to.label.empty() || to.label.find_first_of(",\n") != std::string::npos) {
        fail(exit_status::usage, "the label '%s' is empty or holds a comma", positional[0]);
    }
    parse_transport(to, positional[1], line.transports);
    to.size = parse_number("size", positional[2], 1, line.largest_size);
    to.two_process = line.two_process && to.transport != "inproc";
    read_environment(to);
    if (to.two_process && to.transport == "inproc") {
        fail(exit_status::usage, "inproc stays within one process: not with BENCH_TWO_PROCESS=1");
    }
    constexpr int default_hwm = 1000;
    const int hwm = to.hwm >= 0 ? to.hwm : default_hwm;
    if (hwm > 0 && to.window > static_cast<unsigned>(hwm)) {
        fail(exit_status::usage, "BENCH_WINDOW '%u' is above the high-water mark %d: raise BENCH_HWM", to.window, hwm);
    }
    check_shared_core(to);
    // In one process it would be chance which end starts, and so places, the I/O threads.
    if (to.sender_core >= 0 && to.transport != "inproc") to.two_process = true;
    return to;
}

}  // namespace bench
