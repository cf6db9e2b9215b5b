// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Owning wrappers for contexts and sockets of the public C API. They report a failure at the line of their caller and
// return; none throws.
#pragma once

#include "support/tls_certificates.hpp"

#include <zlink.h>
#include <zmq.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace zlink::test {

// How long an operation that must succeed may take. Generous: it is waited out by failing tests alone.
#ifdef ZLINK_TEST_PATIENCE_MS
inline constexpr int patience_ms = ZLINK_TEST_PATIENCE_MS;
#else
inline constexpr int patience_ms = 10000;
#endif

using place = std::source_location;
using parts = std::vector<std::string>;

inline void fail_at(const place& where, const std::string& what)
{
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
        << what << ": " << zmq_strerror(zmq_errno()) << " (errno " << zmq_errno() << ")";
}

// Asks again every millisecond until `condition` holds; false if it never does. For what no event announces.
template <typename Condition>
bool eventually(Condition condition, int timeout_ms = patience_ms)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

// The endpoint to bind to in place of `endpoint`: a run of the tests may put another transport in tcp's place, named by
// ZLINK_TEST_STREAMS ("ipc://*").
inline std::string in_this_run(const std::string& endpoint)
{
    const char* const streams = std::getenv("ZLINK_TEST_STREAMS");
    return streams != nullptr && endpoint == "tcp://127.0.0.1:*" ? streams : endpoint;
}

// What was told last of a connection that failed; empty: nothing yet.
inline std::string connection_error()
{
    std::uint64_t position = 0;
    char text[1024] = "";
    while (zlink_connection_error(&position, text, sizeof text) != 0) {
    }
    return text;
}

// What both sides of a connection over tls need.
template <class Socket>
void know_certificates(Socket& s)
{
    s.set(ZMQ_TLS_CERT_FILE, authority::shared_certificate().file);
    s.set(ZMQ_TLS_KEY_FILE, authority::shared_certificate().key);
    s.set(ZMQ_TLS_CA_FILE, authority::of_this_process().file());
}

// Looks at sockets while they live (conformance/balance_zlink_test.cpp); null: nobody does.
struct socket_watch {
    void (*opened)(void* socket) = nullptr;
    void (*closing)(void* socket) = nullptr;   // before it is closed
    void (*released)(void* socket) = nullptr;  // it goes on without its owner
};
inline socket_watch watch_of_sockets;

// Owns one socket. Converts to `void *` so that it can be handed to the zmq functions.
class socket {
public:
    socket() = default;

    socket(void* ctx, int type, const place& where = place::current()) : handle_(zmq_socket(ctx, type))
    {
        if (handle_ == nullptr) {
            fail_at(where, "zmq_socket");
            return;
        }
        if (watch_of_sockets.opened != nullptr) watch_of_sockets.opened(handle_);
        set(ZMQ_LINGER, 0);
        set(ZMQ_RCVTIMEO, patience_ms);
        set(ZMQ_SNDTIMEO, patience_ms);
        const std::string streams = in_this_run("tcp://127.0.0.1:*");
        if (streams.starts_with("tls") || streams.starts_with("wss")) know_certificates(*this);
    }

