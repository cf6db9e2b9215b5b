// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The first thing that a call on a socket looks at: whether the handle is a socket, and which hold the call needs. The
// plain path asks for one value alone, so the others lead off it without a further instruction.
//
// Threads: any. Also while the tag's socket ends and another one begins at the same address, so it is stored by atomic
// operations alone. Relaxed: for shared sockets it is looked at again under the lock.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink::socket {

/// See held_socket.hpp.
enum class handle_kind : std::uint8_t { none, plain, checked, shared };

class handle_tag {
public:
    static constexpr std::uint32_t live = 0x7a6c736b;
    static constexpr std::uint32_t checked = 0x7a6c736c;
    static constexpr std::uint32_t shared = 0x7a6c736d;
    static constexpr std::uint32_t dead = 0xdeadbeef;

    handle_tag() noexcept { store(live); }
    handle_tag(const handle_tag&) = delete;
    handle_tag& operator=(const handle_tag&) = delete;

    [[nodiscard]] std::uint32_t load() const noexcept
    {
        return std::atomic_ref(const_cast<std::uint32_t&>(value_)).load(std::memory_order_relaxed);
    }
    void store(std::uint32_t value) noexcept { std::atomic_ref(value_).store(value, std::memory_order_relaxed); }

    [[nodiscard]] handle_kind kind() const noexcept
    {
        switch (load()) {
        case live: return handle_kind::plain;
        case checked: return handle_kind::checked;
        case shared: return handle_kind::shared;
        default: return handle_kind::none;
        }
    }

private:
    std::uint32_t value_;
};

}  // namespace zlink::socket
