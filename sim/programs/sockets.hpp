// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The C API, for programs that fail the world where something is wrong.
#pragma once

#include "sim/memory.hpp"
#include "sim/programs/program.hpp"

#include <zmq.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace zlink::sim {

/// Does `call` until it says something else than that it was interrupted, or that something is short for the moment.
template <class F>
int must(F call, const char* what)
{
    for (int tries = 0;; ++tries) {
        const int outcome = [&] {
            const library_call now;
            return call();
        }();
        if (outcome >= 0) return outcome;
        const int error = zmq_errno();
        world::get().trace(what, std::uint64_t(error));
        const bool passes =
            error == EINTR || error == EADDRINUSE || error == EMFILE || error == ENOMEM || error == ENOBUFS;
        if (!passes || tries > 1000) {
            world::get().fail(std::string(what) + ": " + zmq_strerror(error));
        }
        if (error != EINTR) rest(10 * millisecond);
    }
}

class context_handle {
public:
    context_handle() : context_(zmq_ctx_new()) {}
    context_handle(const context_handle&) = delete;
    context_handle& operator=(const context_handle&) = delete;
    [[nodiscard]] void* get() const noexcept { return context_; }
    /// zmq_ctx_term, which has to end soon: all sockets are closed.
    void end(nanos within = 5 * second);

private:
    void* context_;
};

class socket_handle {
public:
    socket_handle(const context_handle& in, int type);
    socket_handle(const socket_handle&) = delete;
    socket_handle& operator=(const socket_handle&) = delete;
    ~socket_handle() { close(); }
    [[nodiscard]] void* get() const noexcept { return socket_; }
    void close();
    void set(int option, int value);
    void set(int option, const char* text);

private:
    void* socket_ = nullptr;
};

/// A place to bind and to connect to: over tcp, ipc, inproc, ws, tls or wss. `number` tells several of them apart.
[[nodiscard]] std::string endpoint(random& from, int number);
/// So that the socket can bind and connect over tls and wss.
void prepare_tls(socket_handle& s);

}  // namespace zlink::sim
