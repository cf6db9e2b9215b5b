// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets, and the files of those of the local domain.

#include "sim/addresses.hpp"
#include "sim/calls/call.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

using namespace zlink::sim;

namespace {

world& here()
{
    return world::get();
}

address octets_of(const sockaddr* a, socklen_t size)
{
    return {reinterpret_cast<const char*>(a), size};
}

int tell_name(const address& name, int family, sockaddr* to, socklen_t* size)
{
    address told_name = name;
    if (told_name.empty()) {
        told_name.assign(family == AF_INET ? sizeof(sockaddr_in) : family == AF_INET6 ? sizeof(sockaddr_in6) : 2, '\0');
        const sa_family_t f = sa_family_t(family);
        std::memcpy(told_name.data(), &f, sizeof f);
    }
    std::memcpy(to, told_name.data(), std::min<std::size_t>(*size, told_name.size()));
    *size = socklen_t(told_name.size());
    return 0;
}

int tell_number(int value, void* to, socklen_t* size)
{
    if (*size < sizeof value) return -EINVAL;
    std::memcpy(to, &value, sizeof value);
    *size = sizeof value;
    return 0;
}

int get_option(stream_socket& s, int level, int name, void* to, socklen_t* size)
{
    if (level == SOL_SOCKET) {
        switch (name) {
        case SO_ERROR: return tell_number(s.take_error(), to, size);
        case SO_ACCEPTCONN: return tell_number(s.listens(), to, size);
        case SO_SNDBUF: return tell_number(s.send_buffer, to, size);
        case SO_RCVBUF: return tell_number(s.receive_buffer, to, size);
        case SO_TYPE: return tell_number(SOCK_STREAM, to, size);
        case SO_DOMAIN: return tell_number(s.family, to, size);
        case SO_PEERCRED: {
            const ucred mine{4242, ::geteuid(), ::getegid()};  // so descriptors may be passed
            if (s.family != AF_UNIX || *size < sizeof mine) return -EINVAL;
            std::memcpy(to, &mine, sizeof mine);
            *size = sizeof mine;
            return 0;
        }
        default: return -ENOPROTOOPT;
        }
    }
    return -ENOPROTOOPT;
}

int set_option(stream_socket& s, int level, int name, const void* value, socklen_t size)
{
    int number = 0;
    if (size >= sizeof number) std::memcpy(&number, value, sizeof number);
    // The kernel doubles the numbers, for its own overhead.
    if (level == SOL_SOCKET && name == SO_SNDBUF) s.send_buffer = std::max(2 * number, 4608);
    if (level == SOL_SOCKET && name == SO_RCVBUF) s.receive_buffer = std::max(2 * number, 2304);
    return 0;
}

// Null: it is none of the simulated ones.
const kernel::node* node_at(const char* path)
{
    if (!world::exists()) return nullptr;
    const inside in;
    const auto& files = kernel::get().files;
    const auto at = files.find(path);
    return at == files.end() ? nullptr : &at->second;
}

int tell_status(const kernel::node& n, struct stat* to)
{
    *to = {};
    to->st_dev = 77;
    to->st_ino = n.number;
    to->st_mode = (n.directory ? S_IFDIR : S_IFSOCK) | 0700;
    to->st_uid = 1000;
    to->st_nlink = 1;
    return 0;
}

}  // namespace

