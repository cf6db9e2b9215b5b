// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/random_octets.hpp"

#include "base/cancellation.hpp"
#include "base/process_secret.hpp"
#include "base/sip_hash.hpp"
#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>  // defines __GLIBC__
#include <cstdint>

#if defined(__GLIBC__) && __GLIBC__ == 2 && __GLIBC_MINOR__ < 25
#define ZLINK_NO_GETRANDOM
#else
#include <sys/random.h>
#endif

namespace zlink {

namespace {

// Lets `ask` fill the octets, with several calls if needed. Returns the rest that it does not fill.
template <class Ask>
std::span<std::byte> unfilled(std::span<std::byte> to, Ask ask) noexcept
{
    while (!to.empty()) {
        const ssize_t n = ask(to);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        to = to.subspan(std::size_t(n));
    }
    return to;
}

std::span<std::byte> unfilled_by_device(std::span<std::byte> to) noexcept
{
    const unique_fd device(::open("/dev/urandom", O_RDONLY | O_CLOEXEC));
    if (device.get() < 0) return to;
    return unfilled(to, [&](std::span<std::byte> rest) { return ::read(device.get(), rest.data(), rest.size()); });
}

// The octets that the kernel gave to the process at its start stay secret: they are used only as the key. Forked
// processes differ by their numbers.
void fill_from_secret(std::span<std::byte> to) noexcept
{
    static std::atomic<std::uint64_t> count{0};
    const sip_key key = process_key();
    while (!to.empty()) {
        const std::uint64_t word =
            sip_hash(key, count.fetch_add(1, std::memory_order_relaxed), std::uint64_t(::getpid()));
        const auto octets = std::as_bytes(std::span(&word, 1));
        const std::size_t n = std::min(octets.size(), to.size());
        std::copy_n(octets.begin(), n, to.begin());
        to = to.subspan(n);
    }
}

}  // namespace

void random_octets(std::span<std::byte> to) noexcept
{
    const cancellation_held_off hold;
#ifndef ZLINK_NO_GETRANDOM
    to = unfilled(to, [](std::span<std::byte> rest) { return ::getrandom(rest.data(), rest.size(), 0); });
#endif
    // For systems that lack or forbid the call, and then for those that forbid the file, too.
    if (!to.empty()) to = unfilled_by_device(to);
    if (!to.empty()) fill_from_secret(to);
}

}  // namespace zlink
