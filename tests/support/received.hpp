// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A message as it was received, with what zmq_msg_gets tells of it.
#pragma once

#include "support/zmq_socket.hpp"

#include <string>

namespace zlink::test {

/// Closes the message. A failure to receive is reported at the caller's line.
class received {
public:
    explicit received(socket& from, const place& where = place::current())
    {
        zmq_msg_init(&message_);
        if (zmq_msg_recv(&message_, from, 0) == -1) fail_at(where, "zmq_msg_recv");
    }
    received(const received&) = delete;
    received& operator=(const received&) = delete;
    ~received() { zmq_msg_close(&message_); }

    operator zmq_msg_t*() { return &message_; }

    std::string body() { return {static_cast<const char*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)}; }
    int source_descriptor() { return zmq_msg_get(&message_, ZMQ_SRCFD); }
    std::string property(const char* name)
    {
        const char* const value = zmq_msg_gets(&message_, name);
        return value != nullptr ? value : "(none)";
    }

private:
    zmq_msg_t message_;
};

}  // namespace zlink::test
