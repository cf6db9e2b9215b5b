// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/interrupter.hpp"

#include "base/cancellation.hpp"
#include "load/thread_waits.hpp"
#include "runtime/clock.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace zlink::runtime {

result<void> interrupter::open() noexcept
{
    fd_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!fd_) return from_errno(errno);
    return {};
}

void interrupter::interrupt() noexcept
{
    const cancellation_held_off hold;
    const std::uint64_t one = 1;
    const auto start = clock::now();
    [[maybe_unused]] const ssize_t written = ::write(fd_.get(), &one, sizeof one);
    load::note_telling_of_this_thread(clock::now() - start);
}

}  // namespace zlink::runtime
