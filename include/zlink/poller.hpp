// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file poller.hpp
 * Waiting for several sockets and descriptors at once.
 */
#pragma once

#include <zlink/core.hpp>
#include <zlink/error.hpp>
#include <zlink/socket.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <new>
#include <span>
#include <system_error>
#include <utility>

namespace zlink {
inline namespace v1 {

/// What to poll for; combined by |.
enum class poll_events : short { none = 0, in = core::event_in, out = core::event_out, error = 4, priority = 8 };

[[nodiscard]] constexpr poll_events operator|(poll_events a, poll_events b) noexcept
{
    return poll_events(short(a) | short(b));
}
[[nodiscard]] constexpr poll_events operator&(poll_events a, poll_events b) noexcept
{
    return poll_events(short(a) & short(b));
}

/// Sockets and descriptors that stay registered, each with a pointer of the caller's. One thread at a time uses it. A
/// socket is removed before it is closed or moved from. Errors are thrown.
class poller {
public:
    /// What is ready.
    struct ready {
        void* native_handle;  ///< of the socket, or null
        int descriptor;       ///< -1 for a socket
        void* data;           ///< the caller's
        poll_events events;
    };

    poller() : handle_(core::poller_create())
    {
        if (!handle_) throw std::bad_alloc();
    }
    poller(poller&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    poller& operator=(poller&& other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~poller() { core::poller_destroy(handle_); }

    template <class Socket>
    void add(const Socket& s, poll_events events, void* data = nullptr)
    {
        core::throw_if(core::poller_add(handle_, handle_of(s), -1, data, short(events)));
    }
    template <class Socket>
    void modify(const Socket& s, poll_events events)
    {
        core::throw_if(core::poller_modify(handle_, handle_of(s), -1, short(events)));
    }
    template <class Socket>
    void remove(const Socket& s)
    {
        core::throw_if(core::poller_remove(handle_, handle_of(s), -1));
    }
    void add_descriptor(int fd, poll_events events, void* data = nullptr)
    {
        core::throw_if(core::poller_add(handle_, nullptr, fd, data, short(events)));
    }
    void modify_descriptor(int fd, poll_events events)
    {
        core::throw_if(core::poller_modify(handle_, nullptr, fd, short(events)));
    }
    void remove_descriptor(int fd) { core::throw_if(core::poller_remove(handle_, nullptr, fd)); }

    /// Waits until something is ready, for so long at most (opt::infinite: no limit). Returns how many were stored; 0:
    /// the time is over. No more than 64 at once.
    [[nodiscard]] std::size_t wait(std::span<ready> to, std::chrono::milliseconds at_most)
    {
        core::polled found[most];
        std::size_t count = 0;
        const int error = core::poller_wait(handle_, {found, to.size() < most ? to.size() : most},
                                            core::milliseconds_of(at_most), count);
        if (error != EAGAIN) core::throw_if(error);
        for (std::size_t i = 0; i < count; ++i)
            to[i] = {found[i].socket, found[i].descriptor, found[i].data, poll_events(found[i].events)};
        return count;
    }

private:
    template <class Socket>
    [[nodiscard]] static void* handle_of(const Socket& s)
    {
        if (!s.native_handle()) throw std::system_error(make_error_code(errc::not_a_socket));
        return s.native_handle();
    }

    static constexpr std::size_t most = 64;

    void* handle_;
};

}  // namespace v1
}  // namespace zlink
