// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Control messages, cmsg(3).
#pragma once

#include <sys/socket.h>

namespace zlink::transport {

/// CMSG_NXTHDR(). musl's macro compares signed and unsigned numbers.
inline cmsghdr* next_control_message(msghdr& header, cmsghdr* after) noexcept
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
    return CMSG_NXTHDR(&header, after);
#pragma GCC diagnostic pop
}

}  // namespace zlink::transport
