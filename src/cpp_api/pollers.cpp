// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Pollers of the C++ API.
#include "socket/poller.hpp"

#include "cpp_api/calls.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace zlink::inline v1::core {

using cpp_api::answer;
using cpp_api::guarded;

namespace {

socket::poller* poller_of(void* handle) noexcept
{
    return socket::poller::valid(handle) ? static_cast<socket::poller*>(handle) : nullptr;
}

template <class Call>
int with_poller(void* handle, Call&& call) noexcept
{
    return guarded([&] {
        socket::poller* const p = poller_of(handle);
        const errc e = p ? call(*p) : errc::bad_address;
        if (e == errc::invalid_argument) tell_failure("it is in the poller already, or is not, or an event is unknown");
        return e;
    });
}

constexpr int no_descriptor = -1;

socket::poller::object object_of(void* s, int descriptor) noexcept
{
    return {s, s ? no_descriptor : descriptor};
}

}  // namespace

void* poller_create() noexcept
{
    return new (std::nothrow) socket::poller;
}

void poller_destroy(void* poller) noexcept
{
    delete poller_of(poller);
}

int poller_add(void* poller, void* socket, int descriptor, void* data, short events) noexcept
{
    return with_poller(poller, [&](auto& p) { return p.add(object_of(socket, descriptor), data, events); });
}

int poller_modify(void* poller, void* socket, int descriptor, short events) noexcept
{
    return with_poller(poller, [&](auto& p) { return p.modify(object_of(socket, descriptor), events); });
}

int poller_remove(void* poller, void* socket, int descriptor) noexcept
{
    return with_poller(poller, [&](auto& p) { return p.remove(object_of(socket, descriptor)); });
}

int poller_wait(void* poller, std::span<polled> to, long timeout_ms, std::size_t& ready)
{
    ready = 0;
    forget_words();
    zlink::socket::poller* const p = poller_of(poller);
    if (!p) return answer(errc::bad_address);
    std::array<zmq_poller_event_t, 64> found;
    try {
        const auto stored = p->wait({found.data(), std::min(to.size(), found.size())}, timeout_ms);
        if (!stored) return answer(stored.error());
        for (; ready < std::size_t(*stored); ++ready) {
            const zmq_poller_event_t& one = found[ready];
            to[ready] = {one.socket, one.fd, one.user_data, one.events};
        }
        return 0;
    } catch (const std::exception&) {
        return answer(errc::out_of_memory);
    }
}

}  // namespace zlink::inline v1::core
