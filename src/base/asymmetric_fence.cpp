// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/asymmetric_fence.hpp"

#include <mutex>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace zlink::asymmetric_fence {

namespace {

#if defined(__linux__) && defined(SYS_membarrier)
bool membarrier(int command) noexcept
{
    return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

[[maybe_unused]] bool register_process() noexcept
{
    return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool expedited() noexcept
{
    return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
#else
[[maybe_unused]] bool register_process() noexcept
{
    return false;
}

bool expedited() noexcept
{
    return false;
}
#endif

}  // namespace

void initialise(bool force_fences) noexcept
{
    static std::once_flag once;
    std::call_once(once, [force_fences] {
#ifdef ZLINK_TSAN
        (void)force_fences;
#else
        // Registration may take milliseconds when the process has threads already; it happens once.
        if (!force_fences && register_process()) detail::fenced.store(false, std::memory_order_seq_cst);
#endif
    });
}

bool heavy_fence() noexcept
{
    if (detail::fenced.load(std::memory_order_relaxed)) {
        full_fence();
        return true;
    }
    if (expedited()) return true;
    detail::fenced.store(true, std::memory_order_seq_cst);
    full_fence();  // for threads that use full fences already
    return false;
}

bool barrier() noexcept
{
#ifdef ZLINK_TSAN
    full_fence();
    return true;
#else
    // A full fence of this thread alone would not be enough, even if the mode has become fenced meanwhile.
    return !detail::fenced.load(std::memory_order_relaxed) && expedited();
#endif
}

}  // namespace zlink::asymmetric_fence
