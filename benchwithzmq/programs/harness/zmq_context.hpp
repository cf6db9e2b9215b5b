// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Contexts and sockets of the library under test, through its C API alone.
#pragma once

#include "harness/settings.hpp"

#include <zmq.h>

#include <string>

namespace bench {

// Ends the program with a line that names the call.
[[noreturn, gnu::cold]] void fail_call(const char* call);

class zmq_context {
public:
    explicit zmq_context(const settings& of);
    ~zmq_context();
    zmq_context(const zmq_context&) = delete;
    zmq_context& operator=(const zmq_context&) = delete;

    [[nodiscard]] void* handle() const { return handle_; }

    // Makes blocking calls on all its sockets return.
    void shut_down();

    // Prints what the library is. Over curve+... it makes the keys, a pair for ends that bind and one for ends that
    // connect. It ends the program where the library has no CURVE. So it comes before processes fork, which share them.
    static void introduce(const settings& of);

private:
    void* handle_;
};

// A socket with the settings' high-water marks and no linger; over curve+... the end that binds is the CURVE server.
// PUB and XPUB block rather than drop, ROUTER tells of unknown peers.
class zmq_handle {
public:
    zmq_handle(zmq_context& context, int type, const settings& of);
    ~zmq_handle();
    zmq_handle(zmq_handle&& other) noexcept;
    zmq_handle& operator=(zmq_handle&&) = delete;

    [[nodiscard]] void* get() const { return socket_; }
    [[nodiscard]] bool messages() const { return messages_; }  // zmq_msg_send, not zmq_send
    void set(int option, int value);
    void set(int option, const std::string& value);

    // Binds to an endpoint of that transport that nobody else has; returns where peers connect.
    [[nodiscard]] std::string bind(const std::string& transport);
    void connect(const std::string& endpoint);

private:
    void* socket_;
    bool messages_;
    bool curve_;
    std::string file_;
};

}  // namespace bench
