// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/vsock_loopback.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace {

constexpr std::uint32_t local_cid = 1;

/// The C library's function of this name.
template <class Function>
Function* real(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct vm_address {
    std::uint32_t cid = 0;
    std::uint32_t port = 0;
};

/// Those of all processes of this user share the names.
constexpr char prefix[] = "zlink-vsock";

struct unix_name {
    sockaddr_un address{};
    socklen_t size = 0;
};

unix_name name_of(const vm_address& at)
{
    unix_name name;
    name.address.sun_family = AF_UNIX;
    const int length =
        std::snprintf(name.address.sun_path + 1, sizeof name.address.sun_path - 1, "%s %u %u", prefix, at.port, at.cid);
    name.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<unsigned>(length));
    return name;
}

std::optional<vm_address> address_of(const sockaddr_un& name, socklen_t size)
{
    if (name.sun_family != AF_UNIX || size <= offsetof(sockaddr_un, sun_path) + 1) return {};
    const std::string text(name.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
    vm_address at;
    char word[16] = {};
    if (name.sun_path[0] != '\0' || std::sscanf(text.c_str(), "%15s %u %u", word, &at.port, &at.cid) != 3) return {};
    return std::string(prefix) == word ? std::optional(at) : std::nullopt;
}

void copy_out(const void* from, socklen_t size, sockaddr* to, socklen_t* room)
{
    std::memcpy(to, from, std::min(size, *room));
    *room = size;
}

/// Hands out the vsock address that a Unix name stands for; other names as they are.
void translate(const sockaddr_storage& found, socklen_t size, sockaddr* to, socklen_t* room)
{
    sockaddr_un name{};
    std::memcpy(&name, &found, std::min<std::size_t>(size, sizeof name));
    const auto at = address_of(name, size);
    if (!at) return copy_out(&found, size, to, room);
    sockaddr_vm address{};
    address.svm_family = AF_VSOCK;
    address.svm_cid = at->cid;
    address.svm_port = at->port;
    copy_out(&address, sizeof address, to, room);
}

std::optional<vm_address> vm_address_of(const sockaddr* address, socklen_t size)
{
    if (address == nullptr || size < sizeof(sockaddr_vm) || address->sa_family != AF_VSOCK) return {};
    sockaddr_vm vm{};
    std::memcpy(&vm, address, sizeof vm);
    return vm_address{vm.svm_cid, vm.svm_port};
}

bool probe_kernel()
{
    const int fd = static_cast<int>(::syscall(SYS_socket, AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (fd < 0) return false;
    sockaddr_vm address{};
    address.svm_family = AF_VSOCK;
    address.svm_cid = local_cid;
    address.svm_port = VMADDR_PORT_ANY;
    const bool bound = ::syscall(SYS_bind, fd, &address, sizeof address) == 0;
    ::close(fd);
    return bound;
}

void tell_of_stand_in()
{
    static std::once_flag told;
    std::call_once(told, [] {
        std::puts(
            "vsock: not run over the kernel, which has no loopback (module vsock_loopback); run over Unix sockets");
        std::fflush(stdout);
    });
}

/// The sockets that stand for those of vsock, and what Unix sockets do not have: SO_VM_SOCKETS_*, and the outcome of a
/// connect in progress. Descriptors are closed unseen: a number leaves the table when another socket has it.
class stand_ins {
public:
    void opened(int fd)
    {
        const std::lock_guard lock(mutex_);
        of_[fd] = {};
        used_ = true;
    }
    void forget(int fd)
    {
        if (!used_) return;
        const std::lock_guard lock(mutex_);
        of_.erase(fd);
    }
    void failed(int fd, int error)
    {
        const std::lock_guard lock(mutex_);
        of_[fd].pending = error;
    }
    /// 0: none.
    [[nodiscard]] int take_error(int fd)
    {
        if (!used_) return 0;
        const std::lock_guard lock(mutex_);
        const auto found = of_.find(fd);
        return found == of_.end() ? 0 : std::exchange(found->second.pending, 0);
    }
    [[nodiscard]] bool set(int fd, int option, const void* value, socklen_t size)
    {
        const std::lock_guard lock(mutex_);
        const auto found = of_.find(fd);
        unsigned long long* const which = found == of_.end() ? nullptr : found->second.at(option);
        if (which == nullptr || size < sizeof *which) return false;
        std::memcpy(which, value, sizeof *which);
        found->second.size = std::min(found->second.size, found->second.most);
        return true;
    }
    [[nodiscard]] bool get(int fd, int option, void* value, socklen_t* size)
    {
        const std::lock_guard lock(mutex_);
        const auto found = of_.find(fd);
        const unsigned long long* const which = found == of_.end() ? nullptr : found->second.at(option);
        if (which == nullptr || *size < sizeof *which) return false;
        std::memcpy(value, which, sizeof *which);
        *size = sizeof *which;
        return true;
    }

private:
    struct values {
        unsigned long long size = 256 * 1024;
        unsigned long long most = 256 * 1024;
        int pending = 0;

        unsigned long long* at(int option)
        {
            return option == SO_VM_SOCKETS_BUFFER_SIZE       ? &size
                   : option == SO_VM_SOCKETS_BUFFER_MAX_SIZE ? &most
                                                             : nullptr;
        }
    };
    std::atomic<bool> used_ = false;  // until then no lock is taken, which a child of fork might find locked
    std::mutex mutex_;
    std::map<int, values> of_;
};

stand_ins& table()
{
    static stand_ins instance;
    return instance;
}

bool is_unix_socket(int fd)
{
    static auto* const real_getsockopt = real<int(int, int, int, void*, socklen_t*)>("getsockopt");
    int family = 0;
    socklen_t size = sizeof family;
    return real_getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_UNIX;
}

/// Binds to a port that is free.
int bind_to_any_port(int fd, std::uint32_t cid)
{
    static auto* const real_bind = real<int(int, const sockaddr*, socklen_t)>("bind");
    thread_local std::mt19937 random{std::random_device{}()};
    for (int turn = 0; turn < 100; ++turn) {
        const unix_name name = name_of({cid, 1024 + std::uint32_t(random()) / 2});
        if (real_bind(fd, reinterpret_cast<const sockaddr*>(&name.address), name.size) == 0) return 0;
        if (errno != EADDRINUSE) return -1;
    }
    return -1;
}

}  // namespace

extern "C" int socket(int family, int type, int protocol) noexcept
{
    static auto* const real_socket = real<int(int, int, int)>("socket");
    if (family != AF_VSOCK || zlink::test::kernel_has_vsock_loopback()) {
        const int fd = real_socket(family, type, protocol);
        if (fd >= 0) table().forget(fd);
        return fd;
    }
    tell_of_stand_in();
    const int fd = real_socket(AF_UNIX, type, protocol);
    if (fd >= 0) table().opened(fd);
    return fd;
}

extern "C" int bind(int fd, const sockaddr* address, socklen_t size) noexcept
{
    static auto* const real_bind = real<int(int, const sockaddr*, socklen_t)>("bind");
    const auto at = vm_address_of(address, size);
    if (!at || zlink::test::kernel_has_vsock_loopback()) return real_bind(fd, address, size);
    if (at->cid != local_cid && at->cid != VMADDR_CID_ANY) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    if (at->port == VMADDR_PORT_ANY) return bind_to_any_port(fd, at->cid);
    const unix_name name = name_of(*at);
    return real_bind(fd, reinterpret_cast<const sockaddr*>(&name.address), name.size);
}

extern "C" int connect(int fd, const sockaddr* address, socklen_t size)
{
    static auto* const real_connect = real<int(int, const sockaddr*, socklen_t)>("connect");
    const auto at = vm_address_of(address, size);
    if (!at || zlink::test::kernel_has_vsock_loopback()) return real_connect(fd, address, size);
    if (at->cid != local_cid) {
        errno = ENODEV;
        return -1;
    }
    if (bind_to_any_port(fd, local_cid) != 0 && errno != EINVAL) return -1;  // EINVAL: it has a name
    int error = 0;
    for (const std::uint32_t cid : {local_cid, VMADDR_CID_ANY}) {
        const unix_name name = name_of({cid, at->port});
        const bool connected = real_connect(fd, reinterpret_cast<const sockaddr*>(&name.address), name.size) == 0;
        error = connected ? 0 : errno;
        if (error != ECONNREFUSED) break;
    }
    if (error == EAGAIN) {  // the backlog is full
        errno = error;
        return -1;
    }
    if (error == ECONNREFUSED) error = ECONNRESET;  // vsock has no other answer
    if ((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0) {
        table().failed(fd, error);  // vsock never connects at once
        error = EINPROGRESS;
    }
    errno = error;
    return error == 0 ? 0 : -1;
}

extern "C" int accept4(int fd, sockaddr* address, socklen_t* size, int flags)
{
    static auto* const real_accept4 = real<int(int, sockaddr*, socklen_t*, int)>("accept4");
    sockaddr_storage from{};
    socklen_t from_size = sizeof from;
    const int accepted = real_accept4(fd, reinterpret_cast<sockaddr*>(&from), &from_size, flags);
    if (accepted < 0) return accepted;
    table().forget(accepted);
    if (address == nullptr || size == nullptr) return accepted;
    translate(from, from_size, address, size);
    if (address->sa_family == AF_VSOCK) table().opened(accepted);
    return accepted;
}

extern "C" int getsockname(int fd, sockaddr* address, socklen_t* size) noexcept
{
    static auto* const real_getsockname = real<int(int, sockaddr*, socklen_t*)>("getsockname");
    sockaddr_storage name{};
    socklen_t name_size = sizeof name;
    if (real_getsockname(fd, reinterpret_cast<sockaddr*>(&name), &name_size) != 0) return -1;
    translate(name, name_size, address, size);
    return 0;
}

extern "C" int getpeername(int fd, sockaddr* address, socklen_t* size) noexcept
{
    static auto* const real_getpeername = real<int(int, sockaddr*, socklen_t*)>("getpeername");
    sockaddr_storage name{};
    socklen_t name_size = sizeof name;
    if (real_getpeername(fd, reinterpret_cast<sockaddr*>(&name), &name_size) != 0) return -1;
    translate(name, name_size, address, size);
    return 0;
}

extern "C" int setsockopt(int fd, int level, int option, const void* value, socklen_t size) noexcept
{
    static auto* const real_setsockopt = real<int(int, int, int, const void*, socklen_t)>("setsockopt");
    if (level == AF_VSOCK && is_unix_socket(fd) && table().set(fd, option, value, size)) return 0;
    return real_setsockopt(fd, level, option, value, size);
}

extern "C" int getsockopt(int fd, int level, int option, void* value, socklen_t* size) noexcept
{
    static auto* const real_getsockopt = real<int(int, int, int, void*, socklen_t*)>("getsockopt");
    if (level == AF_VSOCK && is_unix_socket(fd) && table().get(fd, option, value, size)) return 0;
    const int status = real_getsockopt(fd, level, option, value, size);
    if (status == 0 && level == SOL_SOCKET && option == SO_ERROR && *size == sizeof(int)) {
        if (const int error = table().take_error(fd); error != 0) std::memcpy(value, &error, sizeof error);
    }
    return status;
}

namespace zlink::test {

bool kernel_has_vsock_loopback()
{
    static const bool has = probe_kernel();
    return has;
}

std::uint32_t free_vsock_port()
{
    const int fd = ::socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_vm address{};
    address.svm_family = AF_VSOCK;
    address.svm_cid = local_cid;
    address.svm_port = VMADDR_PORT_ANY;
    socklen_t size = sizeof address;
    EXPECT_EQ(0, ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    EXPECT_EQ(0, ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size));
    ::close(fd);
    return address.svm_port;
}

}  // namespace zlink::test
