// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A poller: sockets and descriptors that stay registered, each with a pointer of the program's own. One thread at a
// time.
#pragma once

#include "base/errc.hpp"
#include "base/result.hpp"
#include "runtime/descriptor_group.hpp"
#include "socket/poll.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace zlink::socket {

class poller {
public:
    poller() = default;
    ~poller() { tag_ = dead_tag; }
    poller(const poller&) = delete;
    poller& operator=(const poller&) = delete;

    /// Whether `handle` is a poller, as far as its memory tells.
    [[nodiscard]] static bool valid(const void* handle) noexcept
    {
        return handle && static_cast<const poller*>(handle)->tag_ == live_tag;
    }

    /// A registered object: a socket, or a descriptor if `socket` is null.
    struct object {
        void* socket;
        int fd;
        [[nodiscard]] bool operator==(const object&) const = default;
    };

    /// The three fail with not_a_socket, with EBADF for fd -1, and with invalid_argument. The last means unknown
    /// events, or an object that is there already (add) or is not there (modify, remove).
    [[nodiscard]] errc add(object what, void* user_data, short events);
    [[nodiscard]] errc modify(object what, short events) noexcept;
    [[nodiscard]] errc remove(object what) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    /// A descriptor that is readable if wait() may find something at the shared sockets. It may be readable in vain.
    /// It stays so until wait() has looked, or has looked twice if the first look took in news. invalid_argument: no
    /// shared socket is registered.
    [[nodiscard]] result<int> descriptor();

    /// Waits like poll() and stores the ready objects, no more than fit. Returns how many were stored, never 0.
    /// errc::again when the time is over; bad_address for a wait for ever with nothing to wait for.
    [[nodiscard]] result<int> wait(std::span<zmq_poller_event_t> events, long timeout);

private:
    struct entry {
        object what;
        void* user_data;
        short events;
    };
    using position = std::vector<entry>::iterator;

    [[nodiscard]] static errc check(object what) noexcept;
    [[nodiscard]] position find(object what) noexcept;
    void rebuild();
    [[nodiscard]] errc watch(object what) noexcept;
    void take_in_descriptors() noexcept;

    static constexpr std::uint32_t live_tag = 0x7a706f6c;
    static constexpr std::uint32_t dead_tag = 0xdeadbeef;

    std::uint32_t tag_ = live_tag;
    bool changed_ = false;  ///< active_ does not match entries_
    std::vector<entry> entries_;
    // Those with events, in the same order: the items for poll(), and the user data of each.
    std::vector<zmq_pollitem_t> active_;
    std::vector<void*> active_data_;
    std::unique_ptr<runtime::descriptor_group> watched_;  ///< descriptors of the shared sockets, once asked for
};

}  // namespace zlink::socket
