// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One transport: the scheme before "://" in an endpoint, and everything that belongs to it. A new transport is a folder
// with an object of one of these classes, and a row in registry.cpp.
//
// Objects have no state of their own: any thread may use them. Functions may throw std::bad_alloc.
#pragma once

#include "base/result.hpp"
#include "runtime/resolver.hpp"
#include "transport/data_path_settings.hpp"
#include "transport/datagram_port.hpp"
#include "transport/endpoint.hpp"
#include "transport/option_rows.hpp"
#include "transport/stream.hpp"
#include "transport/stream_options.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace zlink::transport {

class stream_transport;
class name_transport;
class datagram_transport;

/// A limit on the octets of one system call that a knob sets (docs/knobs.md).
struct transfer_cap {
    const char* knob;
    const char* description;
};

class transport {
public:
    /// The text before "://".
    [[nodiscard]] virtual std::string_view scheme() const noexcept = 0;
    /// The answer of zmq_has(): libzmq lists transports that not every build has.
    [[nodiscard]] virtual bool is_capability() const noexcept { return false; }
    /// Whether zmq_has() knows it by that name.
    [[nodiscard]] virtual bool is_called(std::string_view name) const noexcept { return name == scheme(); }

    /// `text`: the part after "://", not empty and without NUL. Syntax alone: neither the network nor the file system
    /// is asked.
    [[nodiscard]] virtual result<std::shared_ptr<const address>> parse_bind(std::string_view text) const = 0;
    [[nodiscard]] virtual result<std::shared_ptr<const address>> parse_connect(std::string_view text) const = 0;

    /// Changes the settings of all transports into those that are best for this one.
    virtual void adapt(data_path_settings&) const noexcept {}
    /// Null: it obeys none.
    [[nodiscard]] virtual const transfer_cap* obeyed_transfer_cap() const noexcept { return nullptr; }

    /// Those that it has of its own.
    [[nodiscard]] virtual option_rows options() const noexcept { return {}; }
    /// Those that it has in common with others: the same rows as theirs.
    [[nodiscard]] virtual option_rows shared_options() const noexcept { return {}; }
    /// Its addresses begin with a host, or an interface, and a port.
    [[nodiscard]] virtual bool has_hosts() const noexcept { return false; }

    /// False: raw octets cannot go over it (STREAM, ROUTER_RAW), as it has frames of its own.
    [[nodiscard]] virtual bool carries_raw() const noexcept { return true; }

    /// A transport is of one of three kinds; the other functions return null.
    [[nodiscard]] virtual const stream_transport* streams() const noexcept { return nullptr; }
    [[nodiscard]] virtual const name_transport* names() const noexcept { return nullptr; }
    [[nodiscard]] virtual const datagram_transport* datagrams() const noexcept { return nullptr; }

protected:
    ~transport() = default;
};

/// A bound address. Closed when destroyed.
class acceptor {
public:
    acceptor() = default;
    acceptor(const acceptor&) = delete;
    acceptor& operator=(const acceptor&) = delete;
    virtual ~acceptor() = default;

    /// Readable while a connection waits; its number names the listener in events.
    [[nodiscard]] virtual int descriptor() const noexcept = 0;
    /// The bound address as ZMQ_LAST_ENDPOINT shows it.
    [[nodiscard]] virtual std::string endpoint_text() const = 0;
    /// The next connection waiting, not tuned yet. Errors:
    /// - again when none waits;
    /// - access_denied when one came that the options do not admit (it is closed; call again);
    /// - too_many_files, ENFILE, no_buffer_space and out_of_memory as the system says; the connection stays in the
    ///   queue.
    ///
    /// Peers that gave up while waiting are skipped.
    [[nodiscard]] virtual result<std::unique_ptr<stream>> accept(const stream_options& options) = 0;
};

/// A connection that is made, or under way: then finish_connect() once there is room for output.
struct connecting {
    std::unique_ptr<stream> made;
    bool in_progress = false;
};

/// What a parser of endpoints has found, as the address that a transport hands out.
template <class Location, class Parts>
[[nodiscard]] result<std::shared_ptr<const address>> as_address(result<Parts> parsed)
{
    if (!parsed) return parsed.error();
    return std::shared_ptr<const address>(std::make_shared<Location>(std::move(*parsed)));
}

