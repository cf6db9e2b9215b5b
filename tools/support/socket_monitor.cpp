// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Events of version 2 and pipe statistics are draft functions, which other libraries may lack: they are looked up.
#include "support/socket_monitor.hpp"

#include "support/failure.hpp"
#include "support/loaded_library.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <zlink.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

using start_versioned = int(void*, const char*, std::uint64_t, int, int);
using ask_statistics = int(void*);

// The number in a frame, which has some octets of native byte order.
template <class Number>
Number number_in(const std::string& frame, std::size_t at = 0)
{
    Number number{};
    if (frame.size() >= at + sizeof number) {
        std::memcpy(&number, frame.data() + at, sizeof number);
    }
    return number;
}

std::string at_end(const char* text, const std::string& endpoint)
{
    return endpoint.empty() ? "" : fmt::format(" {} {}", text, endpoint);
}

}  // namespace

socket_monitor::socket_monitor(const context& owner, socket& watched) : watched_(watched), reader_(owner, ZMQ_PAIR)
{
    static int number = 0;  // names differ within the process; one thread opens sockets
    const std::string endpoint = fmt::format("inproc://zlink-monitor-{}", ++number);
    if (auto* start = reinterpret_cast<start_versioned*>(library_function("zmq_socket_monitor_versioned"))) {
        versioned_ =
            start(watched.handle(), endpoint.c_str(), ZMQ_EVENT_ALL_V2 | ZMQ_EVENT_PEER_PROPERTIES, 2, ZMQ_PAIR) == 0;
    }
    if (!versioned_ && zmq_socket_monitor(watched.handle(), endpoint.c_str(), ZMQ_EVENT_ALL) != 0) {
        throw failure(fmt::format("zmq_socket_monitor failed: {}", zmq_strerror(zmq_errno())));
    }
    reader_.set(ZMQ_RCVHWM, 0);  // no event is lost
    reader_.set(ZMQ_LINGER, 0);
    reader_.connect(endpoint);
}

std::optional<connection_event> socket_monitor::next()
{
    if (!unread_.empty()) {
        const connection_event event = std::move(unread_.front());
        unread_.pop_front();
        return event;
    }
    return read();
}

// Statistics are added up instead of being passed on.
std::optional<connection_event> socket_monitor::read()
{
    message frames;
    while (!ended_ && reader_.receive(frames, ZMQ_DONTWAIT)) {
        connection_event event;
        if (versioned_ && frames.size() >= 4) {
            event.kind = number_in<std::uint64_t>(frames[0]);
            event.local = frames[frames.size() - 2];
            event.remote = frames.back();
            const bool has_properties = event.kind == ZMQ_EVENT_PEER_PROPERTIES;
            for (std::size_t at = 2; has_properties && at + 3 < frames.size(); at += 2) {
                event.properties.emplace_back(std::move(frames[at]), std::move(frames[at + 1]));
            }
            event.value = has_properties ? 0 : number_in<std::uint64_t>(frames[2]);
            if (event.kind == ZMQ_EVENT_PIPES_STATS && frames.size() == 6) {
                queues_.out += event.value;
                queues_.in += number_in<std::uint64_t>(frames[3]);
                continue;
            }
        } else if (frames.size() == 2) {
            event.kind = number_in<std::uint16_t>(frames[0]);
            event.value = number_in<std::uint32_t>(frames[0], 2);
            event.remote = frames[1];
        }
        if (event.remote.ends_with("://")) {
            event.remote.clear();  // an ipc peer without a name
        }
        ended_ = event.kind == ZMQ_EVENT_MONITOR_STOPPED;
        return event;
    }
    return std::nullopt;
}

std::optional<queue_sizes> socket_monitor::queues()
{
    auto* ask = reinterpret_cast<ask_statistics*>(library_function("zmq_socket_monitor_pipes_stats"));
    if (!versioned_ || ask == nullptr) {
        return std::nullopt;
    }
    queues_ = {};
    if (ask(watched_.handle()) != 0) {
        return zmq_errno() == EAGAIN ? std::optional(queues_) : std::nullopt;  // EAGAIN: no connection, no queue
    }
    while (auto event = read()) {
        unread_.push_back(std::move(*event));
    }
    return queues_;
}

std::string describe_peer(const connection_event& event, const std::string& mechanism)
{
    const auto value_of = [&](std::string_view name) -> std::string {
        const auto found = std::ranges::find(event.properties, name, &std::pair<std::string, std::string>::first);
        return found == event.properties.end() ? "" : printable(found->second);
    };
    std::vector<std::string> facts;
    const auto add = [&](const char* before, const std::string& what, const char* after = "") {
        if (!what.empty()) {
            facts.push_back(before + what + after);
        }
    };
    add("is a ", value_of("Socket-Type"));
    add("id '", value_of("Routing-Id"), "'");
    add("mechanism ", mechanism);
    add("user '", value_of("User-Id"), "'");
    add("", value_of("Tls-Version"));
    add("", value_of("Tls-Cipher"));
    add("certificate of '", value_of("Tls-Subject"), "'");
    add("for '", value_of("Tls-Names"), "'");
    const std::string& where = event.remote.empty() ? event.local : event.remote;
    return facts.empty() ? "" : fmt::format("{}: {}", where, fmt::join(facts, ", "));
}

std::string describe(const connection_event& event)
{
    const std::string& where = event.remote.empty() ? event.local : event.remote;
    const std::string here = event.remote.empty() || event.local.ends_with("://") ? "" : event.local;
    switch (event.kind) {
    case ZMQ_EVENT_CONNECTED: return fmt::format("connected to {}{}", where, at_end("from", here));
    case ZMQ_EVENT_CONNECT_DELAYED: return fmt::format("connecting to {}", where);
    case ZMQ_EVENT_CONNECT_RETRIED: return fmt::format("trying {} again in {} ms", where, event.value);
    case ZMQ_EVENT_LISTENING: return fmt::format("listening at {}", where);
    case ZMQ_EVENT_BIND_FAILED:
        return fmt::format("cannot listen at {}: {}", where, zmq_strerror(static_cast<int>(event.value)));
    case ZMQ_EVENT_ACCEPTED: return fmt::format("accepted a connection from {}{}", where, at_end("at", here));
    case ZMQ_EVENT_ACCEPT_FAILED:
        return fmt::format("could not accept a connection at {}: {}", where,
                           zmq_strerror(static_cast<int>(event.value)));
    case ZMQ_EVENT_CLOSED: return fmt::format("closed {}", where);
    case ZMQ_EVENT_CLOSE_FAILED: return fmt::format("closing {} failed", where);
    case ZMQ_EVENT_DISCONNECTED: return fmt::format("disconnected from {}", where);
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return fmt::format("handshake with {} done", where);
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        return fmt::format("handshake with {} failed: {}", where, zmq_strerror(static_cast<int>(event.value)));
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: return fmt::format("protocol error 0x{:08x} of {}", event.value, where);
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
        return fmt::format("handshake with {} failed: authentication refused, status {}", where, event.value);
    case ZMQ_EVENT_MONITOR_STOPPED: return "all connections closed";
    default: return fmt::format("event {} of {}, value {}", event.kind, where, event.value);
    }
}

}  // namespace zlink::tool
