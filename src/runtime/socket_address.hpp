// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An address in the form that the system's calls take.
#pragma once

#include <sys/socket.h>

namespace zlink::runtime {

/// Of any family; a look-up's answer has port 0.
struct socket_address {
    sockaddr_storage storage;
    socklen_t length;

    [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
};

}  // namespace zlink::runtime
