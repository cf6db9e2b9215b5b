// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Owners of the C API's context and sockets, with errors that say what to do about them.
#pragma once

#include "support/message_address.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool {

// One message: its frames in order.
using message = std::vector<std::string>;

// Owns a zmq context. Used by one thread; handle() may be shared.
class context {
public:
    context();
    ~context();
    context(const context&) = delete;
    context& operator=(const context&) = delete;

    void* handle() const noexcept { return handle_; }

    // Terminates the context: blocks until what is queued was sent or its linger ended. Repeats after EINTR.
    void terminate() noexcept;

    // Hands the context out: the caller terminates it.
    void* release() noexcept;

private:
    void* handle_;
};

// What became of an attempt to send: unreachable means that the first frame is not a connected peer's routing id.
enum class sending { done, would_block, unreachable };

// Owns a zmq socket; closes it at the end of its life. One thread at a time.
class socket {
public:
    // type is ZMQ_PUB and so on.
    socket(const context& owner, int type);
    ~socket();
    socket(const socket&) = delete;
    socket& operator=(const socket&) = delete;

    void* handle() const noexcept { return handle_; }
    void close() noexcept;

    void set(int option, int value);
    void set(int option, std::string_view value);
    int get(int option) const;
    // A text that isn't empty; false also on a library that doesn't know the option.
    bool has_text(int option) const;

    // Throws a failure that names the endpoint, the cause and the cure.
    void bind(const std::string& endpoint);
    void connect(const std::string& endpoint);
    std::string last_endpoint() const;
    // Of a PEER: the number of the peer at the endpoint, for the first frame of messages to it.
    std::string connect_to_peer(const std::string& endpoint);
    // Of a DISH.
    void join(const std::string& group);

    // The first frame of a message is its address if the type has such (message_address.hpp).
    // A message is sent whole: anything but done means that no frame was taken. Other errors throw.
    sending offer(const message& frames, int flags);

    // False when it would block, was interrupted, or the time of the socket's option ran out. An unknown routing id
    // throws, as other errors do.
    bool send(const message& frames, int flags);
    bool receive(message& frames, int flags);

private:
    sending offer_addressed(const message& frames, int flags);

    void* handle_;
    address_form addresses_;
};

// What the last failed call on an endpoint means for the user.
std::string explain_endpoint(std::string_view action, std::string_view endpoint, int error);

// ZMQ_PUB for "pub", in any case; nothing for an unknown name.
std::optional<int> socket_type(std::string_view name);

// "PUB" for ZMQ_PUB.
std::string socket_type_name(int type);

// The names of all socket types that the library in use has, in numerical order: those of the draft API are not in
// each.
const std::vector<std::string>& socket_type_names();

}  // namespace zlink::tool
