// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A direction holds one piece at a time: it is read when the one before is written. So a slow peer slows the other.
#include "dump/octet_relay.hpp"

#include "support/failure.hpp"
#include "support/stop_signal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

constexpr std::size_t piece = 64 * 1024;

struct place {
    sockaddr_storage address{};
    socklen_t size = 0;
    int family = AF_UNSPEC;
};

[[noreturn]] void refuse(const std::string& endpoint, const std::string& cause)
{
    throw usage_failure(fmt::format("'{}' cannot be used: {}; write it like tcp://127.0.0.1:5555, ws://*:8080 or "
                                    "ipc:///tmp/x",
                                    endpoint, cause));
}

place place_of_path(const std::string& endpoint)
{
    const std::string path = endpoint.substr(std::strlen("ipc://"));
    place found;
    auto& address = reinterpret_cast<sockaddr_un&>(found.address);
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        refuse(endpoint, "its path is empty or longer than a unix socket allows (107 octets)");
    }
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    const bool abstract = path[0] == '@';
    if (abstract) {
        address.sun_path[0] = '\0';
    }
    found.family = AF_UNIX;
    found.size = socklen_t(offsetof(sockaddr_un, sun_path) + path.size() + (abstract ? 0 : 1));
    return found;
}

// Of those that go over TCP.
std::string scheme_of(const std::string& endpoint)
{
    for (const char* scheme : {"tcp://", "ws://"}) {
        if (endpoint.starts_with(scheme)) {
            return scheme;
        }
    }
    return "";
}

place place_of(const std::string& endpoint, bool listens)
{
    if (endpoint.starts_with("ipc://")) {
        return place_of_path(endpoint);
    }
    const std::string scheme = scheme_of(endpoint);
    if (scheme.empty()) {
        refuse(endpoint, "only tcp://, ws:// and ipc:// can be looked into");
    }
    // The path of ws is in what the client says.
    const auto path = scheme == "ws://" ? endpoint.find('/', scheme.size()) : std::string::npos;
    const std::string where = endpoint.substr(scheme.size(), path - scheme.size());
    const auto colon = where.rfind(':');
    if (colon == std::string::npos) {
        refuse(endpoint, "it has no port");
    }
    std::string host = where.substr(0, colon);
    std::string port = where.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    const bool any = host == "*";
    port = listens && port == "*" ? "0" : port;
    const bool number =
        !port.empty() && port.size() <= 5 && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
    if (!number || std::stoi(port) > 65535 || (any && !listens) || host.empty()) {
        refuse(endpoint, number && !host.empty() && !any ? "65535 is the largest port" : "it has no host or no port");
    }
    addrinfo hints{};
    hints.ai_family = any ? AF_INET : AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | (listens ? AI_PASSIVE : 0);
    addrinfo* list = nullptr;
    if (const int error = getaddrinfo(any ? nullptr : host.c_str(), port.c_str(), &hints, &list); error != 0) {
        throw failure(fmt::format("{}: {}; check the name", endpoint, gai_strerror(error)));
    }
    place found;
    found.family = list->ai_family;
    found.size = list->ai_addrlen;
    std::memcpy(&found.address, list->ai_addr, list->ai_addrlen);
    freeaddrinfo(list);
    return found;
}

std::string name_of(const sockaddr_storage& address, socklen_t size, const std::string& scheme = "tcp://")
{
    if (address.ss_family == AF_UNIX) {
        return "a process on this machine";
    }
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host.data(), host.size(), port.data(),
                    port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return "somewhere";
    }
    const bool v6 = address.ss_family == AF_INET6;
    return fmt::format("{}{}{}{}:{}", scheme, v6 ? "[" : "", host.data(), v6 ? "]" : "", port.data());
}

