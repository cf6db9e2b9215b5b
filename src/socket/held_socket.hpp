// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A call's hold of a socket, which it has by its handle. The handle's tag says what the hold is:
// - plain: nothing. The caller sees to it that one thread at a time uses the socket.
// - checked: the same, and a second thread inside is rejected.
// - shared: the socket's lock, from the constructor to the destructor. Waits are made by wait(), which lets it go.
#pragma once

#include "base/errc.hpp"
#include "base/result.hpp"
#include "message/frame.hpp"
#include "runtime/deadline.hpp"
#include "socket/handle_gate.hpp"
#include "socket/socket.hpp"

#include <cstddef>
#include <span>

namespace zlink::socket {

class held_socket {
public:
    explicit held_socket(void* handle) noexcept
    {
        if (socket::valid(handle)) [[likely]] {
            socket_ = static_cast<socket*>(handle);
        } else {
            enter(handle);
        }
    }
    /// For a handle that the plain path did not take: most likely the socket is shared, and its lock is free.
    struct led_off_plain_path {};
    held_socket(void* handle, led_off_plain_path) noexcept
    {
        if (!enter_shared(handle)) enter(handle);
    }
    ~held_socket()
    {
        if (how_ != hold::plain) [[unlikely]] {
            if (may_go_at_once()) [[likely]] {
                gate_->lock.unlock();
            } else {
                let_go();
            }
        }
    }
    held_socket(const held_socket&) = delete;
    held_socket& operator=(const held_socket&) = delete;

    /// False: not held, see refusal().
    [[nodiscard]] explicit operator bool() const noexcept { return socket_ != nullptr; }
    /// none: held. not_a_socket: no socket, or a closed one. fsm: checked, and another thread is inside.
    [[nodiscard]] errc refusal() const noexcept { return socket_ ? errc::none : refusal_; }

    [[nodiscard]] socket* operator->() const noexcept { return socket_; }
    [[nodiscard]] socket& operator*() const noexcept { return *socket_; }
    [[nodiscard]] bool shared() const noexcept { return how_ == hold::shared; }
    /// Shared or checked, so that the plain path was not taken.
    [[nodiscard]] bool led_off() const noexcept { return how_ != hold::plain; }

    /// socket::close(). If threads wait at a shared socket, they are called, and the last of them ends it.
    void close() noexcept;

    /// socket::send(). A shared socket takes whole messages only: invalid_argument for a frame with more behind it.
    [[nodiscard]] errc send(const pipe::outgoing& frame, bool dontwait)
    {
        return shared() ? send_shared(frame, dontwait) : socket_->send(frame, dontwait);
    }
    /// socket::receive_sole() of a shared socket.
    [[nodiscard]] errc receive_sole(pipe::delivery& to, message::frame& f, bool dontwait);

    /// All or none. The caller keeps the parts.
    [[nodiscard]] errc send_parts(std::span<message::frame> parts, bool dontwait);
    /// A whole message, or the rest of one. `count`: how many parts it has. message_too_long: more than there is room
    /// for; nothing was taken. `spent` as of socket::receive_parts().
    [[nodiscard]] errc receive_parts(std::span<message::frame> room, std::size_t& count, bool dontwait,
                                     spent_frames& spent);

    /// socket::await().
    [[nodiscard]] result<std::size_t> await(const peer_condition& what, const runtime::deadline& until);

    /// Of a shared socket, for a sleep that ends at other things as well: a place in its line, after w.prepare(). The
    /// destructor settles the line.
    void join(wait_line::place& p, runtime::waiter& w, short wants) noexcept { gate_->line.join(p, w, wants); }
    /// After the sleep, without a hold. False: the socket was closed meanwhile, so the handle is not that socket's.
    [[nodiscard]] static bool leave(void* handle, wait_line::place& p) noexcept;

private:
    enum class hold : std::uint8_t { plain, checked, shared };
    using reason = runtime::waiter::reason;

    /// A thread whose place in the line keeps the socket's memory.
    struct from_line {};
    held_socket(void* handle, wait_line::place& p, from_line) noexcept;

    [[nodiscard]] [[gnu::always_inline]] bool enter_shared(void* handle) noexcept
    {
        if (!handle || !static_cast<const socket*>(handle)->is_shared()) return false;
        handle_gate& gate = handle_gate::of(handle);
        if (gate.inherited()) return false;
        gate.lock.lock();
        if (!static_cast<const socket*>(handle)->is_shared()) {
            gate.lock.unlock();
            return false;
        }
        how_ = hold::shared;
        gate_ = &gate;
        socket_ = static_cast<socket*>(handle);
        return true;
    }
    /// let_go() has only the lock to free.
    [[nodiscard]] bool may_go_at_once() const noexcept
    {
        return how_ == hold::shared && !ends_ && gate_->line.is_settled() && !socket_->has_descriptor();
    }
    void enter(void* handle) noexcept;
    void come_back(wait_line::place& p) noexcept;
    void let_go() noexcept;
    void settle() noexcept;
    /// keep_order() has something to do, or its look at the frame is needed.
    [[nodiscard]] bool may_owe_order() const noexcept
    {
        return subscription_order::owed_by_this_thread() || socket_->order().behind();
    }
    [[nodiscard]] [[gnu::noinline]] errc keep_order(const pipe::outgoing& frame);
    [[nodiscard]] errc send_shared(const pipe::outgoing& frame, bool dontwait);
    [[nodiscard]] [[gnu::noinline]] errc wait_to_send(const pipe::outgoing& frame);
    [[nodiscard]] [[gnu::noinline]] errc wait_for_sole(pipe::delivery& to, message::frame& f);
    template <class Try>
    [[nodiscard]] errc until_done(short wants, int milliseconds, bool dontwait, Try&& attempt);
    template <class Try>
    [[nodiscard]] errc wait_and_try(short wants, int milliseconds, Try& attempt);
    template <class Try>
    [[nodiscard]] [[gnu::noinline]] errc yield_and_try(short wants, Try& attempt);
    template <class Try>
    [[nodiscard]] [[gnu::noinline]] errc sleep_and_try(short wants, const runtime::deadline& until, Try& attempt);
    [[nodiscard]] reason wait(short wants, const runtime::deadline& until);

    socket* socket_ = nullptr;
    handle_gate* gate_ = nullptr;
    errc refusal_ = errc::not_a_socket;
    hold how_ = hold::plain;
    bool ends_ = false;  ///< this thread ends the socket when it lets go
};

/// A hold's way to the socket's news, for its line.
class socket_news final : public awaited {
public:
    explicit socket_news(socket& s) noexcept : socket_(s) {}
    [[nodiscard]] short look(short wanted) noexcept override;
    [[nodiscard]] bool arm(runtime::waiter* leader, bool input) noexcept override;
    /// There was something new, in a look or else.
    [[nodiscard]] bool any() noexcept { return socket_.take_news() || seen_; }

private:
    socket& socket_;
    bool seen_ = false;
};

}  // namespace zlink::socket
