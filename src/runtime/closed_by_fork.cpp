// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/closed_by_fork.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

namespace zlink::runtime::closed_by_fork {

namespace {

constexpr int none = -1;

// Each holds a descriptor and 1, so that 0 is none. Sequentially consistent: this is rare.
constinit std::atomic<int> kept[most] = {};

// In the child, which has one thread.
void close_all() noexcept
{
    for (auto& one : kept) {
        if (const int fd = one.exchange(0) - 1; fd != none) ::close(fd);
    }
}

bool watches() noexcept
{
    static std::once_flag once;
    static bool done = false;
    std::call_once(once, [] { done = ::pthread_atfork(nullptr, nullptr, close_all) == 0; });
    return done;
}

}  // namespace

bool keep(int fd) noexcept
{
    if (!watches()) return false;
    for (auto& one : kept) {
        int empty = 0;
        if (one.compare_exchange_strong(empty, fd + 1)) return true;
    }
    return false;
}

void forget(int fd) noexcept
{
    for (auto& one : kept) {
        int its = fd + 1;
        if (one.compare_exchange_strong(its, 0)) return;
    }
}

}  // namespace zlink::runtime::closed_by_fork
