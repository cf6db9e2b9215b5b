// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the programs for the C++ API share: arguments, numbered messages, and the result.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

namespace bench_cpp {

using steady = std::chrono::steady_clock;

struct arguments {
    std::string mode;
    std::size_t size;
    double seconds;
};

[[noreturn]] inline void fail(const char* what)
{
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
}

inline arguments parse(int argc, char** argv, const char* modes)
{
    if (argc == 4) {
        const arguments a{argv[1], std::strtoul(argv[2], nullptr, 10), std::strtod(argv[3], nullptr)};
        if (a.size >= sizeof(std::uint64_t) && a.size <= 65'536 && a.seconds > 0 && a.seconds <= 60) return a;
    }
    std::fprintf(stderr, "usage: %s MODE OCTETS SECONDS\nmodes: %s\n", argv[0], modes);
    std::exit(2);
}

/// Counts what has come, and checks that nothing is missing. The first tenth of the time is warm-up.
class counter {
public:
    explicit counter(const arguments& a) : size_(a.size), seconds_(a.seconds) {}

    /// True: the time is over.
    bool took(std::span<const std::byte> message)
    {
        std::uint64_t number = 0;
        if (message.size() != size_) fail("a message has another size");
        std::memcpy(&number, message.data(), sizeof number);
        if (number != next_++) fail("a message is missing");
        constexpr std::uint64_t between_looks = 256;
        return next_ % between_looks == 0 && look();
    }
    /// A round trip, of which each is timed by the whole.
    bool turned()
    {
        constexpr std::uint64_t between_looks = 64;
        return ++next_ % between_looks == 0 && look();
    }
    [[nodiscard]] double per_second() const { return double(next_ - first_) / elapsed_; }

private:
    bool look()
    {
        const auto now = steady::now();
        const double since = std::chrono::duration<double>(now - start_).count();
        if (first_ == 0) {
            if (since < seconds_ / 10) return false;
            first_ = next_;
            start_ = now;
            return false;
        }
        elapsed_ = since;
        return since >= seconds_;
    }

    std::size_t size_;
    double seconds_;
    steady::time_point start_ = steady::now();
    std::uint64_t next_ = 0;
    std::uint64_t first_ = 0;  ///< of those that count; 0: none does yet
    double elapsed_ = 0;
};

inline void print(const arguments& a, const char* metric, double value)
{
    std::printf("RESULT,%s,%zu,%s,%.3f\n", a.mode.c_str(), a.size, metric, value);
}

}  // namespace bench_cpp
