// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether a thread of this program sleeps, as /proc tells. It sleeps for any reason, or in a call that lets signals
// through for just as long (ppoll with a mask). In such a call, what comes afterwards must be told: signal and wake-up
// in whatever order.
#pragma once

#include "support/kernel_calls.hpp"

#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace zlink::test {

// What the kernel says of a thread's system call: its number and arguments; "running" outside one; empty if it does not
// say.
inline std::string system_call_of(pid_t thread)
{
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/syscall");
    std::string line;
    std::getline(file, line);
    return line;
}

/// What tests of such sleeps cannot do without: it fails them where the kernel is built without it.
inline testing::AssertionResult kernel_tells_of_system_calls()
{
    if (!system_call_of(thread_id()).empty()) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "/proc/self/task/*/syscall cannot be read: mount /proc, with a kernel that has "
              "CONFIG_HAVE_ARCH_TRACEHOOK";
}

/// In whatever call.
inline bool sleeps(pid_t thread)
{
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')');
    return name_end != std::string::npos && line.compare(name_end, 3, ") S") == 0;
}

inline bool sleeps_heeding_signals(pid_t thread)
{
    std::istringstream words(system_call_of(thread));
    long number = -1;
    std::string descriptors, count, limit, mask;
    words >> number >> descriptors >> count >> limit >> mask;
    return number == SYS_ppoll && mask.find_first_not_of("0x") != std::string::npos;
}

// Wait for that; `thread` is 0 as long as it is not known.

template <class Condition>
bool comes_to(Condition sleep, const std::atomic<pid_t>& thread)
{
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (thread == 0 || !sleep(thread)) {
        if (std::chrono::steady_clock::now() > late) return false;
        std::this_thread::yield();
    }
    return true;
}

inline bool comes_to_sleep(const std::atomic<pid_t>& thread)
{
    return comes_to(sleeps, thread);
}

inline bool comes_to_sleep_heeding_signals(const std::atomic<pid_t>& thread)
{
    return comes_to(sleeps_heeding_signals, thread);
}

}  // namespace zlink::test
