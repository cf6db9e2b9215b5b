// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_atomic_counter_*(): a counter that threads share, for reference counts of bindings.
#include "c_api/failing.hpp"
#include "zmq.h"

#include <atomic>
#include <cerrno>
#include <new>

namespace {

using counter_value = std::atomic<int>;

// A null handle is the only misuse that can be detected; the call then has no effect and sets EFAULT.
counter_value* as_counter(void* handle) noexcept
{
    if (handle == nullptr) {
        zlink::c_api::set_errno(EFAULT);
    }
    return static_cast<counter_value*>(handle);
}

}  // namespace

void* zmq_atomic_counter_new(void)
{
    auto* counter = new (std::nothrow) counter_value{0};
    if (counter == nullptr) {
        zlink::c_api::set_errno(ENOMEM);
    }
    return counter;
}

void zmq_atomic_counter_set(void* handle, int value)
{
    if (auto* counter = as_counter(handle)) {
        counter->store(value);
    }
}

int zmq_atomic_counter_inc(void* handle)
{
    auto* counter = as_counter(handle);
    // A thread that adds a reference holds one already, so nothing needs to be ordered here.
    return counter != nullptr ? counter->fetch_add(1, std::memory_order_relaxed) : -1;
}

int zmq_atomic_counter_dec(void* handle)
{
    auto* counter = as_counter(handle);
    if (counter == nullptr) {
        return -1;
    }
    // Pairs with itself: the thread that reaches 0 sees all that the other threads did before they let go.
    return counter->fetch_sub(1, std::memory_order_acq_rel) == 1 ? 0 : 1;
}

int zmq_atomic_counter_value(void* handle)
{
    auto* counter = as_counter(handle);
    return counter != nullptr ? counter->load() : -1;
}

void zmq_atomic_counter_destroy(void** handle)
{
    if (handle == nullptr) {
        zlink::c_api::set_errno(EFAULT);
        return;
    }
    delete static_cast<counter_value*>(*handle);
    *handle = nullptr;
}