    socket(socket&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

    socket& operator=(socket&& other) noexcept
    {
        if (this != &other) {
            close();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }

    ~socket() { close(); }

    operator void*() const { return handle_; }

    void close()
    {
        if (handle_ != nullptr) {
            if (watch_of_sockets.closing != nullptr) watch_of_sockets.closing(handle_);
            EXPECT_EQ(0, zmq_close(std::exchange(handle_, nullptr)));
        }
    }

    // Gives the handle away without closing it.
    void* release()
    {
        if (handle_ != nullptr && watch_of_sockets.released != nullptr) watch_of_sockets.released(handle_);
        return std::exchange(handle_, nullptr);
    }

    void set(int option, int value, const place& where = place::current())
    {
        if (zmq_setsockopt(handle_, option, &value, sizeof value) != 0) {
            fail_at(where, "zmq_setsockopt " + std::to_string(option));
        }
    }

    void set(int option, std::string_view value, const place& where = place::current())
    {
        if (zmq_setsockopt(handle_, option, value.data(), value.size()) != 0) {
            fail_at(where, "zmq_setsockopt " + std::to_string(option));
        }
    }

    int get_int(int option, const place& where = place::current()) const
    {
        int value = -1;
        std::size_t size = sizeof value;
        if (zmq_getsockopt(handle_, option, &value, &size) != 0) {
            fail_at(where, "zmq_getsockopt " + std::to_string(option));
        }
        return value;
    }

    // Reads a string option, without the terminating zero that libzmq counts.
    std::string get_string(int option, const place& where = place::current()) const
    {
        char buffer[1024] = {};
        std::size_t size = sizeof buffer;
        if (zmq_getsockopt(handle_, option, buffer, &size) != 0) {
            fail_at(where, "zmq_getsockopt " + std::to_string(option));
            return {};
        }
        std::string value(buffer, size);
        while (!value.empty() && value.back() == '\0') {
            value.pop_back();
        }
        return value;
    }

    void subscribe(std::string_view prefix, const place& where = place::current())
    {
        set(ZMQ_SUBSCRIBE, prefix, where);
    }

    void unsubscribe(std::string_view prefix, const place& where = place::current())
    {
        set(ZMQ_UNSUBSCRIBE, prefix, where);
    }

    // Binds and returns the endpoint in the form a peer can connect to.
    std::string bind(const std::string& endpoint, const place& where = place::current())
    {
        if (zmq_bind(handle_, in_this_run(endpoint).c_str()) != 0) {
            fail_at(where, "zmq_bind " + endpoint);
            return {};
        }
        return last_endpoint(where);
    }

    std::string last_endpoint(const place& where = place::current()) const
    {
        return get_string(ZMQ_LAST_ENDPOINT, where);
    }

    void connect(const std::string& endpoint, const place& where = place::current())
    {
        if (zmq_connect(handle_, endpoint.c_str()) != 0) {
            fail_at(where, "zmq_connect " + endpoint);
        }
    }

    void unbind(const std::string& endpoint, const place& where = place::current())
    {
        if (zmq_unbind(handle_, endpoint.c_str()) != 0) {
            fail_at(where, "zmq_unbind " + endpoint);
        }
    }

    void disconnect(const std::string& endpoint, const place& where = place::current())
    {
        if (zmq_disconnect(handle_, endpoint.c_str()) != 0) {
            fail_at(where, "zmq_disconnect " + endpoint);
        }
    }

    // Sends one frame; `flags` as for zmq_send.
    bool send(std::string_view body, int flags = 0, const place& where = place::current())
    {
        if (zmq_send(handle_, body.data(), body.size(), flags) != static_cast<int>(body.size())) {
            fail_at(where, "zmq_send");
            return false;
        }
        return true;
    }

    // Sends one message of several frames.
    bool send_parts(const parts& frames, int flags = 0, const place& where = place::current())
    {
        for (std::size_t i = 0; i < frames.size(); ++i) {
            if (!send(frames[i], flags | (i + 1 < frames.size() ? ZMQ_SNDMORE : 0), where)) {
                return false;
            }
        }
        return true;
    }

    // Sends without waiting and without reporting a failure; returns 0 or the errno.
    int try_send(std::string_view body, int flags = 0)
    {
        return zmq_send(handle_, body.data(), body.size(), flags | ZMQ_DONTWAIT) == -1 ? zmq_errno() : 0;
    }

    // Receives one frame, of any length, unless an error comes first; then errno says which.
    std::optional<std::string> recv_frame(int flags = 0)
    {
        zmq_msg_t msg;
        zmq_msg_init(&msg);
        if (zmq_msg_recv(&msg, handle_, flags) == -1) {
            const int error = zmq_errno();
            zmq_msg_close(&msg);
            errno = error;
            return std::nullopt;
        }
        std::string body(static_cast<const char*>(zmq_msg_data(&msg)), zmq_msg_size(&msg));
        zmq_msg_close(&msg);
        return body;
    }

    // Receives one frame; a failure is reported and yields an empty string.
    std::string recv(const place& where = place::current())
    {
        auto body = recv_frame();
        if (!body) {
            fail_at(where, "zmq_msg_recv");
            return {};
        }
        return std::move(*body);
    }

    bool more() const { return get_int(ZMQ_RCVMORE) != 0; }

    // Receives all frames of one message; a failure is reported and yields what came before it.
    parts recv_parts(const place& where = place::current())
    {
        parts frames;
        do {
            auto body = recv_frame();
            if (!body) {
                fail_at(where, "zmq_msg_recv");
                break;
            }
            frames.push_back(std::move(*body));
        } while (more());
        return frames;
    }

    // All messages that are there now, each as its frames.
    std::vector<parts> drain()
    {
        std::vector<parts> messages;
        while (auto first = recv_frame(ZMQ_DONTWAIT)) {
            parts frames{std::move(*first)};
            while (more()) {
                frames.push_back(recv());
            }
            messages.push_back(std::move(frames));
        }
        return messages;
    }

    // Waits until the socket shows one of `events` (ZMQ_POLLIN, ZMQ_POLLOUT); false after `timeout_ms`.
    bool wait(short events, int timeout_ms = patience_ms) const
    {
        zmq_pollitem_t item{handle_, 0, events, 0};
        return zmq_poll(&item, 1, timeout_ms) == 1 && (item.revents & events) != 0;
    }

    bool readable(int timeout_ms = 0) const { return wait(ZMQ_POLLIN, timeout_ms); }
    bool writable(int timeout_ms = 0) const { return wait(ZMQ_POLLOUT, timeout_ms); }

private:
    void* handle_ = nullptr;
};

// Owns one context. Sockets must be closed before it; declare them after it.
class context {
public:
    context() : handle_(zmq_ctx_new()) { EXPECT_NE(nullptr, handle_); }
    context(const context&) = delete;
    context& operator=(const context&) = delete;
    ~context() { terminate(); }

    operator void*() const { return handle_; }

    socket open(int type, const place& where = place::current()) { return socket(handle_, type, where); }

    void shutdown() { EXPECT_EQ(0, zmq_ctx_shutdown(handle_)); }

    // Blocks until all sockets are closed and lingering messages are gone.
    void terminate()
    {
        if (handle_ != nullptr) {
            EXPECT_EQ(0, zmq_ctx_term(std::exchange(handle_, nullptr)));
        }
    }

private:
    void* handle_;
};

// An inproc endpoint that no other test uses.
inline std::string unique_inproc()
{
    static std::atomic<unsigned> next{0};
    return "inproc://test-" + std::to_string(next++);
}

}  // namespace zlink::test
