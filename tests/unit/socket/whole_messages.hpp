// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whole messages of sockets inside the library.
#pragma once

#include "message/frame.hpp"
#include "pipe/delivery.hpp"
#include "socket/socket.hpp"

#include <string>
#include <vector>

namespace zlink::socket::test {

using frames = std::vector<std::string>;

/// The next message, or none.
inline frames next(socket* s, bool dontwait = false)
{
    frames all;
    for (bool more = true; more;) {
        message::owned_frame f;
        pipe::delivery arrived(f);
        if (s->receive(arrived, dontwait) != errc::none) break;
        all.emplace_back(reinterpret_cast<const char*>(f.data()), f.size());
        more = arrived.more();
    }
    return all;
}

}  // namespace zlink::socket::test
