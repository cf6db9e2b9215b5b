// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The functions of one implementation of boxes; box.cpp chooses an implementation, tests compare them.
#pragma once

#include "crypto/box.hpp"

namespace zlink::crypto {

struct box_functions {
    box_implementation which;
    void (*seal)(const box_key&, std::span<const box_to_seal>) noexcept;
    std::size_t (*open)(const box_key&, std::span<box_to_open>) noexcept;
};

extern const box_functions sodium_box;

/// Null if this processor cannot run it.
[[nodiscard]] const box_functions* avx2_box() noexcept;
[[nodiscard]] const box_functions* avx512_box() noexcept;

}  // namespace zlink::crypto
