// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/signal_descriptor.hpp"

#include "base/cancellation.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace zlink::runtime {

bool signal_descriptor::open() noexcept
{
    close();
    fd_.store(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), std::memory_order_seq_cst);
    return get() >= 0;
}

void signal_descriptor::close() noexcept
{
    const int fd = fd_.load(std::memory_order_relaxed);
    if (fd < 0) return;
    fd_.store(-1, std::memory_order_relaxed);
    const cancellation_held_off hold;
    ::close(fd);
}

bool signal_descriptor::take() const noexcept
{
    const cancellation_held_off hold;
    std::uint64_t value = 0;
    return ::read(fd_.load(std::memory_order_relaxed), &value, sizeof value) == sizeof value;
}

void signal_descriptor::raise() const noexcept
{
    const cancellation_held_off hold;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(fd_.load(std::memory_order_relaxed), &one, sizeof one);
}

}  // namespace zlink::runtime
