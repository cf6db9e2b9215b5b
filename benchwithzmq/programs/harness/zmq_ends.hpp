// The two kinds of ends that most patterns are made of: one socket that sends and receives whole messages in buffers.
#pragma once

#include "harness/clock.hpp"
#include "harness/fail.hpp"
#include "harness/lanes.hpp"
#include "harness/zmq_context.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace bench {

// zmq_send and zmq_recv that end the program if they fail. Signals (a debugger's, a job control's) do not make them fail.
inline void send_frame(void* socket, const void* octets, std::size_t size, int flags = 0)
{
    while (zmq_send(socket, octets, size, flags) < 0) [[unlikely]] {
        if (zmq_errno() != EINTR) fail_call("zmq_send");
    }
}

// The same without waiting: false if there is no room.
[[nodiscard]] inline bool try_send_frame(void* socket, const void* octets, std::size_t size)
{
    while (zmq_send(socket, octets, size, ZMQ_DONTWAIT) < 0) [[unlikely]] {
        if (zmq_errno() == EAGAIN) return false;
        if (zmq_errno() != EINTR) fail_call("zmq_send");
    }
    return true;
}

[[nodiscard]] inline std::size_t receive_frame(void* socket, void* octets, std::size_t capacity)
{
    while (true) {
        const int size = zmq_recv(socket, octets, capacity, 0);
        if (size >= 0) [[likely]]
            return static_cast<std::size_t>(size);
        if (zmq_errno() != EINTR) fail_call("zmq_recv");
    }
}

// The same without waiting: nothing if no message is there.
[[nodiscard]] inline std::optional<std::size_t> try_receive_frame(void* socket, void* octets, std::size_t capacity)
{
    while (true) {
        const int size = zmq_recv(socket, octets, capacity, ZMQ_DONTWAIT);
        if (size >= 0) [[likely]]
            return static_cast<std::size_t>(size);
        if (zmq_errno() == EAGAIN) return std::nullopt;
        if (zmq_errno() != EINTR) fail_call("zmq_recv");
    }
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

    void send(const char* octets, std::size_t size) { send_frame(socket_.get(), octets, size); }
    [[nodiscard]] std::size_t receive(char* octets, std::size_t capacity)
    {
        return receive_frame(socket_.get(), octets, capacity);
    }
    // The same until the context is shut down: then nothing.
    [[nodiscard]] std::optional<std::size_t> receive_until_term(char* octets, std::size_t capacity)
    {
        while (true) {
            const int size = zmq_recv(socket_.get(), octets, capacity, 0);
            if (size >= 0) [[likely]]
                return static_cast<std::size_t>(size);
            if (zmq_errno() == ETERM) return std::nullopt;
            if (zmq_errno() != EINTR) fail_call("zmq_recv");
        }
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
        while (zmq_send(socket_.get(), peer_, sizeof peer_, ZMQ_SNDMORE) < 0) [[unlikely]]
            retry();
        known_ = true;
        send_frame(socket_.get(), octets, size);
    }
    [[nodiscard]] std::size_t receive(char* octets, std::size_t capacity)
    {
        char id[sizeof peer_];
        if (receive_frame(socket_.get(), id, sizeof id) != sizeof id || std::memcmp(id, peer_, sizeof id) != 0)
            [[unlikely]] {
            fail(exit_status::failed, "a message came from a peer of another name");
        }
        return receive_frame(socket_.get(), octets, capacity);
    }

private:
    // Until the first message is out, the peer may not have told its name yet.
    [[gnu::cold]] void retry()
    {
        const bool not_yet = zmq_errno() == EHOSTUNREACH && !known_;
        if (!not_yet && zmq_errno() != EINTR) fail_call("zmq_send");
        if (not_yet) sleep_ns(1'000'000);
    }

    zmq_handle socket_;
    std::string transport_;
    char peer_[4];
    bool known_ = false;
};

}  // namespace bench
