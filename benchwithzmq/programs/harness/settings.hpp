// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a program was asked to do: its arguments and the BENCH_* variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

struct settings {
    std::string label;
    std::string transport;
    std::size_t size = 0;
    bool throughput = true;
    bool latency = true;
    double seconds = 1;
    std::uint64_t msg_count = 0;  // 0: measure for `seconds`
    int io_threads = 1;
    int hwm = -1;  // -1: the library's default
    bool two_process = false;
    int sender_core = -1;  // that the sending end is pinned to; -1: none
    int receiver_core = -1;
    bool messages = false;     // zmq_msg_send and zmq_msg_recv, not zmq_send and zmq_recv
    bool shared_core = false;  // next to a busy process
    unsigned peers = 10;
    unsigned window = 1;          // messages that each peer of a conversation keeps in flight
    unsigned workers = 4;         // behind a broker
    std::uint64_t rate = 10'000;  // messages a second, where they leave on time
    bool echo = false;            // they come back
    double hold = 10;             // seconds that the highest rate is to be kept for
};

// What differs from program to program.
struct command_line {
    std::string transports = "tcp ipc inproc curve+tcp curve+ipc tls ws wss curve+ws";  // that it knows
    std::string size = "octets of a message";                                           // what SIZE means
    std::uint64_t largest_size = std::uint64_t{1} << 30;
    unsigned peers = 10;       // unless BENCH_PEERS says otherwise
    unsigned window = 1;       // unless BENCH_WINDOW says otherwise
    bool two_process = false;  // over tcp and ipc, unless BENCH_TWO_PROCESS says otherwise
};

// The transport below: "tcp" of "curve+tcp".
[[nodiscard]] std::string without_curve(const std::string& transport);
// Whether its connections are encrypted.
[[nodiscard]] bool has_curve(const std::string& transport);

// Parses them; bad ones end the program with one line and exit status 2, --help with 0.
[[nodiscard]] settings parse_settings(int argc, char** argv, const command_line& line = {});

// Only the BENCH_* variables; what is not set stays.
void read_environment(settings& to);

// Lets this process, and those it forks, have so many descriptors open, or ends the program with a line that says how.
void allow_descriptors(std::uint64_t count);

// A whole number within bounds, or exit status 2 with a line that names `what`.
[[nodiscard]] std::uint64_t parse_number(const char* what, const char* text, std::uint64_t low, std::uint64_t high);

// The same from an environment variable; unset or empty gives `otherwise`.
[[nodiscard]] std::uint64_t number_from_environment(const char* variable, std::uint64_t otherwise, std::uint64_t low,
                                                    std::uint64_t high);

}  // namespace bench
