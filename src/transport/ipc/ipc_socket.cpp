// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ipc/ipc_socket.hpp"

#include "base/last_error.hpp"
#include "runtime/brief_wait.hpp"
#include "runtime/clock.hpp"
#include "transport/ipc/ipc_options.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace zlink::transport::ipc {

namespace {

struct unix_address {
    sockaddr_un storage{};
    socklen_t length = 0;

    [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
};

/// The name is delimited by the length, without a final NUL, so that both sides mean the same abstract name.
result<unix_address> to_sockaddr(const ipc_endpoint& endpoint)
{
    const bool abstract = endpoint.type == ipc_endpoint::kind::abstract;
    unix_address address;
    address.storage.sun_family = AF_UNIX;
    const std::size_t lead = abstract ? 1 : 0;
    if (endpoint.name.size() + 1 > sizeof address.storage.sun_path) {
        return errc::name_too_long;
    }
#if !defined(__linux__)
    if (abstract) {
        return errc::address_not_available;
    }
#endif
    std::memcpy(address.storage.sun_path + lead, endpoint.name.data(), endpoint.name.size());
    address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + lead + endpoint.name.size());
    return address;
}

std::string text_of(const sockaddr_un& address, socklen_t length)
{
    constexpr socklen_t head = offsetof(sockaddr_un, sun_path);
    if (length < head || address.sun_family != AF_UNIX) {
        return {};
    }
    const std::string_view name(address.sun_path, std::min<std::size_t>(length - head, sizeof address.sun_path));
    if (name.size() > 1 && name.front() == '\0') {
        return to_text(ipc_endpoint{ipc_endpoint::kind::abstract, std::string(name.substr(1))});
    }
    return to_text(ipc_endpoint{ipc_endpoint::kind::path, std::string(name.substr(0, name.find('\0')))});
}

using name_function = int (*)(int, sockaddr*, socklen_t*);

std::string endpoint_by(name_function get_name, int fd)
{
    sockaddr_un address{};
    socklen_t length = sizeof address;
    if (get_name(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
        return {};
    }
    return text_of(address, length);
}

bool is_directory(const char* path)
{
    struct stat status {};
    return ::stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_socket(const char* path)
{
    struct stat status {};
    return ::stat(path, &status) == 0 && S_ISSOCK(status.st_mode);
}

/// A directory of this process, into which no other user can put a file, below the first usable of the customary
/// places.
result<std::string> make_temporary_directory()
{
    std::string path = "/tmp";
    for (const char* variable : {"TMPDIR", "TEMPDIR", "TMP"}) {
        const char* value = std::getenv(variable);
        if (value != nullptr && *value != '\0' && is_directory(value)) {
            path = value;
            break;
        }
    }
    if (path.back() != '/') {
        path += '/';
    }
    path += "zlink-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
        return from_errno(errno);
    }
    return path;
}

#if defined(SO_PEERGROUPS)
/// The peer's supplementary groups as the kernel noted them at connect.
bool is_member_of_any(int fd, const std::set<gid_t>& groups)
{
    std::vector<gid_t> member(64);
    for (int attempt = 0; attempt < 2; ++attempt) {
        auto size = static_cast<socklen_t>(member.size() * sizeof(gid_t));
        const int outcome = ::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, member.data(), &size);
        if (outcome != 0 && errno != ERANGE) {
            return false;
        }
        member.resize(size / sizeof(gid_t));
        if (outcome == 0) {
            return std::ranges::any_of(member, [&](gid_t group) { return groups.contains(group); });
        }
    }
    return false;
}
#else
bool is_member_of_any(int, const std::set<gid_t>&)
{
    return false;
}
#endif

/// Gives a socket's file its permissions. Nobody can connect before the socket listens, and no thread has to change the
/// umask, which is the whole process's. Others may be able to put another file in its place: only a socket is changed.
result<void> set_mode(const std::string& path, mode_t mode)
{
    const unique_fd file(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) return from_errno(errno);
    if (!S_ISSOCK(status.st_mode)) return errc::address_in_use;
    const std::string it = "/proc/self/fd/" + std::to_string(file.get());
    return ::chmod(it.c_str(), mode) == 0 ? result<void>() : from_errno(errno);
}

// One listener of this program at a time looks at a file and removes it, or puts its own there. Otherwise a listener
// that ends would remove the file of one that has just taken its place. (Between programs, the file belongs to the one
// that came last.) A child of fork may have inherited a turn that no thread ends, so each wait has a limit.
class file_turn {
public:
    file_turn() noexcept
    {
        (void)runtime::brief_wait(runtime::clock::now() + longest_turn,
                                  [] { return !taken_.exchange(true, std::memory_order_acquire); });
    }
    file_turn(const file_turn&) = delete;
    file_turn& operator=(const file_turn&) = delete;
    ~file_turn() { taken_.store(false, std::memory_order_release); }

private:
    static constexpr std::chrono::milliseconds longest_turn{200};
    static std::atomic<bool> taken_;
};

constinit std::atomic<bool> file_turn::taken_{false};

bool admits(const stream_options& options, int fd)
{
    const auto& [uids, gids, pids, unused_mode] = options.of<ipc_options>();
    if (uids.empty() && gids.empty() && pids.empty()) {
        return true;
    }
    const result<peer_credentials> peer = credentials_of_peer(fd);
    if (!peer) {
        return false;
    }
    return uids.contains(peer->uid) || gids.contains(peer->gid) || pids.contains(peer->pid) ||
           (!gids.empty() && is_member_of_any(fd, gids));
}

}  // namespace

