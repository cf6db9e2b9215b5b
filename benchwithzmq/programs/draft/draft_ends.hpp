// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Ends of the draft API's patterns whose messages have an address: a routing id or a group.
#pragma once

#include "harness/zmq_ends.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bench {

// Calls `address(message)` on a new message with these octets, and sends it.
template <class Address>
void send_addressed(const zmq_handle& to, const char* octets, std::size_t size, Address address)
{
    zmq_msg_t message;
    if (zmq_msg_init_size(&message, size) != 0) fail_call("zmq_msg_init_size");
    std::memcpy(zmq_msg_data(&message), octets, size);
    address(message);
    (void)make([&] { return zmq_msg_send(&message, to.get(), 0); }, "zmq_msg_send");
}

// Answers to whom it received from last.
class server_end : public plain_end {
public:
    server_end(zmq_context& context, const settings& of) : plain_end(context, of, ZMQ_SERVER) {}

    void send(const char* octets, std::size_t size)
    {
        send_addressed(socket(), octets, size, [this](zmq_msg_t& message) {
            if (zmq_msg_set_routing_id(&message, client_) != 0) fail_call("zmq_msg_set_routing_id");
        });
    }

    // The sender's address stands in the message, so there is no receiving into a buffer.
    [[nodiscard]] std::size_t receive(inbox& in)
    {
        zmq_msg_t message;
        zmq_msg_init(&message);
        (void)make([&] { return zmq_msg_recv(&message, socket().get(), 0); }, "zmq_msg_recv");
        client_ = zmq_msg_routing_id(&message);
        const std::size_t size = zmq_msg_size(&message);
        std::memcpy(in.data(), zmq_msg_data(&message), size < in.capacity() ? size : in.capacity());
        zmq_msg_close(&message);
        return size;
    }

private:
    std::uint32_t client_ = 0;
};

inline constexpr char group[] = "group";

// Blocks when the high-water mark is reached, so that nothing is dropped.
class radio_end : public plain_end {
public:
    radio_end(zmq_context& context, const settings& of) : plain_end(context, of, ZMQ_RADIO)
    {
        socket().set(ZMQ_XPUB_NODROP, 1);
    }

    void send(const char* octets, std::size_t size)
    {
        send_addressed(socket(), octets, size, [](zmq_msg_t& message) {
            if (zmq_msg_set_group(&message, group) != 0) fail_call("zmq_msg_set_group");
        });
    }
};

class dish_end : public plain_end {
public:
    dish_end(zmq_context& context, const settings& of) : plain_end(context, of, ZMQ_DISH)
    {
        if (zmq_join(socket().get(), group) != 0) fail_call("zmq_join");
    }
};

}  // namespace bench
