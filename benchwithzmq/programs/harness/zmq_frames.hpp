// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames through the calls that were asked for (BENCH_API): zmq_send and zmq_recv with the caller's buffer, or
// zmq_msg_send and zmq_msg_recv. They end the program if they fail. Signals (a debugger's, a job control's) do not make
// them fail.
#pragma once

#include "harness/payload.hpp"
#include "harness/zmq_context.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

namespace bench {

// A call that is made again after a signal. False if it failed with `expected`.
template <class Call>
[[nodiscard]] bool make(Call call, const char* name, int expected = 0)
{
    while (call() < 0) [[unlikely]] {
        if (expected != 0 && zmq_errno() == expected) return false;
        if (zmq_errno() != EINTR) fail_call(name);
    }
    return true;
}

// ---- buffers, whatever was asked for

inline void send_frame(void* socket, const void* octets, std::size_t size, int flags = 0)
{
    (void)make([&] { return zmq_send(socket, octets, size, flags); }, "zmq_send");
}

[[nodiscard]] inline std::size_t receive_frame(void* socket, void* octets, std::size_t capacity)
{
    int size = 0;
    (void)make([&] { return size = zmq_recv(socket, octets, capacity, 0); }, "zmq_recv");
    return static_cast<std::size_t>(size);
}

// ---- either

// False if it failed with `expected`.
[[nodiscard]] inline bool send(const zmq_handle& to, const void* octets, std::size_t size, int flags, int expected)
{
    if (!to.messages()) [[likely]]
        return make([&] { return zmq_send(to.get(), octets, size, flags); }, "zmq_send", expected);
    zmq_msg_t message;
    if (zmq_msg_init_size(&message, size) != 0) fail_call("zmq_msg_init_size");
    std::memcpy(zmq_msg_data(&message), octets, size);
    const bool sent = make([&] { return zmq_msg_send(&message, to.get(), flags); }, "zmq_msg_send", expected);
    if (!sent) zmq_msg_close(&message);
    return sent;
}

inline void send(const zmq_handle& to, const void* octets, std::size_t size, int flags = 0)
{
    (void)send(to, octets, size, flags, 0);
}

// Without waiting: false if there is no room.
[[nodiscard]] inline bool try_send(const zmq_handle& to, const void* octets, std::size_t size)
{
    return send(to, octets, size, ZMQ_DONTWAIT, EAGAIN);
}

// Nothing if it failed with `expected`. A message stays in the library's memory and is closed when the inbox takes
// another.
[[nodiscard]] inline std::optional<std::size_t> receive(const zmq_handle& from, inbox& in, int flags, int expected)
{
    if (!from.messages()) [[likely]] {
        int size = 0;
        const auto call = [&] { return size = zmq_recv(from.get(), in.data(), in.capacity(), flags); };
        if (!make(call, "zmq_recv", expected)) return std::nullopt;
        return static_cast<std::size_t>(size);
    }
    static_assert(sizeof(zmq_msg_t) <= 64);
    auto* message =
        static_cast<zmq_msg_t*>(in.lend([](void* handle) { zmq_msg_close(static_cast<zmq_msg_t*>(handle)); }));
    zmq_msg_init(message);
    const auto call = [&] { return zmq_msg_recv(message, from.get(), flags); };
    if (!make(call, "zmq_msg_recv", expected)) return std::nullopt;
    in.look_at(zmq_msg_data(message));
    return zmq_msg_size(message);
}

[[nodiscard]] inline std::size_t receive(const zmq_handle& from, inbox& in)
{
    if (!from.messages()) [[likely]]
        return receive_frame(from.get(), in.data(), in.capacity());
    return *receive(from, in, 0, 0);
}

// Without waiting: nothing if no message is there.
[[nodiscard]] inline std::optional<std::size_t> try_receive(const zmq_handle& from, inbox& in)
{
    return receive(from, in, ZMQ_DONTWAIT, EAGAIN);
}

// A frame that is only a part of the message, such as a routing id, copied to where it belongs.
[[nodiscard]] inline std::size_t receive_part(const zmq_handle& from, void* octets, std::size_t capacity)
{
    if (!from.messages()) [[likely]]
        return receive_frame(from.get(), octets, capacity);
    zmq_msg_t message;
    zmq_msg_init(&message);
    (void)make([&] { return zmq_msg_recv(&message, from.get(), 0); }, "zmq_msg_recv");
    const std::size_t size = zmq_msg_size(&message);
    std::memcpy(octets, zmq_msg_data(&message), size < capacity ? size : capacity);
    zmq_msg_close(&message);
    return size;
}

}  // namespace bench
