// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/held_socket.hpp"

#include "base/at_end.hpp"
#include "base/cancellation.hpp"
#include "base/last_error.hpp"
#include "socket/hosting.hpp"
#include "socket/live_sockets.hpp"
#include "socket/peer_condition.hpp"
#include "socket/thread_yielding.hpp"

namespace zlink::socket {

static_assert(int(line_input) == int(poll_in) && int(line_output) == int(poll_out));

short socket_news::look(short wanted) noexcept
{
    const auto found = socket_.ready(short(wanted & (poll_in | poll_out)));
    if (!found) return line_ended;
    const bool news = socket_.take_news();
    seen_ |= news;
    return short(*found | (news ? line_news : 0));
}

bool socket_news::arm(runtime::waiter* leader, bool input) noexcept
{
    return socket_.arm(leader, input);
}

void held_socket::enter(void* handle) noexcept
{
    const handle_kind kind = socket::kind_of(handle);
    if (kind == handle_kind::none) return;
    handle_gate& gate = handle_gate::of(handle);
    const bool alone = gate.inherited();
    if (kind == handle_kind::shared) {
        if (!alone) gate.lock.lock();
        if (socket::kind_of(handle) != handle_kind::shared) {
            if (!alone) gate.lock.unlock();
            return;
        }
        if (!alone) how_ = hold::shared;
    } else if (!alone) {
        if (!gate.begin_call()) {
            tell_failure("another thread is inside a call on this socket, which is not shared (see ZLINK_SHARED)");
            refusal_ = errc::fsm;
            return;
        }
        // The thread that was inside until a moment ago may have closed the socket.
        if (socket::kind_of(handle) != handle_kind::checked) return gate.end_call();
        how_ = hold::checked;
    }
    gate_ = &gate;
    socket_ = static_cast<socket*>(handle);
}

void held_socket::settle() noexcept
{
    socket_news news(*socket_);
    gate_->line.settle(news);
    if (socket_->has_descriptor()) socket_->show_at_descriptor(news.any());
}

// A thread that frees the lock settles the line. If the socket was closed meanwhile, the last thread ends it.
void held_socket::let_go() noexcept
{
    if (how_ == hold::checked) return gate_->end_call();
    if (!ends_) settle();
    gate_->lock.unlock();
    if (!ends_) return;
    const cancellation_held_off no_end_here;
    socket_->close();
}

void held_socket::close() noexcept
{
    socket_->kill_handle();
    live_sockets::remove(socket_);
    if (how_ == hold::shared) {
        gate_->line.end();
        ends_ = gate_->line.inside() == 0;
        return;
    }
    // The gate is the next socket's as soon as this one has ended.
    if (how_ == hold::checked) gate_->end_call();
    how_ = hold::plain;
    socket_->close();
}

// The caller has found that it has to wait, and nothing has changed since: it still holds the lock.
held_socket::reason held_socket::wait(short wants, const runtime::deadline& until)
{
    const waits_by_steps stepping(socket_->hosted());
    runtime::waiter& w = runtime::waiter::of_this_thread();
    wait_line::place mine;
    w.prepare();
    gate_->line.join(mine, w, wants);
    settle();
    gate_->lock.unlock();
    const at_end back([&] { come_back(mine); });
    return w.sleep(until);
}

void held_socket::come_back(wait_line::place& p) noexcept
{
    gate_->lock.lock();
    gate_->line.leave(p);
    ends_ = !socket_->is_shared() && gate_->line.inside() == 0;
}

held_socket::held_socket(void* handle, wait_line::place& p, from_line) noexcept
    : socket_(static_cast<socket*>(handle)),
      gate_(&handle_gate::of(handle)),
      how_(hold::shared)
{
    come_back(p);
}

bool held_socket::leave(void* handle, wait_line::place& p) noexcept
{
    const held_socket last_look(handle, p, from_line{});
    return last_look->is_shared();
}

template <class Try>
errc held_socket::until_done(short wants, int milliseconds, bool dontwait, Try&& attempt)
{
    const errc e = attempt();
    if (e != errc::again || dontwait || milliseconds == 0) [[likely]]
        return e;
    return wait_and_try(wants, milliseconds, attempt);
}

template <class Try>
errc held_socket::wait_and_try(short wants, int milliseconds, Try& attempt)
{
    const runtime::deadline until = runtime::deadline_after(milliseconds);
    if (wants != line_input) socket_->count_waiting_send();
    const errc after_yields = yield_and_try(wants, attempt);
    return after_yields == errc::again ? sleep_and_try(wants, until, attempt) : after_yields;
}

// Lets other threads run for a moment, without the lock, as a thread does that has a socket for itself
// (load/yielding.hpp). Whoever has the core then does not have to wake this thread.
template <class Try>
errc held_socket::yield_and_try(short wants, Try& attempt)
{
    thread_yielding* const yields = thread_yielding::of_this_thread();
    if (!yields) return errc::again;
    runtime::yield_spin& spin = wants == line_input ? yields->for_shared_input : yields->for_credit;
    const bool reads = wants == line_input && spin.tries();
    if (reads && socket_->read_between_yields()) {
        if (const errc found = attempt(); found != errc::again) return found;
    }
    errc e = errc::again;
    bool held = true;
    const auto let_others_in = [&] {
        settle();
        gate_->lock.unlock();
        held = false;
    };
    gate_->line.step_out();
    {
        const cancellation_held_off not_while_it_yields;
        const at_end back([&] {
            if (!held) gate_->lock.lock();
            gate_->line.step_in();
            ends_ = !socket_->is_shared() && gate_->line.inside() == 0;
        });
        let_others_in();
        (void)spin([&] {
            gate_->lock.lock();
            held = true;
            e = socket_->is_shared() ? attempt() : errc::not_a_socket;
            if (e == errc::again && reads && socket_->read_between_yields()) e = attempt();
            if (e == errc::again) let_others_in();
            return e != errc::again;
        });
    }
    if (!socket_->is_shared()) return errc::not_a_socket;
    // Before a thread waits in the line, nothing must change after its last try.
    return e == errc::again ? attempt() : e;
}

template <class Try>
errc held_socket::sleep_and_try(short wants, const runtime::deadline& until, Try& attempt)
{
    while (true) {
        const reason why = wait(wants, until);
        if (socket::kind_of(socket_) != handle_kind::shared) return errc::not_a_socket;
        if (const errc e = attempt(); e != errc::again) return e;
        if (why == reason::interrupted) return errc::interrupted;
        if (why == reason::timed_out || runtime::is_over(until)) return errc::again;
    }
}

// Before a message is sent, subscriptions that came earlier are read, and own ones written (subscription_order.hpp).
// Both may take up to a second, if I/O threads are busy, so the lock is not held meanwhile.
errc held_socket::keep_order(const pipe::outgoing& frame)
{
    subscription_order& order = socket_->order();
    const bool owes = subscription_order::owed_by_this_thread() && !order.is_subscription(frame);
    const bool behind = order.behind();
    if (!owes && !behind) return errc::none;
    const std::uint64_t begun = order.begin_catch_up();
    gate_->line.step_out();
    settle();
    gate_->lock.unlock();
    {
        const at_end back([&] {
            gate_->lock.lock();
            gate_->line.step_in();
            ends_ = !socket_->is_shared() && gate_->line.inside() == 0;
        });
        if (owes) subscription_order::write_owed();
        if (behind) order.let_io_catch_up();
    }
    if (!socket_->is_shared()) return errc::not_a_socket;
    if (behind) order.end_catch_up(begun);
    return errc::none;
}

errc held_socket::send_shared(const pipe::outgoing& frame, bool dontwait)
{
    if (frame.more) return errc::invalid_argument;
    if (may_owe_order()) [[unlikely]] {
        if (const errc e = keep_order(frame); e != errc::none) return e;
    }
    const errc e = socket_->send(frame, true);
    if (e != errc::again || dontwait || socket_->send_timeout() == 0) [[likely]]
        return e;
    return wait_to_send(frame);
}

errc held_socket::wait_to_send(const pipe::outgoing& frame)
{
    const auto attempt = [&] { return socket_->send(frame, true); };
    return wait_and_try(line_news, socket_->send_timeout(), attempt);
}

errc held_socket::receive_sole(pipe::delivery& to, message::frame& f, bool dontwait)
{
    const errc e = socket_->receive_sole(to, f, true);
    if (e != errc::again || dontwait || socket_->receive_timeout() == 0) [[likely]]
        return e;
    return wait_for_sole(to, f);
}

errc held_socket::wait_for_sole(pipe::delivery& to, message::frame& f)
{
    const auto attempt = [&] { return socket_->receive_sole(to, f, true); };
    return wait_and_try(line_input, socket_->receive_timeout(), attempt);
}

errc held_socket::send_parts(std::span<message::frame> parts, bool dontwait)
{
    if (!shared()) return socket_->send_parts(parts, dontwait);
    if (const errc e = keep_order(pipe::outgoing::of(parts.front(), true)); e != errc::none) return e;
    return until_done(line_news, socket_->send_timeout(), dontwait, [&] { return socket_->send_parts(parts, true); });
}

errc held_socket::receive_parts(std::span<message::frame> room, std::size_t& count, bool dontwait, spent_frames& spent)
{
    if (!shared()) return socket_->receive_parts(room, count, dontwait, spent);
    return until_done(line_input, socket_->receive_timeout(), dontwait,
                      [&] { return socket_->receive_parts(room, count, true, spent); });
}

// Looks again now and then: the line tells of news, and not of all that is waited for.
result<std::size_t> held_socket::await(const peer_condition& what, const runtime::deadline& until)
{
    if (!shared()) return socket_->await(what, until);
    subscription_order::write_owed();
    pause_between_looks pause;
    for (bool interrupted = false;;) {
        const auto found = socket_->count(what);
        if (!found || what.holds(*found)) return found;
        if (interrupted) return errc::interrupted;
        if (runtime::is_over(until)) return errc::again;
        const runtime::deadline next_look = runtime::clock::now() + pause.next();
        interrupted = wait(line_news, !until || *next_look < *until ? next_look : until) == reason::interrupted;
        if (socket::kind_of(socket_) != handle_kind::shared) return errc::not_a_socket;
    }
}

}  // namespace zlink::socket
