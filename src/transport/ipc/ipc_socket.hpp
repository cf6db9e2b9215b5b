// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Unix domain sockets: listening, with control of the socket file's lifetime; connecting; accepting. All descriptors
// are non-blocking and close-on-exec. None of these calls blocks.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/ipc/ipc_endpoint.hpp"
#include "transport/stream_options.hpp"
#include "transport/stream_socket.hpp"

#include <string>
#include <utility>

#include <sys/types.h>

namespace zlink::transport::ipc {

/// A listening socket and the file (and temporary directory) made for it. Both go when the listener closes. They stay
/// if another listener has replaced the file, or if the closing process is a fork of the one that made it.
class ipc_listener {
public:
    ipc_listener() noexcept = default;
    ipc_listener(ipc_listener&& other) noexcept { *this = std::move(other); }
    ipc_listener& operator=(ipc_listener&& other) noexcept;
    ~ipc_listener() { close(); }

    [[nodiscard]] int get() const noexcept { return fd_.get(); }
    explicit operator bool() const noexcept { return static_cast<bool>(fd_); }
    /// "ipc:///tmp/feed", "ipc://@name", "ipc:///tmp/zlink-k3Jd0a/socket" for a wildcard: the value of
    /// ZMQ_LAST_ENDPOINT.
    [[nodiscard]] const std::string& endpoint_text() const noexcept { return text_; }

    void close() noexcept;

private:
    friend result<ipc_listener> open_listener(const ipc_endpoint& address, const stream_options& options, int* number);

    /// Its inode distinguishes the file from a later one of the same name.
    struct file_id {
        dev_t device = 0;
        ino_t inode = 0;
        bool operator==(const file_id&) const = default;
    };
    [[nodiscard]] static bool identify(const std::string& path, file_id& id) noexcept;

    unique_fd fd_;
    std::string text_;
    std::string path_;       ///< empty when there is no file to remove
    std::string directory_;  ///< made for "*"; empty otherwise
    file_id file_;
    pid_t owner_ = 0;
};

/// Bound and listening. A socket file at the path is removed first, whichever program made it: a second bind takes the
/// name over, as zmq_ipc(7) documents. A file of another kind is left alone: address_in_use, as for abstract names in
/// use. With options.use_fd the program's own listening descriptor is taken over, and files are left alone. `number`
/// (optional) is set once there is a socket. It keeps the number if the socket was closed again because of an error.
[[nodiscard]] result<ipc_listener> open_listener(const ipc_endpoint& address, const stream_options& options,
                                                 int* number = nullptr);

/// Error `again` when the listener's backlog is full: try later, as after any other failure. `number` as above.
[[nodiscard]] result<connecting_socket> open_connection(const ipc_endpoint& peer, const stream_options& options,
                                                        int* number = nullptr);

/// Outcome of a connection that was in progress, once the descriptor is writable.
result<void> finish_connect(int fd);

/// As tcp::accept_connection; filters are those on user, group and process id.
[[nodiscard]] result<unique_fd> accept_connection(int listener, const stream_options& options);

/// Buffer sizes, by option.
result<void> tune_connection(int fd, const stream_options& options);

struct peer_credentials {
    uid_t uid = 0;
    gid_t gid = 0;
    pid_t pid = 0;
};

/// The process at the other end, as the kernel knows it. Error not_supported if the system cannot tell.
[[nodiscard]] result<peer_credentials> credentials_of_peer(int fd);

/// The addresses as endpoints; "ipc://" for a socket without a name, as most connecting ones are, empty when unknown.
[[nodiscard]] std::string local_endpoint(int fd);
[[nodiscard]] std::string peer_endpoint(int fd);

/// Value of the "Peer-Address" message property: "localhost:uid:gid:pid". Empty when unknown.
[[nodiscard]] std::string peer_address_property(int fd);

}  // namespace zlink::transport::ipc
