// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/polled_sockets.hpp"

#include "base/invariant.hpp"
#include "socket/held_socket.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::socket {

namespace {

bool is_checked(const zmq_pollitem_t& item) noexcept
{
    return socket::kind_of(item.socket) == handle_kind::checked;
}

}  // namespace

errc polled_sockets::examine() noexcept
{
    const auto is_plain = [](const zmq_pollitem_t& item) { return !item.socket || socket::valid(item.socket); };
    return std::all_of(items_.begin(), items_.end(), is_plain) ? errc::none : hold();
}

errc polled_sockets::hold() noexcept
{
    invariant([this] { return all_plain(); });
    lines_.reset(new (std::nothrow) in_line[items_.size()]);
    if (!lines_) return errc::out_of_memory;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        void* const handle = items_[i].socket;
        if (!handle) continue;
        held_socket s(handle);
        if (!s) return s.refusal();
        lines_[i].shared = s.shared();
        shared_ += s.shared();
    }
    for (; checked_ < items_.size(); ++checked_) {
        void* const handle = items_[checked_].socket;
        if (!handle || !is_checked(items_[checked_])) continue;
        handle_gate& gate = handle_gate::of(handle);
        if (!gate.begin_call()) return errc::fsm;
        if (is_checked(items_[checked_])) continue;
        gate.end_call();
        return errc::not_a_socket;
    }
    return errc::none;
}

void polled_sockets::end_calls() noexcept
{
    while (checked_ != 0) {
        if (const zmq_pollitem_t& item = items_[--checked_]; is_checked(item)) handle_gate::of(item.socket).end_call();
    }
}

bool polled_sockets::holds(const zmq_pollitem_t& item, const held_socket& s) const noexcept
{
    return s && (is_unshared(item) || s.shared());
}

bool polled_sockets::join_lines(runtime::waiter& w) noexcept
{
    if (shared_ == 0) return true;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (!lines_[i].shared) continue;
        held_socket s(items_[i].socket);
        if (!holds(items_[i], s)) {
            closed_ = true;
            continue;
        }
        s.join(lines_[i].place, w, short(items_[i].events & (line_input | line_output)));
        lines_[i].joined = true;
    }
    return !closed_;
}

void polled_sockets::leave_lines() noexcept
{
    if (shared_ == 0) return;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (!std::exchange(lines_[i].joined, false)) continue;
        if (!held_socket::leave(items_[i].socket, lines_[i].place)) closed_ = true;
    }
}

}  // namespace zlink::socket
