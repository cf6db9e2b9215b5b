// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The two kinds of ends that most patterns are made of: one socket that sends and receives whole messages in buffers.
#pragma once

#include "harness/clock.hpp"
#include "harness/fail.hpp"
#include "harness/lanes.hpp"
#include "harness/zmq_frames.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace bench {

// zmq_proxy until the context is shut down.
inline void run_proxy(const zmq_handle& front, const zmq_handle& back)
{
    while (zmq_proxy(front.get(), back.get(), nullptr) != 0 && zmq_errno() == EINTR) {
    }
    if (zmq_errno() != ETERM) fail_call("zmq_proxy");
}

// Waits until something happens on the sockets.
inline void poll_all(std::vector<zmq_pollitem_t>& items)
{
    while (zmq_poll(items.data(), static_cast<int>(items.size()), -1) < 0) [[unlikely]] {
        if (zmq_errno() != EINTR) fail_call("zmq_poll");
    }
}

// A socket whose messages have no address: all types but ROUTER.
class plain_end : public single_lane {
public:
    plain_end(zmq_context& context, const settings& of, int type) : socket_(context, type, of), transport_(of.transport)
    {}

    [[nodiscard]] zmq_handle& socket() { return socket_; }
    [[nodiscard]] std::string bind() { return socket_.bind(transport_); }
    void connect(const std::string& endpoint) { socket_.connect(endpoint); }

    void send(const char* octets, std::size_t size) { bench::send(socket_, octets, size); }
    [[nodiscard]] std::size_t receive(inbox& in) { return bench::receive(socket_, in); }
    // The same until the context is shut down: then nothing.
    [[nodiscard]] std::optional<std::size_t> receive_until_term(inbox& in)
    {
        return bench::receive(socket_, in, 0, ETERM);
    }

private:
    zmq_handle socket_;
    std::string transport_;
};

// The same with the type known, as patterns want it.
template <int Type>
class socket_end : public plain_end {
public:
    socket_end(zmq_context& context, const settings& of) : plain_end(context, of, Type) {}
};

// The names that the ends of ROUTER patterns know each other by.
inline constexpr char sender_id[] = "AAAA";
inline constexpr char receiver_id[] = "BBBB";

// A ROUTER that talks to one peer whose routing id it knows.
class router_end : public single_lane {
public:
    // The ids have four octets.
    router_end(zmq_context& context, const settings& of, const char* own_id, const char* peer_id)
        : socket_(context, ZMQ_ROUTER, of),
          transport_(of.transport)
    {
        std::memcpy(peer_, peer_id, sizeof peer_);
        socket_.set(ZMQ_ROUTING_ID, own_id);
    }

    [[nodiscard]] zmq_handle& socket() { return socket_; }
    [[nodiscard]] std::string bind() { return socket_.bind(transport_); }
    void connect(const std::string& endpoint) { socket_.connect(endpoint); }

    void send(const char* octets, std::size_t size)
    {
        // Until the first message is out, the peer may not have told its name yet.
        while (!bench::send(socket_, peer_, sizeof peer_, ZMQ_SNDMORE, known_ ? 0 : EHOSTUNREACH)) [[unlikely]]
            sleep_ns(1'000'000);
        known_ = true;
        bench::send(socket_, octets, size);
    }
    [[nodiscard]] std::size_t receive(inbox& in)
    {
        char id[sizeof peer_];
        if (receive_part(socket_, id, sizeof id) != sizeof id || std::memcmp(id, peer_, sizeof id) != 0) [[unlikely]] {
            fail(exit_status::failed, "a message came from a peer of another name");
        }
        return bench::receive(socket_, in);
    }

private:
    zmq_handle socket_;
    std::string transport_;
    char peer_[4];
    bool known_ = false;
};

}  // namespace bench
