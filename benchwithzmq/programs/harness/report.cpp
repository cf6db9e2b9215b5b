// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See report.hpp.
#include "harness/report.hpp"

#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>

namespace bench {

namespace {

std::string allowed_cores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return "unknown";
    std::string list;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &set)) list += (list.empty() ? "" : " ") + std::to_string(core);
    }
    return list;
}

std::string decimal(double value)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.6g", value);
    if (std::strchr(text, 'e') != nullptr)
        std::snprintf(text, sizeof text, std::fabs(value) < 1 ? "%.12f" : "%.0f", value);
    return text;
}

}  // namespace

void print_result(const settings& of, const char* pattern, const char* metric, double value)
{
    std::printf("RESULT,%s,%s,%s,%zu,%s,%s\n", of.label.c_str(), pattern, of.transport.c_str(), of.size, metric,
                decimal(value).c_str());
}

void print_cpu(const settings& of, const char* pattern, const usage& used, double count)
{
    const auto user = static_cast<double>(used.user_ns);
    const auto system = static_cast<double>(used.system_ns);
    print_result(of, pattern, "cpu_ns_per_msg", (user + system) / count);
    print_result(of, pattern, "cpu_user_ns_per_msg", user / count);
    print_result(of, pattern, "cpu_system_ns_per_msg", system / count);
    print_result(of, pattern, "system_share", user + system > 0 ? system / (user + system) : 0);
}

void print_info(const std::string& key, const std::string& value)
{
    std::printf("INFO,%s,%s\n", key.c_str(), value.c_str());
}

void print_settings(const settings& of)
{
    print_info("seconds", decimal(of.seconds));
    print_info("msg_count", std::to_string(of.msg_count));
    print_info("io_threads", std::to_string(of.io_threads));
    print_info("hwm", of.hwm < 0 ? "default" : std::to_string(of.hwm));
    print_info("two_process", of.two_process ? "1" : "0");
    print_info("api", of.messages ? "msg" : "buffer");
    print_info("shared_core", of.shared_core ? "1" : "0");
    print_info("peers", std::to_string(of.peers));
    print_info("window", std::to_string(of.window));
    print_info("workers", std::to_string(of.workers));
    print_info("rate", std::to_string(of.rate));
    print_info("echo", of.echo ? "1" : "0");
    print_info("cores", allowed_cores());
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::size_t equals = text.find('=');
        // The command-line tool's secrets are no knobs.
        const bool secret = text.starts_with("ZLINK_CURVE_SECRET=") || text.starts_with("ZLINK_PLAIN_PASSWORD=");
        if (equals != std::string::npos && !secret && (text.starts_with("ZMQ_ASIO_") || text.starts_with("ZLINK_"))) {
            print_info("knob_" + text.substr(0, equals), text.substr(equals + 1));
        }
    }
}

}  // namespace bench
