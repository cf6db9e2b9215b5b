// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How I/O threads are scheduled and named (ZMQ_THREAD_* context options).
#pragma once

#include <set>
#include <string>

namespace zlink::runtime {

struct thread_settings {
    int sched_policy = -1;  ///< -1: left alone
    int priority = -1;      ///< -1: left alone
    std::set<int> cpus;     ///< empty: any
    std::string name_prefix;
};

/// Applies to the calling thread, as far as the system allows. Blocks all signals, and names the thread
/// "[<prefix>/]zlink/<role><index>" (cut to the system's 15 characters).
void apply_to_this_thread(const thread_settings& settings, const char* role, int index) noexcept;

}  // namespace zlink::runtime
