// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/standard_error.hpp"

#include "base/cancellation.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace zlink::runtime {

void tell_standard_error(std::string_view line) noexcept
{
    const cancellation_held_off hold;
    const int error = errno;
    pollfd room{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&room, 1, 0) == 1 && (room.revents & POLLOUT)) {
        // A SIGPIPE of this write is taken back; one that was pending before stays.
        sigset_t broken, pending, before;
        sigemptyset(&broken);
        sigaddset(&broken, SIGPIPE);
        sigemptyset(&pending);
        sigpending(&pending);
        pthread_sigmask(SIG_BLOCK, &broken, &before);
        if (::write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EPIPE &&
            sigismember(&pending, SIGPIPE) != 1) {
            constexpr timespec at_once{};
            (void)::sigtimedwait(&broken, nullptr, &at_once);
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    errno = error;
}

}  // namespace zlink::runtime
