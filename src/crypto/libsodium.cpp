// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "crypto/libsodium.hpp"

#include "base/process_generation.hpp"

#include <sodium.h>

#include <atomic>
#include <cstdint>

namespace zlink::crypto {
namespace {

constinit std::atomic<bool> started{false};  // its own partner: a thread that sees it sees libsodium's choice
/// The process, counted from 1, in which a thread began first. Relaxed: it only distinguishes processes.
constinit std::atomic<std::uint64_t> begun_in{0};

bool began_before_fork() noexcept
{
    const std::uint64_t now = process_generation() + 1;
    std::uint64_t first = 0;
    return !begun_in.compare_exchange_strong(first, now, std::memory_order_relaxed) && first != now;
}

}  // namespace

void start_libsodium() noexcept
{
    if (started.load(std::memory_order_acquire)) return;
    watch_forks();
    if (began_before_fork()) return;
    if (sodium_init() >= 0) started.store(true, std::memory_order_release);
}

}  // namespace zlink::crypto
