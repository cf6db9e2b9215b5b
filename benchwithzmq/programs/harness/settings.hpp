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
    unsigned peers = 10;
};

// Parses them; bad ones end the program with one line and exit status 2, --help with 0. `transports` are the names that the
// program knows, separated by a space.
[[nodiscard]] settings parse_settings(int argc, char** argv, const std::string& transports = "tcp ipc inproc");

// A whole number within bounds, or exit status 2 with a line that names `what`.
[[nodiscard]] std::uint64_t parse_number(const char* what, const char* text, std::uint64_t low, std::uint64_t high);

// The same from an environment variable; unset or empty gives `otherwise`.
[[nodiscard]] std::uint64_t number_from_environment(const char* variable, std::uint64_t otherwise, std::uint64_t low,
                                                    std::uint64_t high);
[[nodiscard]] double seconds_from_environment(double otherwise);

}  // namespace bench
