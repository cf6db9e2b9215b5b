// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The events that the engine reports to the socket that owns a session or a listener. Called on I/O threads;
// implementations only queue the events and never block.
#pragma once

#include "base/errc.hpp"
#include "base/result.hpp"
#include "message/metadata.hpp"
#include "pipe/pipe.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace zlink::engine {

/// Values are those of the C API's ZMQ_EVENT_*.
enum class monitor_event : std::uint32_t {
    connected = 0x0001,
    connect_delayed = 0x0002,
    connect_retried = 0x0004,
    listening = 0x0008,
    bind_failed = 0x0010,
    accepted = 0x0020,
    accept_failed = 0x0040,
    closed = 0x0080,
    close_failed = 0x0100,
    disconnected = 0x0200,
    monitor_stopped = 0x0400,
    handshake_failed_no_detail = 0x0800,
    handshake_succeeded = 0x1000,
    handshake_failed_protocol = 0x2000,
    handshake_failed_auth = 0x4000,
    peer_properties = 0x40000000,  // of zlink.h
};

/// What is known of a peer only after a while, or not of each.
struct peer_words {
    std::string address{};     ///< of a connect: the other end as the stream knows it
    std::string routing_id{};  ///< that the peer has announced in its handshake
    std::string user_id{};     ///< that authentication has given it
};

/// Both ends of a connection as monitors name them, and what else is known of it; each may be empty.
struct endpoint_pair {
    std::string local;
    std::string remote;
    bool bound = false;  ///< came by a bind: events of version 1 name `local`, else `remote`
    /// Of a bind: session_options::endpoint, which lives as long. Of a connect, `remote` is the program's text.
    std::string_view written{};
    std::shared_ptr<const peer_words> peer{};  ///< null: nothing is known
    std::uint64_t id = 0;                      ///< of a connect: session_options::endpoint_id; else 0

    [[nodiscard]] const std::string& identifier() const noexcept { return bound ? local : remote; }
    [[nodiscard]] std::string_view as_written() const noexcept
    {
        return bound && !written.empty() ? written : identifier();
    }
    [[nodiscard]] std::string_view peer_address() const noexcept
    {
        return bound ? std::string_view(remote) : peer ? std::string_view(peer->address) : std::string_view();
    }
    [[nodiscard]] std::string_view routing_id() const noexcept
    {
        return peer ? std::string_view(peer->routing_id) : std::string_view();
    }
    [[nodiscard]] std::string_view user_id() const noexcept
    {
        return peer ? std::string_view(peer->user_id) : std::string_view();
    }
};

/// A connection that is ready for traffic.
struct peer_attachment {
    std::string routing_id;      ///< the peer's Identity, or empty
    std::string other_endpoint;  ///< remote of an accepted connection, local of one that was made
    std::string user_id{};       ///< that its authentication gave it, or empty
    const char* mechanism = "";  ///< of ZMTP; "" without ZMTP
};

/// What a session counts for its socket's statistics.
enum class session_count : std::uint8_t {
    connected,
    disconnected,    ///< as often as connected
    connect_failed,  ///< an attempt
    silent,          ///< a connection was ended, as the peer did not answer heartbeats
    unsent,          ///< a message that will not be written
};

class session_host {
public:
    /// Takes over the socket's end of a new pipe. terminated: the socket is closed; out_of_memory. With both the caller
    /// keeps the end.
    [[nodiscard]] virtual errc attach(pipe::pipe_end& end, peer_attachment peer,
                                      std::uint64_t endpoint_id) noexcept = 0;
    /// The pipe of a connecting session has a connection; `again`: not the first one. False: memory is short, and the
    /// socket has not been told.
    [[nodiscard]] virtual bool identified(pipe::pipe_end& end, peer_attachment peer, bool again) noexcept = 0;
    /// The pipe of a connecting session has lost its connection and waits for another.
    virtual void disconnected(pipe::pipe_end& end) noexcept = 0;
    /// A connecting session gave up for good; the endpoint can be forgotten.
    virtual void ended(std::uint64_t endpoint_id) noexcept = 0;
    /// One end of a new pipe, for a request to the ZAP handler of the context, which has the other end. Null: the
    /// context has no handler.
    [[nodiscard]] virtual result<pipe::pipe_end*> reach_zap_handler() noexcept = 0;
    /// Takes that end over and closes it. A request that the handler has not come to goes with it. So a handler that
    /// never comes to it keeps nothing of peers that have gone.
    virtual void leave_zap_handler(pipe::pipe_end& end) noexcept = 0;
    /// An event for the monitor, `value` as the man page of zmq_socket_monitor says. `reason`: why it happened, in
    /// words; "" if it is no failure.
    virtual void report(monitor_event event, std::uint64_t value, const endpoint_pair& endpoints,
                        std::string_view reason) noexcept = 0;
    /// For the monitor: the properties that messages of a peer will carry, once its handshake has succeeded.
    virtual void report_peer(const message::metadata& properties, const endpoint_pair& endpoints) noexcept = 0;
    /// For statistics.
    virtual void count(session_count what, std::uint64_t n = 1) noexcept = 0;
    /// For statistics: why a connection could not be made.
    virtual void note_error(std::string_view words, const endpoint_pair& endpoints) noexcept = 0;

    virtual void add_ref() noexcept = 0;
    virtual void release() noexcept = 0;

protected:
    ~session_host() = default;
};

/// Counted reference to a host.
class host_ref {
public:
    explicit host_ref(session_host& host) noexcept : host_(&host) { host_->add_ref(); }
    host_ref(const host_ref& other) noexcept : host_(other.host_) { host_->add_ref(); }
    host_ref& operator=(const host_ref&) = delete;
    ~host_ref() { host_->release(); }
    session_host* operator->() const noexcept { return host_; }
    session_host& operator*() const noexcept { return *host_; }

private:
    session_host* host_;
};

}  // namespace zlink::engine
