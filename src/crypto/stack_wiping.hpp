// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// If registers run out, words of keys and powers of authenticators lie on the stack: in libsodium's code and in ours.
#pragma once

#include <sodium.h>

#include <cstddef>

namespace zlink::crypto {

/// Wipes the stack below the caller's frame, as deep as code of this folder and of libsodium goes.
/// (tests/unit/crypto/*stack_test.cpp look for remains.)
inline void wipe_stack() noexcept
{
    constexpr std::size_t in_use = 10 * 1024;
    sodium_stackzero(in_use);
}

}  // namespace zlink::crypto
