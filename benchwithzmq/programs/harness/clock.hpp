// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Time and CPU use of this process. Monotonic clock only.
#pragma once

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace bench {

[[nodiscard]] inline std::uint64_t now_ns()
{
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

inline void sleep_ns(std::uint64_t ns)
{
    const timespec t{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr);
}

inline void sleep_until_ns(std::uint64_t when)
{
    const timespec t{static_cast<time_t>(when / 1'000'000'000), static_cast<long>(when % 1'000'000'000)};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
}

// CPU time of the calling thread.
[[nodiscard]] inline std::uint64_t thread_cpu_ns()
{
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

// CPU time and memory of a whole process.
struct usage {
    std::uint64_t user_ns = 0;
    std::uint64_t system_ns = 0;
    std::uint64_t peak_rss_kb = 0;

    usage& operator+=(const usage& other)
    {
        user_ns += other.user_ns;
        system_ns += other.system_ns;
        peak_rss_kb += other.peak_rss_kb;
        return *this;
    }

    // CPU time since `earlier`; the peak stays.
    [[nodiscard]] usage since(const usage& earlier) const
    {
        return {user_ns - earlier.user_ns, system_ns - earlier.system_ns, peak_rss_kb};
    }
};

[[nodiscard]] inline usage own_usage()
{
    rusage r{};
    ::getrusage(RUSAGE_SELF, &r);
    const auto ns = [](const timeval& t) {
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_usec) * 1000;
    };
    return {ns(r.ru_utime), ns(r.ru_stime), static_cast<std::uint64_t>(r.ru_maxrss)};
}

// Memory of this process that is in RAM at the moment.
[[nodiscard]] inline double resident_octets()
{
    std::ifstream file("/proc/self/statm");
    double total = 0;
    double resident = 0;
    file >> total >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace bench
