// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/thread_settings.hpp"

#include "runtime/pause.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdio>

namespace zlink::runtime {

bool has_one_core() noexcept
{
    cpu_set_t cores;
    return ::sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) == 1;
}

void apply_to_this_thread(const thread_settings& settings, const char* role, int index) noexcept
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);

    char name[16];
    std::snprintf(name, sizeof name, "%s%szlink/%s%d", settings.name_prefix.c_str(),
                  settings.name_prefix.empty() ? "" : "/", role, index);
    pthread_setname_np(pthread_self(), name);

    if (!settings.cpus.empty()) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (const int cpu : settings.cpus) {
            if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(std::size_t(cpu), &set);
        }
        pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    }
    if (settings.sched_policy < 0 && settings.priority < 0) return;
    int policy = SCHED_OTHER;
    sched_param param{};
    pthread_getschedparam(pthread_self(), &policy, &param);
    if (settings.sched_policy >= 0) policy = settings.sched_policy;
    const bool realtime = policy == SCHED_FIFO || policy == SCHED_RR;
    param.sched_priority = realtime && settings.priority >= 0 ? settings.priority : realtime ? 1 : 0;
    pthread_setschedparam(pthread_self(), policy, &param);
    // For the other policies the priority is a nice value.
    if (!realtime && settings.priority > 0) setpriority(PRIO_PROCESS, 0, -settings.priority);
}

}  // namespace zlink::runtime
