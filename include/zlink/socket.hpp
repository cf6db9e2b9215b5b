// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file socket.hpp
 * Sockets whose calls wait, or try. Those with completion tokens are in asio.hpp.
 */
#pragma once

#include <zlink/core.hpp>
#include <zlink/error.hpp>
#include <zlink/io_group.hpp>
#include <zlink/message.hpp>
#include <zlink/multipart.hpp>
#include <zlink/options.hpp>
#include <zlink/statistics.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace zlink {
inline namespace v1 {

/// The types of sockets, as in zmq_socket(3).
enum class socket_type : int {
    pair = 0,
    pub = 1,
    sub = 2,
    req = 3,
    rep = 4,
    dealer = 5,
    router = 6,
    pull = 7,
    push = 8,
    xpub = 9,
    xsub = 10,
    stream = 11,
    server = 12,
    client = 13,
    radio = 14,
    dish = 15,
    gather = 16,
    scatter = 17,
    dgram = 18,
    peer = 19,
    channel = 20
};

/// Of a send.
enum class send_flags : int {
    none = 0,
    more = core::flag_more,  ///< another part of the same message follows
};

namespace core {

/// A socket's handle, which closes it. It keeps the group alive.
class socket_handle {
public:
    socket_handle() noexcept = default;
    socket_handle(const io_group& group, socket_type type, int& error) noexcept : group_(group.owner())
    {
        error = socket_open(group.native_handle(), int(type), handle_);
    }
    socket_handle(std::shared_ptr<context_owner> group, socket_type type, int& error) noexcept
        : group_(std::move(group))
    {
        error = socket_open(group_ ? group_->handle() : nullptr, int(type), handle_);
    }
    socket_handle(socket_handle&& other) noexcept
        : group_(std::move(other.group_)),
          handle_(std::exchange(other.handle_, nullptr))
    {}
    socket_handle& operator=(socket_handle&& other) noexcept
    {
        if (this == &other) return *this;
        close();
        group_ = std::move(other.group_);
        handle_ = std::exchange(other.handle_, nullptr);
        return *this;
    }
    ~socket_handle() { close(); }

    void close() noexcept
    {
        if (void* const open = std::exchange(handle_, nullptr)) socket_close(open);
        group_.reset();
    }
    [[nodiscard]] void* get() const noexcept { return handle_; }
    [[nodiscard]] const std::shared_ptr<context_owner>& group() const noexcept { return group_; }

private:
    std::shared_ptr<context_owner> group_;
    void* handle_ = nullptr;
};

/// The calls that all sockets have; Socket has native_handle(), and called(), which follows each call. Each call has a
/// form that throws std::system_error, and one that stores the code.
template <class Socket>
class socket_calls {
public:
    /// Endpoints are those of zmq_bind(3): "tcp://*:5555", "inproc://name".
    void bind(std::string_view endpoint) { throw_if(on_endpoint(endpoint_call::bind, endpoint)); }
    void bind(std::string_view endpoint, std::error_code& ec)
    {
        ec = code_of(on_endpoint(endpoint_call::bind, endpoint));
    }
    void connect(std::string_view endpoint) { throw_if(on_endpoint(endpoint_call::connect, endpoint)); }
    void connect(std::string_view endpoint, std::error_code& ec)
    {
        ec = code_of(on_endpoint(endpoint_call::connect, endpoint));
    }
    void unbind(std::string_view endpoint) { throw_if(on_endpoint(endpoint_call::unbind, endpoint)); }
    void unbind(std::string_view endpoint, std::error_code& ec)
    {
        ec = code_of(on_endpoint(endpoint_call::unbind, endpoint));
    }
    void disconnect(std::string_view endpoint) { throw_if(on_endpoint(endpoint_call::disconnect, endpoint)); }
    void disconnect(std::string_view endpoint, std::error_code& ec)
    {
        ec = code_of(on_endpoint(endpoint_call::disconnect, endpoint));
    }
    /// PEER: connects, and returns the number of the new peer.
    std::uint32_t connect_peer(std::string_view endpoint)
    {
        std::uint32_t number = 0;
        throw_if(done(socket_connect_peer(handle(), endpoint, number)));
        return number;
    }
    /// ROUTER, STREAM, PUB, XPUB: ends the connection to the peer of this routing id.
    void disconnect_peer(std::string_view routing_id) { throw_if(done(socket_disconnect_peer(handle(), routing_id))); }
    /// DISH.
    void join(std::string_view group) { throw_if(done(socket_join(handle(), group, true))); }
    void leave(std::string_view group) { throw_if(done(socket_join(handle(), group, false))); }

    template <opt::writable Option>
    void set(const Option& option)
    {
        throw_if(done(set_option(handle(), option)));
    }
    template <opt::writable Option>
    void set(const Option& option, std::error_code& ec)
    {
        ec = code_of(done(set_option(handle(), option)));
    }
    template <opt::readable Option>
    [[nodiscard]] typename Option::value_type get()
    {
        typename Option::value_type value{};
        throw_if(done(get_option<Option>(handle(), value)));
        return value;
    }
    template <opt::readable Option>
    [[nodiscard]] typename Option::value_type get(std::error_code& ec)
    {
        typename Option::value_type value{};
        ec = code_of(done(get_option<Option>(handle(), value)));
        return value;
    }

    /// Sends without waiting. False: there is no room, and the message stays the caller's. One that went is empty.
    [[nodiscard]] bool try_send(message& m, send_flags flags = send_flags::none)
    {
        return tried(socket_send(handle(), m.raw(), int(flags) | flag_dont_wait));
    }
    [[nodiscard]] bool try_send(message& m, send_flags flags, std::error_code& ec)
    {
        return tried(socket_send(handle(), m.raw(), int(flags) | flag_dont_wait), ec);
    }
    /// The same for a message of several parts: all of it, or nothing.
    [[nodiscard]] bool try_send(multipart& m)
    {
        const bool went = tried(socket_send_parts(handle(), raw(m.parts()), flag_dont_wait));
        if (went) m.clear();
        return went;
    }
    [[nodiscard]] bool try_send(multipart& m, std::error_code& ec)
    {
        const bool went = tried(socket_send_parts(handle(), raw(m.parts()), flag_dont_wait), ec);
        if (went) m.clear();
        return went;
    }
    /// Receives without waiting. False: there is no message, and `m` is empty.
    [[nodiscard]] bool try_receive(message& m) { return tried(socket_receive(handle(), m.raw(), flag_dont_wait)); }
    [[nodiscard]] bool try_receive(message& m, std::error_code& ec)
    {
        return tried(socket_receive(handle(), m.raw(), flag_dont_wait), ec);
    }
    /// The same, with all parts of the message.
    [[nodiscard]] bool try_receive(multipart& m) { return tried(receive_all_parts(handle(), m, flag_dont_wait)); }
    [[nodiscard]] bool try_receive(multipart& m, std::error_code& ec)
    {
        return tried(receive_all_parts(handle(), m, flag_dont_wait), ec);
    }

    [[nodiscard]] v1::socket_statistics statistics() const { return statistics_of(self().native_handle()); }
    [[nodiscard]] std::vector<v1::peer_statistics> peers() const { return peers_of(self().native_handle()); }

protected:
    /// The result of a call that has just been made.
    [[nodiscard]] int done(int error)
    {
        self().called();
        return error;
    }

private:
    [[nodiscard]] Socket& self() noexcept { return static_cast<Socket&>(*this); }
    [[nodiscard]] const Socket& self() const noexcept { return static_cast<const Socket&>(*this); }
    [[nodiscard]] void* handle() const noexcept { return self().native_handle(); }

    [[nodiscard]] int on_endpoint(endpoint_call what, std::string_view endpoint)
    {
        return done(socket_endpoint(handle(), what, endpoint));
    }
    [[nodiscard]] bool tried(int error)
    {
        if (done(error) != EAGAIN) throw_if(error);
        return error == 0;
    }
    [[nodiscard]] bool tried(int error, std::error_code& ec)
    {
        ec = code_of(done(error) == EAGAIN ? 0 : error);
        return error == 0;
    }
};

}  // namespace core

/**
 * A socket of one thread at a time, or of many with opt::shared. It is moved, not copied; calls on one that was moved
 * from, or closed, fail with errc::not_a_socket.
 *
 * Calls that wait do so for opt::sndtimeo and opt::rcvtimeo at most, and then fail with errc::again. They fail with
 * errc::interrupted after a signal, and with errc::terminated once the group ends. Messages that a destroyed socket has
 * not sent yet go out for opt::linger, which by default has no limit.
 */
class socket : public core::socket_calls<socket> {
public:
    socket(const io_group& group, socket_type type)
    {
        int error = 0;
        handle_ = core::socket_handle(group, type, error);
        core::throw_if(error);
    }
    socket(const io_group& group, socket_type type, std::error_code& ec)
    {
        int error = 0;
        handle_ = core::socket_handle(group, type, error);
        ec = core::code_of(error);
    }
    socket(socket&&) noexcept = default;
    socket& operator=(socket&&) noexcept = default;
    ~socket() = default;

    /// Waits only if the group has gone and this is its last socket, see io_group. The destructor does the same.
    void close() noexcept { handle_.close(); }
    [[nodiscard]] bool is_open() const noexcept { return handle_.get() != nullptr; }
    /// For the C API: null after a move from it, or close().
    [[nodiscard]] void* native_handle() const noexcept { return handle_.get(); }

    /// Sends a message, or a part of one. If it throws, the message stays the caller's; one that went is empty.
    void send(message&& m, send_flags flags = send_flags::none)
    {
        core::throw_if(core::socket_send(native_handle(), m.raw(), int(flags)));
    }
    void send(message&& m, send_flags flags, std::error_code& ec)
    {
        ec = core::code_of(core::socket_send(native_handle(), m.raw(), int(flags)));
    }
    /// A message of several parts: all of it, or nothing.
    void send(multipart&& m)
    {
        core::throw_if(core::socket_send_parts(native_handle(), core::raw(m.parts()), 0));
        m.clear();
    }
    void send(multipart&& m, std::error_code& ec)
    {
        ec = core::code_of(core::socket_send_parts(native_handle(), core::raw(m.parts()), 0));
        if (!ec) m.clear();
    }
    /// Each of them is a message of its own. Returns how many went, in their order; these are empty.
    [[nodiscard]] std::size_t send_some(std::span<message> messages)
    {
        std::size_t sent = 0;
        const int error = core::socket_send_many(native_handle(), core::raw(messages), 0, sent);
        if (sent == 0) core::throw_if(error);
        return sent;
    }

    /// Receives a message, or a part of one. If it fails, `m` is empty.
    void receive(message& m) { core::throw_if(core::socket_receive(native_handle(), m.raw(), 0)); }
    void receive(message& m, std::error_code& ec)
    {
        ec = core::code_of(core::socket_receive(native_handle(), m.raw(), 0));
    }
    [[nodiscard]] message receive()
    {
        message m;
        receive(m);
        return m;
    }
    /// All parts of a message.
    void receive(multipart& m) { core::throw_if(core::receive_all_parts(native_handle(), m, 0)); }
    void receive(multipart& m, std::error_code& ec)
    {
        ec = core::code_of(core::receive_all_parts(native_handle(), m, 0));
    }
    /// Waits for one message, and receives those behind it that are there and fit. Returns how many of `to` were
    /// filled. Messages are whole: more() is false for the last part of each. errc::message_too_long: the first one
    /// has more parts than that, and stays.
    [[nodiscard]] std::size_t receive_some(std::span<message> to)
    {
        std::size_t messages = 0, parts = 0;
        core::throw_if(core::socket_receive_many(native_handle(), core::raw(to), 0, messages, parts));
        return parts;
    }

    /// Waits until so many peers are through the handshake, have subscribed, or until all that was sent has left the
    /// socket, for so long at most (opt::infinite: no limit). False: the time is over.
    [[nodiscard]] bool wait_peers(std::size_t at_least, std::chrono::milliseconds at_most)
    {
        return await(core::condition::peers, at_least, at_most);
    }
    [[nodiscard]] bool wait_subscribers(std::size_t at_least, std::chrono::milliseconds at_most)
    {
        return await(core::condition::subscribers, at_least, at_most);
    }
    [[nodiscard]] bool wait_drained(std::chrono::milliseconds at_most)
    {
        return await(core::condition::drained, 0, at_most);
    }

    /// For the headers of this folder.
    [[nodiscard]] const std::shared_ptr<core::context_owner>& group() const noexcept { return handle_.group(); }
    void called() const noexcept {}

private:
    [[nodiscard]] bool await(core::condition what, std::size_t at_least, std::chrono::milliseconds at_most)
    {
        std::size_t count = 0;
        const int error =
            core::socket_await(native_handle(), what, nullptr, at_least, core::milliseconds_of(at_most), count);
        if (error != EAGAIN) core::throw_if(error);
        return error == 0;
    }

    core::socket_handle handle_;
};

}  // namespace v1
}  // namespace zlink
