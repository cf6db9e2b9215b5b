// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/takeover.hpp"

#include "support/failure.hpp"
#include "support/status_line.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

// Whether somebody would accept a connection to this socket file.
bool is_listened_on(std::string_view path)
{
    sockaddr_un address{};
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return false;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return false;
    }
    const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    const bool listens = connected || errno == EAGAIN;  // EAGAIN: its queue is full
    ::close(fd);
    return listens;
}

}  // namespace

void takeover::look_at(const std::string& endpoint) const
{
    constexpr std::string_view scheme = "ipc://";
    if (!endpoint.starts_with(scheme)) {
        return;
    }
    const std::string_view path = std::string_view(endpoint).substr(scheme.size());
    if (path.starts_with('@') || path == "*" || !is_listened_on(path)) {
        return;
    }
    if (!force) {
        throw failure(
            fmt::format("another socket listens on {}; choose another path, or take it over with --force", endpoint));
    }
    if (!quiet) {
        say("taking {} over from the socket that listens there\n", endpoint);
    }
}

}  // namespace zlink::tool
