// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Contexts of the C++ API: those of the C API, by the same handles.
#include "base/cancellation.hpp"
#include "cpp_api/calls.hpp"
#include "runtime/deadline.hpp"
#include "socket/context.hpp"
#include "stats/service.hpp"

#include <zmq.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace zlink::inline v1::core {

using cpp_api::answer;
using cpp_api::guarded;

namespace {

std::atomic<std::uint64_t> messages_dropped{0};  ///< relaxed: a count, which publishes nothing

/// Null, with EFAULT.
socket::context* context_of(void* handle) noexcept
{
    forget_words();
    if (socket::context::valid(handle)) return static_cast<socket::context*>(handle);
    (void)cpp_api::fail(errc::bad_address, "that is not a context, or it was terminated");
    return nullptr;
}

}  // namespace

int context_create(int io_threads, void*& made) noexcept
{
    made = nullptr;
    const cancellation_held_off hold;
    forget_words();
    socket::context* const c = socket::context::create();
    if (!c) return answer(errc::out_of_memory);
    stats::context_begun();
    const int error = guarded([&] { return c->set(ZMQ_IO_THREADS, io_threads); });
    if (error == 0) {
        made = c;
        return 0;
    }
    (void)context_terminate(c, -1);
    if (error == EINVAL) return cpp_api::fail(errc::invalid_argument, "the number of I/O threads is 0 or more");
    return error;
}

int context_create_hosted(void (*opened)(void*) noexcept, void* host, void*& made) noexcept
{
    made = nullptr;
    const cancellation_held_off hold;
    return guarded([&] {
        const auto c = socket::context::create_hosted({host, opened});
        if (!c) return c.error();
        stats::context_begun();
        made = *c;
        return errc::none;
    });
}

int context_descriptor(void* handle) noexcept
{
    socket::context* const c = context_of(handle);
    return c && c->hosted() ? c->hosted()->descriptor() : -1;
}

bool context_step(void* handle, std::int64_t budget_ns, std::int64_t& pause_ns) noexcept
{
    const cancellation_held_off hold;
    const auto pause = static_cast<socket::context*>(handle)->step(std::chrono::nanoseconds(budget_ns));
    pause_ns = pause && *pause != runtime::event_loop::unlimited ? pause->count() : -1;
    return pause.has_value();
}

bool context_lives(void* handle) noexcept
{
    return static_cast<socket::context*>(handle)->any_alive();
}

void context_drop(void* handle) noexcept
{
    socket::context* const c = context_of(handle);
    if (!c) return;
    const bool made_here = c->made_here();
    messages_dropped.fetch_add(c->drop(), std::memory_order_relaxed);
    if (made_here) stats::context_ended();
}

std::uint64_t context_messages_dropped() noexcept
{
    return messages_dropped.load(std::memory_order_relaxed);
}

bool context_valid(const void* handle) noexcept
{
    return socket::context::valid(handle);
}

int context_terminate(void* handle, int timeout_ms)
{
    socket::context* const c = context_of(handle);
    if (!c) return EFAULT;
    const bool made_here = c->made_here();
    const errc outcome = c->terminate_until(runtime::deadline_after(timeout_ms));
    if (outcome == errc::none && made_here) stats::context_ended();
    return answer(outcome);
}

void context_end(void* handle) noexcept
{
    const cancellation_held_off hold;
    while (context_terminate(handle, -1) == EINTR) {
    }
}

void context_shutdown(void* handle) noexcept
{
    if (socket::context* const c = context_of(handle)) c->shutdown();
}

int context_set(void* handle, int option, int value) noexcept
{
    socket::context* const c = context_of(handle);
    return c ? guarded([&] { return c->set(option, value); }) : EFAULT;
}

int context_get(void* handle, int option, int& value) noexcept
{
    socket::context* const c = context_of(handle);
    return c ? guarded([&] { return c->get(option, value); }) : EFAULT;
}

}  // namespace zlink::inline v1::core