ipc_listener& ipc_listener::operator=(ipc_listener&& other) noexcept
{
    if (this != &other) {
        close();
        fd_ = std::move(other.fd_);
        text_ = std::move(other.text_);
        path_ = std::exchange(other.path_, {});
        directory_ = std::exchange(other.directory_, {});
        file_ = other.file_;
        owner_ = other.owner_;
    }
    return *this;
}

bool ipc_listener::identify(const std::string& path, file_id& id) noexcept
{
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        return false;
    }
    id = {status.st_dev, status.st_ino};
    return true;
}

void ipc_listener::close() noexcept
{
    // The file goes first: the inode cannot be handed out anew while the socket is open.
    if (owner_ == ::getpid()) {
        if (!path_.empty()) {
            const file_turn turn;
            file_id now;
            if (identify(path_, now) && now == file_) {
                ::unlink(path_.c_str());
            }
        }
        if (!directory_.empty()) {
            ::rmdir(directory_.c_str());
        }
    }
    path_.clear();
    directory_.clear();
    fd_.reset();
}

result<ipc_listener> open_listener(const ipc_endpoint& address, const stream_options& options, int* number)
{
    ipc_listener listener;
    listener.owner_ = ::getpid();
    if (options.use_fd >= 0) {
        result<unique_fd> adopted = adopt_listener(options.use_fd);
        if (!adopted) {
            return adopted.error();
        }
        listener.fd_ = std::move(*adopted);
        listener.text_ = local_endpoint(listener.get());
        return listener;
    }
    ipc_endpoint local = address;
    if (address.type == ipc_endpoint::kind::any) {
        result<std::string> directory = make_temporary_directory();
        if (!directory) {
            return directory.error();
        }
        listener.directory_ = std::move(*directory);  // the listener removes it on every way out
        local = {ipc_endpoint::kind::path, listener.directory_ + "/socket"};
    }
    const result<unix_address> where = to_sockaddr(local);
    if (!where) {
        return where.error();
    }
    result<unique_fd> fd = open_stream_socket(AF_UNIX);
    if (!fd) {
        return fd.error();
    }
    if (number != nullptr) {
        *number = fd->get();
    }
    static_cast<void>(tune_connection(fd->get(), options));
    const bool has_file = local.type == ipc_endpoint::kind::path;
    const int mode = options.of<ipc_options>().mode;
    if (!has_file && mode >= 0) {
        tell_failure("ZLINK_IPC_MODE is for socket files: an abstract name has no permissions");
        return errc::invalid_argument;
    }
    std::optional<file_turn> turn;
    if (has_file) {
        turn.emplace();
        // If a file is left, or cannot be removed, bind fails with the reason.
        if (is_socket(local.name.c_str())) ::unlink(local.name.c_str());
    }
    if (::bind(fd->get(), where->data(), where->length) != 0) {
        return from_errno(errno);
    }
    if (has_file && ipc_listener::identify(local.name, listener.file_)) {
        listener.path_ = local.name;
    }
    if (mode >= 0) {
        if (const result<void> set = set_mode(local.name, static_cast<mode_t>(mode)); !set) {
            tell_failure("ZLINK_IPC_MODE: the permissions of " + local.name + " cannot be set");
            return set.error();
        }
    }
    turn.reset();
    listener.fd_ = std::move(*fd);
    listener.text_ = to_text(local);
    if (::listen(listener.get(), options.backlog) != 0) {
        return from_errno(errno);
    }
    return listener;
}

