// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/jitter_seed.hpp"

#include "base/process_secret.hpp"
#include "base/sip_hash.hpp"

#include <unistd.h>

#include <atomic>

namespace zlink {

std::uint32_t jitter_seed() noexcept
{
    static std::atomic<std::uint64_t> count{0};
    // Keeps seeds apart from random octets, which are made of the same key and two small numbers.
    constexpr std::uint64_t of_jitter = std::uint64_t(1) << 63;
    return std::uint32_t(
        sip_hash(process_key(), count.fetch_add(1, std::memory_order_relaxed), of_jitter | std::uint64_t(::getpid())));
}

}  // namespace zlink
