// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The first thing that a call on a socket looks at: whether the handle is a socket, and which hold the call needs. The
// plain path asks for one value alone, so the others lead off it without a further instruction.
//
// Threads: any, also while the tag's socket ends and another one begins at the same address. The tag is dead from
// before the one ends until the other is whole. Partners: kind() acquires what store() released. The plain path's
// load() is relaxed: its thread made the socket, or got it from the thread that did.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink::socket {

/// See held_socket.hpp.
enum class handle_kind : std::uint8_t { none, plain, checked, shared };

/// What a socket's maker wants; sockets of thread-safe types are shared in any case. none: only the maker uses it, by
/// the pointer.
enum class new_handle : std::uint8_t { none, plain, checked };

class handle_tag {
public:
    static constexpr std::uint32_t live = 0x7a6c736b;
    static constexpr std::uint32_t checked = 0x7a6c736c;
    static constexpr std::uint32_t shared = 0x7a6c736d;
    static constexpr std::uint32_t dead = 0xdeadbeef;

    handle_tag() noexcept { store(dead); }
    handle_tag(const handle_tag&) = delete;
    handle_tag& operator=(const handle_tag&) = delete;

    [[nodiscard]] std::uint32_t load(std::memory_order order = std::memory_order_relaxed) const noexcept
    {
        return std::atomic_ref(const_cast<std::uint32_t&>(value_)).load(order);
    }
    void store(std::uint32_t value) noexcept { std::atomic_ref(value_).store(value, std::memory_order_release); }

    [[nodiscard]] handle_kind kind() const noexcept
    {
        switch (load(std::memory_order_acquire)) {
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