result<connecting_socket> open_connection(const ipc_endpoint& peer, const stream_options& options, int* number)
{
    const result<unix_address> where = to_sockaddr(peer);
    if (!where) {
        return where.error();
    }
    result<unique_fd> fd = open_stream_socket(AF_UNIX);
    if (!fd) {
        return fd.error();
    }
    if (number != nullptr) {
        *number = fd->get();
    }
    static_cast<void>(tune_connection(fd->get(), options));
    const result<bool> in_progress = start_connect(fd->get(), where->data(), where->length);
    if (!in_progress) {
        return in_progress.error();
    }
    return connecting_socket{std::move(*fd), *in_progress};
}

result<void> finish_connect(int fd)
{
    return take_socket_error(fd);
}

result<unique_fd> accept_connection(int listener, const stream_options& options)
{
    result<unique_fd> accepted = accept_stream(listener);
    if (accepted && !admits(options, accepted->get())) {
        return errc::access_denied;
    }
    return accepted;
}

/// Unix sockets do not tune their buffers. If a large message does not fit, it costs a wait for each part. The usual
/// size is just below 256 KB with its overhead. If the system does not allow that much, no harm is done.
void widen_sndbuf(int fd)
{
    constexpr int wanted = 208 * 1024;  // the kernel doubles it: Linux allows that to all users by default
    int size = 0;
    socklen_t length = sizeof size;
    if (::getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0 && size < 2 * wanted) {
        static_cast<void>(set_option(fd, SOL_SOCKET, SO_SNDBUF, wanted));
    }
}

result<void> tune_connection(int fd, const stream_options& options)
{
    result<void> outcome;
    if (options.sndbuf >= 0) {
        outcome = set_option(fd, SOL_SOCKET, SO_SNDBUF, options.sndbuf);
    } else {
        widen_sndbuf(fd);
    }
    if (options.rcvbuf >= 0) {
        const result<void> set = set_option(fd, SOL_SOCKET, SO_RCVBUF, options.rcvbuf);
        outcome = outcome ? set : outcome;
    }
    return outcome;
}

result<peer_credentials> credentials_of_peer(int fd)
{
#if defined(SO_PEERCRED) && defined(__linux__)
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
        return from_errno(errno);
    }
    return peer_credentials{credentials.uid, credentials.gid, credentials.pid};
#else
    static_cast<void>(fd);
    return errc::not_supported;
#endif
}

std::string local_endpoint(int fd)
{
    return endpoint_by(::getsockname, fd);
}

std::string peer_endpoint(int fd)
{
    return endpoint_by(::getpeername, fd);
}

std::string peer_address_property(int fd)
{
    const result<peer_credentials> peer = credentials_of_peer(fd);
    if (!peer) {
        return {};
    }
    return "localhost:" + std::to_string(peer->uid) + ":" + std::to_string(peer->gid) + ":" + std::to_string(peer->pid);
}

}  // namespace zlink::transport::ipc
