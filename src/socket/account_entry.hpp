// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a socket's account keeps about one of its pipes, and about an endpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>

namespace zlink::socket {

/// The socket's thread changes it, under the account's lock while the account has the pipe.
struct account_entry {
    static constexpr std::uint32_t not_there = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t index = not_there;  ///< socket_account's: in its list
    bool joins_sockets = false;       ///< the other end is a socket of this process
    bool connected = false;           ///< the peer is there
    const char* mechanism = "";       ///< of its connection
    struct identity {
        std::string routing_id;  ///< that the peer has announced
        std::string user_id;     ///< that its authentication gave it
    };
    std::unique_ptr<const identity> peer;  ///< null: it has neither, as most, or memory was short

    void note_peer(const std::string& routing_id, const std::string& user_id) noexcept
    {
        peer.reset();
        if (routing_id.empty() && user_id.empty()) return;
        try {
            peer = std::make_unique<const identity>(identity{routing_id, user_id});
        } catch (const std::bad_alloc&) {  // statistics do without
        }
    }
};

/// An endpoint, for as long as it has pipes. Under the account's lock.
struct account_endpoint {
    std::string text;
    std::size_t pipes = 0;
    std::string last_error;  ///< of a connected one: why a connection has failed last
};

}  // namespace zlink::socket
