// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/proxy.hpp"

#include "message/frame.hpp"
#include "socket/held_socket.hpp"
#include "socket/poll.hpp"
#include "socket/polled_sockets.hpp"
#include "socket/socket.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <span>
#include <string_view>

namespace zlink::socket {

namespace {

// Messages of one direction before the other one has its turn.
constexpr int batch = 1000;

// All messages that one turn passes on go out together.
class burst {
public:
    explicit burst(socket& to) noexcept : to_(to) { to_.begin_burst(); }
    burst(const burst&) = delete;
    burst& operator=(const burst&) = delete;
    ~burst() { to_.end_burst(); }

private:
    socket& to_;
};

std::span<message::frame> first_of(std::vector<message::owned_frame>& parts, std::size_t count) noexcept
{
    static_assert(sizeof(message::owned_frame) == sizeof(message::frame));
    return {static_cast<message::frame*>(parts.data()), count};
}

/// Or a socket that was closed a moment ago.
bool may_be_shared(void* handle) noexcept
{
    const handle_kind kind = socket::kind_of(handle);
    return handle && (kind == handle_kind::shared || kind == handle_kind::none);
}

std::string_view text_of(const message::frame& f) noexcept
{
    return {reinterpret_cast<const char*>(f.data()), f.size()};
}

}  // namespace

/// errc::again: there is none. The first frame is not waited for; when it is there, the others are there, too.
errc proxy::direction::forward_message()
{
    message::owned_frame f;
    traffic moved;
    bool first = true;
    bool more = true;
    while (more) {
        pipe::delivery arrived(f);
        if (const errc e = from.receive(arrived, first); e != errc::none) return e;
        first = false;
        more = arrived.more();
        ++moved.parts;
        moved.bytes += f.size();
        const auto out = pipe::outgoing::of(f, more);
        if (capture) {
            if (const errc e = let_go_before_wait(); e != errc::none) return e;
            if (const errc e = capture->send(out, false); e != errc::none) return e;
        }
        if (const errc e = to.send(out, false); e != errc::none) return e;
    }
    passed.parts += moved.parts;
    passed.bytes += moved.bytes;
    return errc::none;
}

// No other thread sends the messages that are held at `to` (deferred_sends::hold). They must not wait for capture's
// peer.
errc proxy::direction::let_go_before_wait()
{
    const auto room = capture->ready(poll_out);
    if (!room) return room.error();
    if (*room == 0) to.send_held();
    return errc::none;
}

errc proxy::direction::receive_whole(std::size_t& count)
{
    spent_frames none;  // the parts are empty
    held_socket s(&from);
    if (!s) return s.refusal();
    const errc e = s.receive_parts(first_of(parts, parts.size()), count, true, none);
    if (e != errc::message_too_long) return e;
    try {
        parts.resize(count);
    } catch (const std::exception&) {
        return errc::out_of_memory;
    }
    return s.receive_parts(first_of(parts, parts.size()), count, true, none);
}

errc proxy::direction::copy_to_capture(std::size_t count)
{
    std::vector<message::owned_frame> copies;
    try {
        copies.resize(count);
    } catch (const std::exception&) {
        return errc::out_of_memory;
    }
    for (std::size_t i = 0; i < count; ++i) copies[i].init_copy(parts[i]);
    held_socket s(capture);
    return s ? s.send_parts(first_of(copies, count), false) : s.refusal();
}

errc proxy::direction::send_whole(std::size_t count)
{
    held_socket s(&to);
    return s ? s.send_parts(first_of(parts, count), false) : s.refusal();
}

errc proxy::direction::forward_whole_message()
{
    std::size_t count = 0;
    if (const errc e = receive_whole(count); e != errc::none) return e;
    for (std::size_t i = 0; i < count; ++i) passed.bytes += parts[i].size();
    passed.parts += count;
    if (capture) {
        if (const errc e = copy_to_capture(count); e != errc::none) return e;
    }
    const errc e = send_whole(count);
    for (std::size_t i = 0; i < count; ++i) parts[i].reset();
    return e;
}

errc proxy::direction::forward_whole()
{
    blocked = false;
    for (int i = 0; i < batch; ++i) {
        if (&from != &to) {
            const held_socket s(&to);
            if (!s) return s.refusal();
            const auto room = s->ready(poll_out);
            if (!room) return room.error();
            blocked = *room == 0;
            if (blocked) return errc::none;
        }
        if (const errc e = forward_whole_message(); e != errc::none) return e == errc::again ? errc::none : e;
    }
    return errc::none;
}

errc proxy::direction::forward()
{
    blocked = false;
    const burst together(to);
    for (int i = 0; i < batch; ++i) {
        // A socket that is both sides and answers, like REP, can send only after it has received.
        if (&from != &to) {
            const auto room = to.ready(poll_out);
            if (!room) return room.error();
            if (*room == 0) {
                blocked = true;
                return errc::none;
            }
        }
        if (const errc e = forward_message(); e != errc::none) return e == errc::again ? errc::none : e;
    }
    return errc::none;
}

errc proxy::run()
{
    const bool one_socket = &down_.from == &down_.to;
    zmq_pollitem_t items[] = {{&down_.from, -1, 0, 0}, {&down_.to, -1, 0, 0}, {control_, -1, ZMQ_POLLIN, 0}};
    zmq_pollitem_t& front = items[0];
    zmq_pollitem_t& back = items[1];
    const zmq_pollitem_t& control = items[2];
    polled_sockets used(items);
    if (const errc e = used.examine(); e != errc::none) return e;
    // Found out once: a shared socket may be closed at any time, and then its tag does not say that it was one.
    const bool whole = used.any_shared() || may_be_shared(down_.capture);
    const auto forward = [whole](direction& d) { return whole ? d.forward_whole() : d.forward(); };
    while (state_ != state::ended) {
        const bool down = state_ == state::active;
        const bool up = down && !one_socket;
        front.events = short((down && !down_.blocked ? ZMQ_POLLIN : 0) | (up && up_.blocked ? ZMQ_POLLOUT : 0));
        back.events = short((up && !up_.blocked ? ZMQ_POLLIN : 0) | (down && down_.blocked ? ZMQ_POLLOUT : 0));
        const auto ready = poll(items, -1);
        if (!ready) return ready.error();
        if (control.revents) {
            if (const errc e = execute_command(); e != errc::none) return e;
            if (state_ != state::active) continue;
        }
        if ((front.revents & ZMQ_POLLIN) || (back.revents & ZMQ_POLLOUT)) {
            if (const errc e = forward(down_); e != errc::none) return e;
        }
        if ((back.revents & ZMQ_POLLIN) || (front.revents & ZMQ_POLLOUT)) {
            if (const errc e = forward(up_); e != errc::none) return e;
        }
    }
    return errc::none;
}

// Control

// Each frame of a message may be a command, so that a topic or a routing id may come before it. Other frames change
// nothing.
errc proxy::execute_command()
{
    const held_socket held(control_);
    if (!held) return held.refusal();
    bool asks_for_statistics = false;
    bool more = true;
    while (more) {
        message::owned_frame command;
        pipe::delivery arrived(command);
        if (const errc e = control_->receive(arrived, true); e != errc::none) return e == errc::again ? errc::none : e;
        more = arrived.more();
        const std::string_view name = text_of(command);
        if (name == "PAUSE") state_ = state::paused;
        if (name == "RESUME") state_ = state::active;
        if (name == "TERMINATE") state_ = state::ended;
        asks_for_statistics |= name == "STATISTICS";
    }
    if (asks_for_statistics) {
        send_statistics();
    } else if (control_->type() == socket_type::rep) {
        // A REP has to answer before it takes the next command. With other types, the answer could be taken for that to
        // a later command.
        (void)control_->send({nullptr, 0, false}, true);
    }
    return errc::none;
}

// Received and sent by the front, received and sent by the back. The answer is lost if the control socket cannot send,
// or has no room: the proxy does not wait for the program that asked.
void proxy::send_statistics()
{
    const traffic& down = down_.passed;
    const traffic& up = up_.passed;
    const std::uint64_t figures[] = {down.parts, down.bytes, up.parts,   up.bytes,
                                     up.parts,   up.bytes,   down.parts, down.bytes};
    const std::uint64_t* const last = std::end(figures) - 1;
    for (const std::uint64_t* n = figures; n <= last; ++n) {
        const pipe::outgoing frame{reinterpret_cast<const std::byte*>(n), sizeof *n, n != last};
        if (control_->send(frame, true) != errc::none) return;
    }
}

}  // namespace zlink::socket
