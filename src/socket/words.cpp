// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/words.hpp"

#include "transport/endpoint.hpp"
#include "transport/registry.hpp"
#include "zlink.h"
#include "zmq.h"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace zlink::socket {

namespace {

const char* verb_of(endpoint_call what) noexcept
{
    switch (what) {
    case endpoint_call::bind: return "cannot bind to ";
    case endpoint_call::connect: return "cannot connect to ";
    case endpoint_call::unbind: return "cannot unbind ";
    case endpoint_call::disconnect: return "cannot disconnect ";
    }
    return "";
}

// Cut, as the text comes from outside the library.
std::string quoted(std::string_view text)
{
    constexpr std::size_t longest = 300;
    std::string q = "'";
    q += text.substr(0, longest);
    if (text.size() > longest) q += "...";
    return q + "'";
}

/// `behind`: what follows each scheme.
std::string schemes(std::string_view behind = {})
{
    std::string all;
    for (const transport::transport* const row : transport::transports()) {
        if (!all.empty()) all += ", ";
        all.append(row->scheme()).append(behind);
    }
    return all;
}

bool is_port(std::string_view text, bool any) noexcept
{
    if (text == "*") return any;
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, port);
    return error == std::errc{} && rest == end;
}

/// Empty: host and port are as they should be.
std::string words_of_host_and_port(endpoint_call what, std::string_view address)
{
    const bool binds = what == endpoint_call::bind;
    address = address.substr(0, address.find('/'));
    const std::size_t colon = address.rfind(':');
    if (colon == std::string_view::npos || address.ends_with(']')) return "it has no port: write host:port";
    if (const auto port = address.substr(colon + 1); !is_port(port, binds)) {
        return quoted(port) + " is not a port: 0 to 65535" + (binds ? ", or * for a free one" : "");
    }
    if (address.find(':') != colon) return "IPv6 addresses need ZMQ_IPV6 set to 1, and are written [::1]:5555";
    const std::string_view host = address.substr(0, colon);
    return host.empty() || (host == "*" && !binds) ? "an address, a name or an interface is wanted before the port"
                                                   : "";
}

std::string words_of_invalid(endpoint_call what, std::string_view endpoint)
{
    const std::size_t delimiter = endpoint.find("://");
    if (delimiter == std::string_view::npos || delimiter == 0)
        return "it has no scheme: write one in front, of " + schemes("://");
    const std::string_view scheme = endpoint.substr(0, delimiter), address = endpoint.substr(delimiter + 3);
    if (address.empty()) return "nothing follows its scheme";
    const auto* const over = transport::find_transport(scheme);
    if (over && over->has_hosts()) {
        if (std::string words = words_of_host_and_port(what, address); !words.empty()) return words;
    }
    return "it is none that " + std::string(scheme) + " takes, or an option that goes with it is wrong";
}

std::string words_of_cause(endpoint_call what, std::string_view endpoint, int error)
{
    const bool opens = what == endpoint_call::bind || what == endpoint_call::connect;
    switch (error) {
    case EINVAL: return opens ? words_of_invalid(what, endpoint) : "it is not an endpoint";
    case EPROTONOSUPPORT: return "this library has no such transport; it has " + schemes();
    case ENOCOMPATPROTO: return "sockets of this type do not go over it";
    case ENODEV:
        return endpoint.find("://:") != std::string_view::npos
                   ? "it has no host: write host:port"
                   : "no interface, host or address of this machine has that name";
    case EADDRINUSE: return "something is bound there already";
    case EADDRNOTAVAIL: return "that is not an address of this machine";
    case EACCES: return "this user may not (ports below 1024, or a folder that cannot be written to)";
    case ENAMETOOLONG: return "the path is longer than a socket's address can be (107 octets)";
    case ENOENT:
        return opens ? "a part of its path does not exist"
                     : "this socket has no such endpoint; ZMQ_LAST_ENDPOINT has its name";
    case ECONNREFUSED: return "nobody is bound there";
    default: return sentence_of(error);
    }
}

/// Of zlink.h; null: not one of those that have words.
const char* words_of_own_option(int option) noexcept
{
    switch (option) {
    case ZLINK_SHARED:
        return ", ZLINK_SHARED, takes an int, 0 or 1, before bind, connect and ZMQ_FD; it does not go back to 0";
    case ZLINK_IPC_MODE: return ", ZLINK_IPC_MODE, takes an int from 0 to 0777, or -1: what the umask leaves";
    case ZLINK_FD: return ", ZLINK_FD, can only be read, into an int";
    case ZLINK_NAME:
        return ", ZLINK_NAME, takes a text of at most 63 octets; to be read, it needs room for its NUL as well";
    case ZLINK_SHM_BORROW:
        return ", ZLINK_SHM_BORROW, takes an int, 0 or 1, or -1: what the variable of that name says";
    case ZMQ_OLDEST_ZMTP: return ", ZMQ_OLDEST_ZMTP, takes an int from 1 to 3";
    default: return nullptr;
    }
}

}  // namespace

const char* sentence_of(int error) noexcept
{
    switch (error) {
    case 0: return "";
    case EAGAIN: return "it would have to wait: nothing to receive, no room to send, or the time limit is over";
    case EINTR: return "a signal came; call again";
    case ETERM: return "the context was terminated: close the socket";
    case EFSM: return "not this socket's turn: a REQ sends and receives in turn, a REP receives and answers";
    case ENOTSUP: return "this type of socket, or this build of the library, cannot do that";
    case ENOTSOCK: return "that is not a socket, or a closed one";
    case EFAULT: return "a pointer is null, or what it points to has ended";
    case EHOSTUNREACH: return "no peer has that routing id (ZMQ_ROUTER_MANDATORY asks to be told)";
    case EMTHREAD: return "the context has no I/O thread that may serve this socket";
    case ENOMEM: return "memory is short";
    case EMFILE: return "no more sockets or descriptors: ZMQ_MAX_SOCKETS, or the limit on open files";
    case EINVAL: return "an argument is not valid for this call";
    case EMSGSIZE:
        return "the message has more parts than this call takes; it stays: zlink_recv_parts() takes it whole";
    case EPROTONOSUPPORT: return "no such transport, or not for this call";
    case ENOCOMPATPROTO: return "sockets of this type do not go over that transport";
    case EADDRINUSE: return "another socket is bound there already: choose another endpoint, or close that one";
    case EBADF: return "that is not an open descriptor";
    default: return std::strerror(error);
    }
}

std::string words_of_endpoint(endpoint_call what, std::string_view endpoint, int error)
{
    return verb_of(what) + quoted(endpoint) + ": " + words_of_cause(what, endpoint, error);
}

std::string words_of_option(bool sets, int option, std::size_t size, int error)
{
    const std::string which = "option " + std::to_string(option);
    if (error != EINVAL) return which + ": " + sentence_of(error);
    if (const char* const own = words_of_own_option(option)) return which + own;
    return sets ? which + " is unknown, or takes no such value (" + std::to_string(size) + " octets), or not now"
                : which + " is unknown or cannot be read, or needs more room than " + std::to_string(size) + " octets";
}

}  // namespace zlink::socket
