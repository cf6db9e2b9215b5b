// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Time, and what else differs from one run of a process to the next.

#include "sim/calls/call.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <ctime>

using namespace zlink::sim;

namespace {

world& here()
{
    return world::get();
}

constexpr clockid_t first_of_threads = 1'000'000;

timespec to_timespec(nanos t)
{
    return {time_t(t / second), long(t % second)};
}

nanos read(clockid_t which)
{
    switch (which) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE: return here().read_clock() + here().epoch;
    case CLOCK_THREAD_CPUTIME_ID: return here().current().ran;
    default: break;
    }
    if (which >= first_of_threads) {
        const fiber* const f = here().find(which - first_of_threads);
        return f ? f->ran : 0;
    }
    return here().read_clock();
}

void sleep(nanos time)
{
    const kernel_call call("sleep", std::uint64_t(time));
    here().sleep_until(here().now() + time, "a time (sleep)");
}

void fill(void* to, std::size_t size)
{
    auto* at = static_cast<unsigned char*>(to);
    for (std::size_t i = 0; i < size; ++i) at[i] = static_cast<unsigned char>(here().chance().next() >> 32);
}

}  // namespace

extern "C" {

int __real_clock_gettime(clockid_t, timespec*);
int __wrap_clock_gettime(clockid_t which, timespec* to)
{
    if (!world::exists()) return __real_clock_gettime(which, to);
    *to = to_timespec(read(which));
    return 0;
}
std::chrono::steady_clock::time_point __real__ZNSt6chrono3_V212steady_clock3nowEv();
std::chrono::steady_clock::time_point __wrap__ZNSt6chrono3_V212steady_clock3nowEv()
{
    if (!world::exists()) return __real__ZNSt6chrono3_V212steady_clock3nowEv();
    return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(here().read_clock()));
}
std::chrono::system_clock::time_point __real__ZNSt6chrono3_V212system_clock3nowEv();
std::chrono::system_clock::time_point __wrap__ZNSt6chrono3_V212system_clock3nowEv()
{
    if (!world::exists()) return __real__ZNSt6chrono3_V212system_clock3nowEv();
    return std::chrono::system_clock::time_point(std::chrono::nanoseconds(here().read_clock() + here().epoch));
}
int __real_pthread_getcpuclockid(pthread_t, clockid_t*);
int __wrap_pthread_getcpuclockid(pthread_t which, clockid_t* to)
{
    if (!world::exists()) return __real_pthread_getcpuclockid(which, to);
    *to = first_of_threads + int(which) - 1;
    return 0;
}
int __real_getrusage(__rusage_who_t, rusage*);
int __wrap_getrusage(__rusage_who_t who, rusage* to)
{
    if (!world::exists()) return __real_getrusage(who, to);
    *to = {};
    const nanos ran = here().current().ran;
    to->ru_utime = {time_t(ran / second), suseconds_t(ran % second / microsecond)};
    to->ru_nvcsw = long(here().current().waits);
    return 0;
}
int __real_nanosleep(const timespec*, timespec*);
int __wrap_nanosleep(const timespec* time, timespec* left)
{
    if (!world::exists()) return __real_nanosleep(time, left);
    sleep(nanos(time->tv_sec) * second + time->tv_nsec);
    return 0;
}
int __wrap_usleep(useconds_t time)
{
    sleep(nanos(time) * microsecond);
    return 0;
}
int __real_sched_yield();
int __wrap_sched_yield()
{
    if (!world::exists()) return __real_sched_yield();
    here().pass(300);
    here().yield();
    return 0;
}
int __wrap_sched_getaffinity(pid_t, std::size_t, cpu_set_t* to)
{
    CPU_ZERO(to);
    for (std::size_t i = 0; i < 4; ++i) CPU_SET(i, to);
    return 0;
}
int __wrap_prctl(int, ...)
{
    return 0;
}

ssize_t __real_getrandom(void*, std::size_t, unsigned);
ssize_t __wrap_getrandom(void* to, std::size_t size, unsigned flags)
{
    if (!world::exists()) return __real_getrandom(to, size, flags);
    fill(to, size);
    return ssize_t(size);
}
void __wrap_randombytes_buf(void* to, std::size_t size)
{
    fill(to, size);
}
pid_t __wrap_getpid()
{
    return 4242;
}
unsigned long __real_getauxval(unsigned long);
unsigned long __wrap_getauxval(unsigned long type)
{
    alignas(16) static const unsigned char octets[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    return type == AT_RANDOM ? reinterpret_cast<unsigned long>(octets) : __real_getauxval(type);
}
}
