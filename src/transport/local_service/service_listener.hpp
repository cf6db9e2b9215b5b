// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A listening socket of a local service, and its file. Other users cannot read: the file has the mode 0600 from its
// first moment on. The descriptor is non-blocking and close-on-exec, and a child of fork closes it.
#pragma once

#include "base/unique_fd.hpp"
#include "transport/local_service/service_place.hpp"

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace zlink::transport::local_service {

/// The file goes when the listener closes. It stays if another has taken its place, or if the closing process is a fork
/// of the one that made it.
class service_listener {
public:
    service_listener() noexcept = default;
    service_listener(service_listener&& other) noexcept { *this = std::move(other); }
    service_listener& operator=(service_listener&& other) noexcept;
    ~service_listener() { close(); }

    [[nodiscard]] int get() const noexcept { return fd_.get(); }
    explicit operator bool() const noexcept { return static_cast<bool>(fd_); }
    /// With the port that it has got.
    [[nodiscard]] const service_place& place() const noexcept { return place_; }

    void close() noexcept;
    /// Nobody finds it from now on.
    void remove_file() noexcept;

private:
    friend struct service_opening;

    unique_fd fd_;
    service_place place_;
    std::string file_;  ///< with the folder, as the program may change its own; empty: there is none to remove
    dev_t device_ = 0;
    ino_t inode_ = 0;
    pid_t owner_ = 0;
};

/// What comes of an attempt to listen.
struct service_opening {
    service_listener listener;  ///< empty if there is a failure
    std::string failure;        ///< the cause and the cure
    bool in_use = false;        ///< the cause is that another one listens there

    /// If a socket file of a process of this user that has ended is there, its place is taken. A file of another kind,
    /// or of a live process, is never removed. Of several that begin at the same time, one gets the place. Waits for a
    /// second at most. May throw std::bad_alloc.
    [[nodiscard]] static service_opening at(const service_place& place);

private:
    void open_file();
    void open_port();
    void fail(std::string cause, bool because_in_use = false);
    void fail_by(int error);
    [[nodiscard]] bool remove_stale();
};

}  // namespace zlink::transport::local_service
