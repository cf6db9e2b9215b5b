// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The handler only stores a number and writes an eventfd: both are allowed in a signal handler.
#include "support/stop_signal.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace zlink::tool::stop_signal {
namespace {

std::atomic<bool> stop_requested{false};
std::atomic<int> signal_number{0};
int event_descriptor = -1;

void wake() noexcept
{
    const int saved = errno;
    stop_requested.store(true);
    const std::uint64_t one = 1;
    if (write(event_descriptor, &one, sizeof one) < 0) {
        // The counter is full: the descriptor is readable already.
    }
    errno = saved;
}

void on_signal(int number)
{
    signal_number.store(number);
    wake();
}

}  // namespace

void install()
{
    event_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct sigaction action {};
    action.sa_handler = on_signal;  // no SA_RESTART: blocking calls return EINTR
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        sigaction(number, &action, nullptr);
    }
    std::signal(SIGPIPE, SIG_IGN);
}

bool requested() noexcept
{
    return stop_requested.load();
}

int number() noexcept
{
    return signal_number.load();
}

void request() noexcept
{
    wake();
}

int descriptor() noexcept
{
    return event_descriptor;
}

}  // namespace zlink::tool::stop_signal