/// One attempt to connect to an endpoint that may have several addresses.
class attempt {
public:
    attempt() = default;
    attempt(const attempt&) = delete;
    attempt& operator=(const attempt&) = delete;
    virtual ~attempt() = default;

    /// A host name that DNS has to be asked for before the first open(); empty: none.
    [[nodiscard]] virtual std::string name_to_look_up() const { return {}; }
    /// DNS's answer.
    virtual void take_addresses(std::span<const runtime::socket_address>) {}
    /// There are addresses that open() has not tried.
    [[nodiscard]] virtual bool has_next() const noexcept = 0;
    /// Tries the next address. `number` is set once there is a descriptor. It keeps the number if the descriptor was
    /// closed again because of an error.
    [[nodiscard]] virtual result<connecting> open(int& number) = 0;
};

/// An attempt at an endpoint that has one address.
class sole_attempt : public attempt {
public:
    [[nodiscard]] bool has_next() const noexcept final { return !tried_; }
    [[nodiscard]] result<connecting> open(int& number) final
    {
        tried_ = true;
        return open_sole(number);
    }

private:
    /// As open().
    [[nodiscard]] virtual result<connecting> open_sole(int& number) = 0;

    bool tried_ = false;
};

struct host_and_port {
    std::string_view host;
    std::uint16_t port = 0;
};

/// A transport whose connections are streams.
class stream_transport : public transport {
public:
    [[nodiscard]] const stream_transport* streams() const noexcept final { return this; }

    /// Bound and listening. `number` is set once there is a descriptor. It keeps the number if the descriptor was
    /// closed again because of an error.
    [[nodiscard]] virtual result<std::unique_ptr<acceptor>> bind(const address& where, const stream_options& options,
                                                                 int& number) const = 0;
    /// Events about a bind that failed after a descriptor was there name the endpoint (ipc alone, as in libzmq).
    [[nodiscard]] virtual bool names_failed_bind() const noexcept { return false; }
    /// The endpoint that a bind to `where` is recorded as, as far as that is known without binding. `text` is the
    /// program's own spelling. Empty: such a bind fails.
    [[nodiscard]] virtual std::string bound_text(const address& where, std::string_view text,
                                                 const stream_options& options) const = 0;

    /// Of a peer's address, if has_hosts(). Valid as long as the address. A transport over this one checks the peer's
    /// identity by them.
    [[nodiscard]] virtual host_and_port host_of(const address&) const noexcept { return {}; }
    /// The immediate result of zmq_connect for a peer's address.
    [[nodiscard]] virtual result<void> check_peer(const address&, const stream_options&) const { return {}; }
    /// Both arguments live longer than the attempt. Errors are those of the address.
    [[nodiscard]] virtual result<std::unique_ptr<attempt>> connect(const address& where,
                                                                   const stream_options& options) const = 0;

protected:
    ~stream_transport() = default;
};

/// A transport without octets: pipes join the sockets of a context that bind and connect the same name (inproc).
class name_transport : public transport {
public:
    [[nodiscard]] const name_transport* names() const noexcept final { return this; }

    [[nodiscard]] virtual const std::string& name_of(const address& where) const noexcept = 0;

protected:
    ~name_transport() = default;
};

/// A transport of datagrams: without connections.
class datagram_transport : public transport {
public:
    [[nodiscard]] const datagram_transport* datagrams() const noexcept final { return this; }

    struct bound {
        std::unique_ptr<datagram_port> port;
        std::string text;  ///< the endpoint as ZMQ_LAST_ENDPOINT shows it
    };
    /// A port that receives at `where`. If the heads are addresses, it sends as well. Errors are those of the address,
    /// and the system's.
    [[nodiscard]] virtual result<bound> bind(const address& where, datagram_head heads,
                                             const stream_options& options) const = 0;
    /// A port that sends to `where`, with heads that are groups. It waits for DNS if the address is a name.
    [[nodiscard]] virtual result<std::unique_ptr<datagram_port>> connect(const address& where,
                                                                         const stream_options& options) const = 0;
    /// The endpoint that a bind to `where` is recorded as, as far as that is known without binding. Empty: such a bind
    /// fails.
    [[nodiscard]] virtual std::string bound_text(const address& where, const stream_options& options) const = 0;

protected:
    ~datagram_transport() = default;
};

}  // namespace zlink::transport
