// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octets of the fuzzer that take the way of octets that were read.
#pragma once

#include "wire/inbound.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace zlink::fuzz {

/// Moves octets from the front of `from` into that room. Their number.
inline std::size_t fill(const wire::inbound::room& to, std::span<const std::byte>& from)
{
    std::size_t got = 0;
    for (int i = 0; i < to.count; ++i) {
        const std::size_t n = std::min(to.pieces[i].iov_len, from.size());
        if (n) std::memcpy(to.pieces[i].iov_base, from.data(), n);
        from = from.subspan(n);
        got += n;
    }
    return got;
}

}  // namespace zlink::fuzz