extern "C" {

int __real_socket(int, int, int);
int __wrap_socket(int family, int type, int protocol)
{
    if (!world::exists()) return __real_socket(family, type, protocol);
    const kernel_call call("socket", std::uint64_t(family));
    const bool known = family == AF_INET || family == AF_INET6 || family == AF_UNIX;
    if (!known || (type & 0xf) != SOCK_STREAM) return told(-EAFNOSUPPORT);
    const auto s = std::make_shared<stream_socket>(family);
    s->non_blocking = (type & SOCK_NONBLOCK) != 0;
    return told(kernel::get().add(s));
}
int __real_bind(int, const sockaddr*, socklen_t);
int __wrap_bind(int fd, const sockaddr* to, socklen_t size)
{
    if (!simulated(fd)) return __real_bind(fd, to, size);
    const kernel_call call("bind", std::uint64_t(fd));
    const auto s = kernel::get().as<stream_socket>(fd);
    return told(s ? s->bind(octets_of(to, size)) : -ENOTSOCK);
}
int __real_listen(int, int);
int __wrap_listen(int fd, int backlog)
{
    if (!simulated(fd)) return __real_listen(fd, backlog);
    const kernel_call call("listen", std::uint64_t(fd));
    const auto s = kernel::get().as<stream_socket>(fd);
    return told(s ? s->listen(backlog) : -ENOTSOCK);
}
int __real_connect(int, const sockaddr*, socklen_t);
int __wrap_connect(int fd, const sockaddr* to, socklen_t size)
{
    if (!simulated(fd)) return __real_connect(fd, to, size);
    const kernel_call call("connect", std::uint64_t(fd));
    const auto s = kernel::get().as<stream_socket>(fd);
    if (!s) return told(-ENOTSOCK);
    const int outcome = s->connect(octets_of(to, size));
    if (outcome != -EINPROGRESS || s->non_blocking) return told(outcome);
    while (s->ready() == 0) {
        s->wait_here(here().current());
        (void)here().wait_in_queues(never, "a connection");
    }
    return told(-s->take_error());
}
int __real_accept4(int, sockaddr*, socklen_t*, int);
int __wrap_accept4(int fd, sockaddr* from, socklen_t* size, int flags)
{
    if (!simulated(fd)) return __real_accept4(fd, from, size, flags);
    const kernel_call call("accept", std::uint64_t(fd));
    const auto s = kernel::get().as<stream_socket>(fd);
    if (!s) return told(-ENOTSOCK);
    int error = 0;
    auto accepted = s->accept(error);
    while (error == -EAGAIN && !s->non_blocking) {
        s->wait_here(here().current());
        (void)here().wait_in_queues(never, "a connection");
        accepted = s->accept(error);
    }
    if (!accepted) return told(error);
    accepted->non_blocking = (flags & SOCK_NONBLOCK) != 0;
    if (from) (void)tell_name(accepted->remote, s->family, from, size);
    return kernel::get().add_surely(accepted);
}
int __real_accept(int, sockaddr*, socklen_t*);
int __wrap_accept(int fd, sockaddr* from, socklen_t* size)
{
    return simulated(fd) ? __wrap_accept4(fd, from, size, 0) : __real_accept(fd, from, size);
}
int __real_shutdown(int, int);
int __wrap_shutdown(int fd, int how)
{
    if (!simulated(fd)) return __real_shutdown(fd, how);
    const kernel_call call("shutdown", std::uint64_t(fd));
    const auto s = kernel::get().as<stream_socket>(fd);
    return told(s ? s->shut_down(how) : -ENOTSOCK);
}
int __real_getsockname(int, sockaddr*, socklen_t*);
int __wrap_getsockname(int fd, sockaddr* to, socklen_t* size)
{
    if (!simulated(fd)) return __real_getsockname(fd, to, size);
    const kernel_call call("getsockname", std::uint64_t(fd));
    const auto s = kernel::get().as<stream_socket>(fd);
    return told(s ? tell_name(s->local, s->family, to, size) : -ENOTSOCK);
}
int __real_getpeername(int, sockaddr*, socklen_t*);
int __wrap_getpeername(int fd, sockaddr* to, socklen_t* size)
{
    if (!simulated(fd)) return __real_getpeername(fd, to, size);
    const kernel_call call("getpeername", std::uint64_t(fd));
    const auto s = kernel::get().as<stream_socket>(fd);
    if (!s) return told(-ENOTSOCK);
    return told(s->is_connected() ? tell_name(s->remote, s->family, to, size) : -ENOTCONN);
}
int __real_getsockopt(int, int, int, void*, socklen_t*);
int __wrap_getsockopt(int fd, int level, int name, void* to, socklen_t* size)
{
    if (!simulated(fd)) return __real_getsockopt(fd, level, name, to, size);
    const kernel_call call("getsockopt", std::uint64_t(name));
    const auto s = kernel::get().as<stream_socket>(fd);
    return told(s ? get_option(*s, level, name, to, size) : -ENOTSOCK);
}
int __real_setsockopt(int, int, int, const void*, socklen_t);
int __wrap_setsockopt(int fd, int level, int name, const void* value, socklen_t size)
{
    if (!simulated(fd)) return __real_setsockopt(fd, level, name, value, size);
    const kernel_call call("setsockopt", std::uint64_t(name));
    const auto s = kernel::get().as<stream_socket>(fd);
    return told(s ? set_option(*s, level, name, value, size) : -ENOTSOCK);
}

// --- files of sockets ---

int __real_stat(const char*, struct stat*);
int __wrap_stat(const char* path, struct stat* to)
{
    const auto* const node = node_at(path);
    return node ? tell_status(*node, to) : __real_stat(path, to);
}
int __real_lstat(const char*, struct stat*);
int __wrap_lstat(const char* path, struct stat* to)
{
    const auto* const node = node_at(path);
    if (world::exists()) here().call("lstat");
    return node ? tell_status(*node, to) : __real_lstat(path, to);
}
int __real_unlink(const char*);
int __wrap_unlink(const char* path)
{
    if (!node_at(path)) return __real_unlink(path);
    const kernel_call call("unlink");
    kernel::get().files.erase(path);
    return 0;
}
int __real_rmdir(const char*);
int __wrap_rmdir(const char* path)
{
    if (!node_at(path)) return __real_rmdir(path);
    const kernel_call call("rmdir");
    kernel::get().files.erase(path);
    return 0;
}
char* __real_mkdtemp(char*);
char* __wrap_mkdtemp(char* pattern)
{
    if (!world::exists()) return __real_mkdtemp(pattern);
    const kernel_call call("mkdtemp");
    const auto number = kernel::get().new_node();
    const std::string text = std::to_string(1'000'000 + number);
    std::memcpy(pattern + std::strlen(pattern) - 6, text.data() + text.size() - 6, 6);
    kernel::get().files[pattern] = {number, true, {}};
    return pattern;
}
}
