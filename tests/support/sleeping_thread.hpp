// Whether a thread of this program sleeps in a call that lets signals through for just as long (ppoll with a mask): what
// comes afterwards, signal and wake-up in whatever order, must be told.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace zlink::test {

// What the kernel says of a thread's system call: its number and arguments; "running" outside one; empty if it does not say.
inline std::string system_call_of(pid_t thread)
{
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/syscall");
    std::string line;
    std::getline(file, line);
    return line;
}

inline bool sleeps_heeding_signals(pid_t thread)
{
    std::istringstream words(system_call_of(thread));
    long number = -1;
    std::string descriptors, count, limit, mask;
    words >> number >> descriptors >> count >> limit >> mask;
    return number == SYS_ppoll && mask.find_first_not_of("0x") != std::string::npos;
}

// Waits for that; `thread` is 0 as long as it is not known.
inline bool comes_to_sleep_heeding_signals(const std::atomic<pid_t>& thread)
{
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (thread == 0 || !sleeps_heeding_signals(thread)) {
        if (std::chrono::steady_clock::now() > late) return false;
        std::this_thread::yield();
    }
    return true;
}

}  // namespace zlink::test
