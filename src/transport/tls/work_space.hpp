// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory that the tls streams of a thread use in turn: it is empty between two calls.
#pragma once

#include "transport/tls/tls_machine.hpp"

#include <cstddef>
#include <span>

namespace zlink::transport::tls {

class work_space {
public:
    static constexpr std::size_t batch = 128 * 1024;
    /// A record, and an answer to new keys of the peer, which may go before it.
    static constexpr std::size_t room_to_seal = 2 * largest_record;

    /// Null: memory is short.
    [[nodiscard]] static work_space* of_this_thread() noexcept;

    [[nodiscard]] std::span<std::byte> in() noexcept { return in_; }
    [[nodiscard]] std::span<std::byte> out() noexcept { return out_; }
    [[nodiscard]] std::span<std::byte> plain() noexcept { return plain_; }

private:
    std::byte in_[batch + largest_record];
    std::byte out_[batch + room_to_seal];
    std::byte plain_[largest_plain_record];
};

}  // namespace zlink::transport::tls