void set_no_delay(int descriptor)
{
    const int on = 1;
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

struct octet_relay::connection {
    struct end {
        int descriptor = -1;
        std::string outgoing;  // to be written to it
        bool read_ends = false;
        bool write_ends = false;
    };

    std::uint64_t number = 0;
    std::array<end, 2> ends;  // of the one that came, of the one that was connected to
    bool connecting = true;

    ~connection()
    {
        for (const auto& each : ends) {
            if (each.descriptor >= 0) ::close(each.descriptor);
        }
    }
};

octet_relay::octet_relay(const std::string& bind, const std::string& to, hearing told)
    : to_(to),
      told_(std::move(told)),
      endpoint_(bind)
{
    (void)place_of(to, false);  // a mistake is told before anybody comes
    const place here = place_of(bind, true);
    listener_ = ::socket(here.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    if (here.family != AF_UNIX) {
        (void)setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    if (listener_ < 0 || ::bind(listener_, reinterpret_cast<const sockaddr*>(&here.address), here.size) != 0 ||
        ::listen(listener_, 64) != 0) {
        const int error = errno;
        if (listener_ >= 0) ::close(listener_);
        throw failure(fmt::format("cannot bind {}: {}; {}", bind, std::strerror(error),
                                  error == EADDRINUSE ? "another socket or a file is there; choose another one"
                                                      : "choose an address of this machine, and a port above 1023"));
    }
    if (here.family == AF_UNIX) {
        path_ = bind.find('@') == std::strlen("ipc://") ? "" : bind.substr(std::strlen("ipc://"));
    } else {
        sockaddr_storage address{};
        socklen_t size = sizeof address;
        if (getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
            endpoint_ = name_of(address, size, scheme_of(bind));
        }
    }
}

octet_relay::~octet_relay()
{
    if (listener_ >= 0) ::close(listener_);
    if (!path_.empty()) ::unlink(path_.c_str());
}

void octet_relay::accept()
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int came = ::accept4(listener_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (came < 0) {
        return;
    }
    auto one = std::make_unique<connection>();
    one->number = ++accepted_;
    one->ends[0].descriptor = came;
    told_.opened(one->number, name_of(address, size));
    std::optional<place> there;
    std::string cause;
    try {
        there = place_of(to_, false);
    } catch (const failure& problem) {
        cause = problem.what();
    }
    if (there) {
        one->ends[1].descriptor = ::socket(there->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        const int done =
            ::connect(one->ends[1].descriptor, reinterpret_cast<const sockaddr*>(&there->address), there->size);
        cause = done == 0 || errno == EINPROGRESS ? "" : std::strerror(errno);
    }
    if (!cause.empty()) {
        told_.ended(one->number, 1, fmt::format("cannot be connected to: {}", cause));
        ++ended_;
        return;
    }
    set_no_delay(one->ends[0].descriptor);
    set_no_delay(one->ends[1].descriptor);
    open_.push_back(std::move(one));
}

// Reads what this side says and writes it to the other.
void octet_relay::pass_on(connection& one, int side)
{
    auto& from = one.ends[std::size_t(side)];
    auto& to = one.ends[std::size_t(1 - side)];
    if (to.outgoing.empty() && !from.read_ends) {
        std::array<char, piece> octets;
        const ssize_t got = ::recv(from.descriptor, octets.data(), octets.size(), 0);
        if (got > 0) {
            to.outgoing.assign(octets.data(), std::size_t(got));
            told_.octets(one.number, side, to.outgoing);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            from.read_ends = true;
            told_.ended(one.number, side, got == 0 ? "ends the connection" : "breaks the connection off");
        }
    }
    if (!to.outgoing.empty() && !one.connecting) {
        const ssize_t done = ::send(to.descriptor, to.outgoing.data(), to.outgoing.size(), MSG_NOSIGNAL);
        if (done > 0) {
            to.outgoing.erase(0, std::size_t(done));
        } else if (done < 0 && errno != EAGAIN && errno != EINTR) {
            to.outgoing.clear();
            from.read_ends = true;  // nobody takes what it says
        }
    }
    if (from.read_ends && to.outgoing.empty() && !to.write_ends && !one.connecting) {
        to.write_ends = true;
        ::shutdown(to.descriptor, SHUT_WR);
    }
}

// False when it is over.
bool octet_relay::serve(connection& one)
{
    if (one.connecting) {
        pollfd there{one.ends[1].descriptor, POLLOUT, 0};
        if (::poll(&there, 1, 0) == 1) {
            int error = 0;
            socklen_t size = sizeof error;
            (void)getsockopt(there.fd, SOL_SOCKET, SO_ERROR, &error, &size);
            if (error != 0) {
                told_.ended(one.number, 1, fmt::format("cannot be connected to: {}", std::strerror(error)));
                return false;
            }
            one.connecting = false;
        }
    }
    pass_on(one, 0);
    if (!one.connecting) {
        pass_on(one, 1);
    }
    return !(one.ends[0].write_ends && one.ends[1].write_ends) && !(one.connecting && one.ends[0].read_ends);
}

void octet_relay::run(std::uint64_t most)
{
    std::vector<pollfd> polled;
    while (!stop_signal::requested() && (most == 0 || ended_ < most)) {
        polled.assign({{stop_signal::descriptor(), POLLIN, 0}, {listener_, POLLIN, 0}});
        for (const auto& one : open_) {
            for (const std::size_t side : {0U, 1U}) {
                const auto& own = one->ends[side];
                const auto& other = one->ends[1 - side];
                const bool reads = !own.read_ends && other.outgoing.empty() && !(side == 1 && one->connecting);
                const bool writes = !own.outgoing.empty() || (side == 1 && one->connecting);
                const auto events = static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
                polled.push_back({events != 0 ? own.descriptor : -1, events, 0});
            }
        }
        if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) {
            throw failure(fmt::format("poll failed: {}", std::strerror(errno)));
        }
        if ((polled[1].revents & POLLIN) != 0) {
            accept();
        }
        const auto over = std::ranges::remove_if(open_, [&](const auto& one) { return !serve(*one); });
        ended_ += std::uint64_t(over.size());
        open_.erase(over.begin(), over.end());
    }
}

}  // namespace zlink::tool
