// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sleeping on a word of memory, within this process.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace zlink::runtime {

/// Sleeps while `word` is `expected`. 0: woken; else EAGAIN (it was not), EINTR or ETIMEDOUT.
[[nodiscard]] inline int futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                                    const timespec& at_most) noexcept
{
    return ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &at_most, nullptr, 0) < 0 ? errno : 0;
}

/// Wakes at most `most` sleepers. Only the address is used: the word need not exist any more.
inline void futex_wake(std::atomic<std::uint32_t>& word, int most) noexcept
{
    ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
}

}  // namespace zlink::runtime
