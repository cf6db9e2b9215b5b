// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The sockets of a poll that need a hold. Checked ones are held for as long as the poll lasts. Shared ones are held for
// a look at a time, and the poll has a place in the line of each while it sleeps.
//
// Threads: the poll's.
#pragma once

#include "base/errc.hpp"
#include "runtime/waiter.hpp"
#include "socket/handle_tag.hpp"
#include "socket/wait_line.hpp"

#include <zmq.h>

#include <cstddef>
#include <memory>
#include <span>

namespace zlink::socket {

class held_socket;

class polled_sockets {
public:
    /// All are taken to be plain, until hold().
    explicit polled_sockets(std::span<const zmq_pollitem_t> items) noexcept : items_(items) {}
    ~polled_sockets()
    {
        if (checked_ != 0) [[unlikely]]
            end_calls();
    }
    polled_sockets(const polled_sockets&) = delete;
    polled_sockets& operator=(const polled_sockets&) = delete;

    /// Finds out what each one is, once: a shared one may be closed at any time. Fails with not_a_socket, fsm (another
    /// thread is inside a checked one) or out_of_memory.
    [[nodiscard]] errc examine() noexcept;
    /// The same, if one of them is not plain.
    [[nodiscard]] errc hold() noexcept;
    [[nodiscard]] bool any_shared() const noexcept { return shared_ != 0; }
    /// None needs a hold.
    [[nodiscard]] bool all_plain() const noexcept { return !lines_; }
    /// `item` is one of those that the constructor got, and a socket that needs no lock.
    [[nodiscard]] bool is_unshared(const zmq_pollitem_t& item) const noexcept
    {
        return item.socket && (shared_ == 0 || !lines_[index_of(item)].shared);
    }

    /// `s` holds `item`'s socket, and it is still what it was: not another one at its address.
    [[nodiscard]] bool holds(const zmq_pollitem_t& item, const held_socket& s) const noexcept;

    /// After w.prepare(): from now on `w` is woken. leave_lines() has to follow. False: a socket was closed.
    [[nodiscard]] bool join_lines(runtime::waiter& w) noexcept;
    void leave_lines() noexcept;
    /// In join_lines() or leave_lines() a shared socket was found closed. Its handle may be another one's already.
    [[nodiscard]] bool any_closed() const noexcept { return closed_; }

private:
    struct in_line {
        bool shared = false;
        bool joined = false;
        wait_line::place place;
    };

    void end_calls() noexcept;
    [[nodiscard]] std::size_t index_of(const zmq_pollitem_t& item) const noexcept
    {
        return std::size_t(&item - items_.data());
    }

    std::span<const zmq_pollitem_t> items_;
    std::unique_ptr<in_line[]> lines_;  ///< one for each item, if any needs a hold
    std::size_t shared_ = 0;
    std::size_t checked_ = 0;  ///< items at the front whose checked sockets are held
    bool closed_ = false;
};

}  // namespace zlink::socket
