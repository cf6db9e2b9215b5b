#include "runtime/latch.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace zlink::runtime {

void latch::remove() noexcept
{
    // The address alone is used afterwards: a wake-up of what may be there by then is one too many, and no more.
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        ::syscall(SYS_futex, &count_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    }
}

bool latch::wait() noexcept
{
    // With a limit, as the kernel takes up a wait without one by itself after a signal.
    constexpr timespec limit{3600, 0};
    while (const std::uint32_t left = count_.load(std::memory_order_acquire)) {
        const long rc = ::syscall(SYS_futex, &count_, FUTEX_WAIT_PRIVATE, left, &limit, nullptr, 0);
        if (rc < 0 && errno == EINTR) return count_.load(std::memory_order_acquire) == 0;
    }
    return true;
}

}  // namespace zlink::runtime
