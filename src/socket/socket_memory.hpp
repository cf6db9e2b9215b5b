// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The memory of sockets, with a handle_gate in front. It is never given back to the system: that of a closed socket is
// for new ones. What lies at a handle's tag stays dead meanwhile.
//
// A handle of a shared socket may be used by threads that have not heard of its end. Such a handle may mean another
// shared socket, but not a socket of one thread. So memory in which a socket was once shared is kept apart, for sockets
// that are shared from the start. If very much is kept, the oldest of it is for any socket. One that is not shared is
// checked there (held_socket.hpp): calls by an old handle and its own then exclude each other.
//
// Threads: any. In a child of fork, memory that the parent kept is not used.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::socket {

class socket_memory {
public:
    /// Sockets of one thread get once-shared memory only if more than this is kept.
    static constexpr std::uint32_t most_kept_apart = 1024;

    /// May throw std::bad_alloc. `shared`: for a socket that is shared from the start.
    [[nodiscard]] static void* take(std::size_t size, bool shared);
    static void give(void* memory) noexcept;

    /// What this class writes to: before it are the octets in which the tag stays dead.
    struct node {
        std::uint64_t dead_tag_stays_here[3];
        node* next;
    };
};

}  // namespace zlink::socket
