// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/process_generation.hpp"

#include <pthread.h>

#include <mutex>

namespace zlink {

void watch_forks() noexcept
{
    static std::once_flag once;
    std::call_once(once, [] {
        pthread_atfork(nullptr, nullptr, [] { detail::generation.fetch_add(1, std::memory_order_relaxed); });
    });
}

}  // namespace zlink
