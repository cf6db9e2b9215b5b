// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages of the draft API's socket types as lists of frames. SERVER and PEER have a frame before the body, the
// routing id as a number. RADIO and DISH have the group there. Both ends of an interop test use this.
#pragma once

#include <zmq.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace zlink::test {

// What comes before the body.
enum class address { none, routing_id, group };

inline address address_of(void* socket)
{
    int type = 0;
    std::size_t size = sizeof type;
    zmq_getsockopt(socket, ZMQ_TYPE, &type, &size);
    switch (type) {
    case ZMQ_SERVER:
    case ZMQ_PEER: return address::routing_id;
    case ZMQ_RADIO:
    case ZMQ_DISH: return address::group;
    default: return address::none;
    }
}

// Writes the address into a message; false with the library's errno if it takes none such.
inline bool set_address(zmq_msg_t& msg, address form, const std::string& text)
{
    switch (form) {
    case address::routing_id: return zmq_msg_set_routing_id(&msg, static_cast<std::uint32_t>(std::stoul(text))) == 0;
    case address::group: return zmq_msg_set_group(&msg, text.c_str()) == 0;
    default: return true;
    }
}

// Sends the one message that the frames stand for; false with the library's errno if it is not sent.
inline bool send_addressed(void* socket, const std::vector<std::string>& frames, int flags = 0)
{
    const std::string& body = frames.back();
    zmq_msg_t msg;
    zmq_msg_init_size(&msg, body.size());
    std::memcpy(zmq_msg_data(&msg), body.data(), body.size());
    if (set_address(msg, address_of(socket), frames.front()) && zmq_msg_send(&msg, socket, flags) != -1) {
        return true;
    }
    const int error = zmq_errno();
    zmq_msg_close(&msg);
    errno = error;
    return false;
}

// The next message; none with the library's errno if it does not come.
inline std::optional<std::vector<std::string>> recv_addressed(void* socket, int flags = 0)
{
    zmq_msg_t msg;
    zmq_msg_init(&msg);
    const int size = zmq_msg_recv(&msg, socket, flags);
    if (size == -1) {
        const int error = zmq_errno();
        zmq_msg_close(&msg);
        errno = error;
        return std::nullopt;
    }
    std::vector<std::string> frames;
    switch (address_of(socket)) {
    case address::routing_id: frames.push_back(std::to_string(zmq_msg_routing_id(&msg))); break;
    case address::group: frames.emplace_back(zmq_msg_group(&msg)); break;
    default: break;
    }
    frames.emplace_back(static_cast<const char*>(zmq_msg_data(&msg)), static_cast<std::size_t>(size));
    zmq_msg_close(&msg);
    return frames;
}

}  // namespace zlink::test
