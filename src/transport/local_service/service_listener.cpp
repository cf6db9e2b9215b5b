// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/local_service/service_listener.hpp"

#include "base/cancellation.hpp"
#include "runtime/closed_by_fork.hpp"
#include "runtime/pause.hpp"
#include "transport/stream_socket.hpp"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace zlink::transport::local_service {

namespace {

constexpr int backlog = 16;
constexpr mode_t owner_alone = 0600;

struct socket_name {
    sockaddr_storage storage{};
    socklen_t size = 0;

    [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
};

template <class Address>
socket_name name_of(const Address& address, socklen_t size = sizeof(Address)) noexcept
{
    socket_name name;
    std::memcpy(&name.storage, &address, size);
    name.size = size;
    return name;
}

/// The place's path fits: the grammar has seen to that.
socket_name file_name(const std::string& path) noexcept
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return name_of(address, socklen_t(offsetof(sockaddr_un, sun_path) + path.size() + 1));
}

socket_name port_name(const service_place& place) noexcept
{
    if (place.type == service_place::kind::ip6) {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_addr = in6addr_loopback;
        address.sin6_port = htons(place.port);
        return name_of(address);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(place.address);
    address.sin_port = htons(place.port);
    return name_of(address);
}

std::uint16_t port_of(int fd) noexcept
{
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) return 0;
    if (name.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(name).sin6_port);
    return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

std::string folder_of(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::string with_folder(const std::string& path)
{
    if (path.starts_with('/')) return path;
    char folder[4096];
    return ::getcwd(folder, sizeof folder) ? std::string(folder) + "/" + path : path;
}

// Processes that begin in the same folder look at files there, remove and make them one after the other. The lock is on
// the folder, so nothing is left behind. On a file system without such locks, the last of two that begin at the same
// moment may take the other's place.
class folder_turn {
public:
    explicit folder_turn(const std::string& folder) noexcept
        : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    {
        constexpr int most_tries = 500;
        constexpr std::chrono::milliseconds pause{2};
        for (int i = 0; folder_ && i < most_tries && ::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
            if (errno != EWOULDBLOCK) return;
            runtime::nap(pause);
            is_taken_ = i + 1 == most_tries;
        }
    }
    /// Another process has kept the lock for a second.
    [[nodiscard]] bool is_taken() const noexcept { return is_taken_; }

private:
    unique_fd folder_;
    bool is_taken_ = false;
};

}  // namespace

service_listener& service_listener::operator=(service_listener&& other) noexcept
{
    if (this != &other) {
        close();
        fd_ = std::move(other.fd_);
        place_ = std::exchange(other.place_, {});
        file_ = std::exchange(other.file_, {});
        device_ = other.device_;
        inode_ = other.inode_;
        owner_ = other.owner_;
    }
    return *this;
}

void service_listener::remove_file() noexcept
{
    const std::string file = std::exchange(file_, {});
    if (file.empty() || owner_ != ::getpid()) return;
    const cancellation_held_off hold;
    struct stat now {};
    if (::lstat(file.c_str(), &now) == 0 && now.st_dev == device_ && now.st_ino == inode_) ::unlink(file.c_str());
}

void service_listener::close() noexcept
{
    // The file goes first: the inode cannot be handed out anew while the socket is open.
    remove_file();
    if (fd_) runtime::closed_by_fork::forget(fd_.get());
    fd_.reset();
}

service_opening service_opening::at(const service_place& place)
{
    const cancellation_held_off hold;
    service_opening opening;
    opening.listener.place_ = place;
    place.type == service_place::kind::file ? opening.open_file() : opening.open_port();
    if (!opening.failure.empty()) {
        opening.listener.close();
        return opening;
    }
    (void)runtime::closed_by_fork::keep(opening.listener.get());
    return opening;
}

void service_opening::fail(std::string cause, bool because_in_use)
{
    failure = std::move(cause);
    in_use = because_in_use;
}

void service_opening::fail_by(int error)
{
    if (error == EADDRINUSE) return fail("another program listens there; use another port", true);
    if (error == ENOENT) return fail("there is no such folder; make it first");
    if (error == EACCES) return fail("no permission to listen there; use a folder of your own, or a port from 1024 on");
    if (error == ENOTDIR) return fail("a part of the path is no folder; use another path");
    if (error == EROFS) return fail("the file system is read-only; use another path");
    if (error == EADDRNOTAVAIL || error == EAFNOSUPPORT) return fail("this machine does not have that address");
    fail(std::string("cannot listen there: ") + ::strerror(error));
}

void service_opening::open_port()
{
    const socket_name name = port_name(listener.place_);
    result<unique_fd> fd = open_stream_socket(name.storage.ss_family);
    if (!fd) return fail_by(to_errno(fd.error()));
    (void)set_option(fd->get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (::bind(fd->get(), name.data(), name.size) != 0 || ::listen(fd->get(), backlog) != 0) return fail_by(errno);
    listener.place_.port = port_of(fd->get());
    listener.fd_ = std::move(*fd);
}

void service_opening::open_file()
{
    const std::string& path = listener.place_.path;
    const socket_name name = file_name(path);
    result<unique_fd> fd = open_stream_socket(AF_UNIX);
    if (!fd) return fail_by(to_errno(fd.error()));
    // A socket's file gets the mode that the socket has when it is bound. The umask is the whole process's, and stays.
    if (::fchmod(fd->get(), owner_alone) != 0) return fail_by(errno);
    const folder_turn turn(folder_of(path));
    if (turn.is_taken()) return fail("another process has locked the folder; use a folder of your own", true);
    constexpr int most_tries = 3;
    for (int i = 0; ::bind(fd->get(), name.data(), name.size) != 0; ++i) {
        if (errno != EADDRINUSE || i == most_tries) return fail_by(errno);
        if (!remove_stale()) return;
    }
    struct stat made {};
    if (::lstat(path.c_str(), &made) == 0) {
        listener.file_ = with_folder(path);
        listener.device_ = made.st_dev;
        listener.inode_ = made.st_ino;
        listener.owner_ = ::getpid();
    }
    listener.fd_ = std::move(*fd);
    if (::listen(listener.get(), backlog) != 0) fail_by(errno);
}

// True: it is worth to try again.
bool service_opening::remove_stale()
{
    const std::string& path = listener.place_.path;
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) return errno == ENOENT || (fail_by(errno), false);
    if (!S_ISSOCK(there.st_mode)) return fail("a file that is no socket is there, and stays; use another path"), false;
    const result<unique_fd> probe = open_stream_socket(AF_UNIX);
    if (!probe) return fail_by(to_errno(probe.error())), false;
    const socket_name name = file_name(path);
    if (::connect(probe->get(), name.data(), name.size) == 0 || errno != ECONNREFUSED) {
        if (errno == ENOENT) return true;
        return fail("another process listens there; use %p in the path for a file of each process", true), false;
    }
    if (there.st_uid != ::geteuid())
        return fail("a socket of another user is there, and stays; use another path"), false;
    return ::unlink(path.c_str()) == 0 || errno == ENOENT || (fail_by(errno), false);
}

}  // namespace zlink::transport::local_service
