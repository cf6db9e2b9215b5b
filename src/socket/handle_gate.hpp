// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The gate that a thread passes before it enters a socket that is shared, or whose callers are checked. It lies in
// front of the socket, in memory that is never given back (socket_memory.hpp), and outlives the socket there. If a
// thread comes while another one closes the socket, it still finds the lock, and then a dead tag.
//
// Threads: any. In a child of fork, a thread of the parent may hold everything for ever; nothing is locked there.
#pragma once

#include "base/process_generation.hpp"
#include "base/thread_state.hpp"
#include "runtime/brief_lock.hpp"
#include "socket/wait_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink::socket {

class handle_gate {
public:
    handle_gate() = default;
    handle_gate(const handle_gate&) = delete;
    handle_gate& operator=(const handle_gate&) = delete;

    /// Octets that it takes up in front of a socket.
    static constexpr std::size_t room = 256;
    [[nodiscard]] static handle_gate& of(void* handle) noexcept
    {
        static_assert(sizeof(handle_gate) <= room);
        return *reinterpret_cast<handle_gate*>(static_cast<std::byte*>(handle) - room);
    }

    /// Its socket has begun to use it, in this process.
    void open() noexcept { home_.store(process_generation(), std::memory_order_relaxed); }
    /// A child of fork, and not the process that opened it.
    [[nodiscard]] bool inherited() const noexcept
    {
        return home_.load(std::memory_order_relaxed) != process_generation();
    }

    // For shared sockets

    /// It is never undone: threads may come by an old handle for ever.
    void note_shared() noexcept { was_shared_ = true; }
    [[nodiscard]] bool was_shared() const noexcept { return was_shared_; }

    runtime::brief_lock lock;
    wait_line line;  ///< the lock's

    // For checked sockets: calls of one thread may lie in each other

    /// False: another thread is inside.
    [[nodiscard]] bool begin_call() noexcept
    {
        const void* const mine = this_thread();
        if (user_.load(std::memory_order_relaxed) != mine) {
            const void* nobody = nullptr;
            if (!user_.compare_exchange_strong(nobody, mine, std::memory_order_acquire, std::memory_order_relaxed))
                return false;
        }
        ++depth_;
        return true;
    }
    void end_call() noexcept
    {
        invariant([this] { return user_.load(std::memory_order_relaxed) == this_thread() && depth_ != 0; });
        if (--depth_ == 0) user_.store(nullptr, std::memory_order_release);
    }

private:
    /// Something that each living thread has at an address of its own.
    [[nodiscard]] static const void* this_thread() noexcept { return &thread_state::failure(); }

    std::atomic<std::uint64_t> home_{0};      ///< relaxed: the handle's tag, stored after it, orders it
    std::atomic<const void*> user_{nullptr};  ///< partners: begin_call() acquires what end_call() released
    unsigned depth_ = 0;                      ///< the user's
    bool was_shared_ = false;                 ///< the socket's, and the memory's keeper's
};

}  // namespace zlink::socket
