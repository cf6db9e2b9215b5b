// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/clock.hpp"

#include <pthread.h>
#include <sys/resource.h>

namespace zlink::runtime {

namespace {

std::chrono::nanoseconds read(clockid_t which) noexcept
{
    timespec t{};
    (void)::clock_gettime(which, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

// CLOCK_REALTIME: there is none (which happens to a thread that has ended).
clockid_t clock_of_this_thread() noexcept
{
    clockid_t mine = CLOCK_REALTIME;
    (void)::pthread_getcpuclockid(::pthread_self(), &mine);
    return mine;
}

}  // namespace

std::chrono::milliseconds clock::coarse() noexcept
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(read(CLOCK_MONOTONIC_COARSE));
}

std::chrono::nanoseconds clock::process_time() noexcept
{
    return read(CLOCK_PROCESS_CPUTIME_ID);
}

thread_usage thread_usage::now() noexcept
{
    rusage r{};
    (void)::getrusage(RUSAGE_THREAD, &r);
    const auto of = [](const timeval& t) {
        return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
    };
    return {of(r.ru_utime) + of(r.ru_stime), r.ru_nivcsw, r.ru_nvcsw, ::pthread_self()};
}

void thread_clock::begin() noexcept
{
    id_.store(clock_of_this_thread(), std::memory_order_relaxed);
}

bool thread_clock::is_callers_or_nobodys() const noexcept
{
    const clockid_t id = id_.load(std::memory_order_relaxed);
    return id == none || id == clock_of_this_thread();
}

std::chrono::nanoseconds thread_clock::time() const noexcept
{
    const clockid_t id = id_.load(std::memory_order_relaxed);
    return id == none ? std::chrono::nanoseconds{} : read(id);
}

}  // namespace zlink::runtime
