// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/brief_lock.hpp"

namespace zlink::runtime {

namespace {

/// About a microsecond of looks: longer than a section takes, and shorter than a sleep.
constexpr int most_looks = 40;

constexpr timespec an_hour{3600, 0};

void relax() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

void brief_lock::lock_contended() noexcept
{
    for (int looks = 0; looks < most_looks; ++looks) {
        relax();
        if (!is_held() && try_lock()) return;
    }
    while (word_.exchange(wanted, std::memory_order_acquire) != free) (void)futex_wait(word_, wanted, an_hour);
}

}  // namespace zlink::runtime
