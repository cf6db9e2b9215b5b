// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What an implementation of boxes consists of; box.cpp chooses one, tests compare them.
#pragma once

#include "crypto/box.hpp"

namespace zlink::crypto {

struct box_functions {
    box_implementation which;
    void (*seal)(const box_key&, std::span<const box_to_seal>) noexcept;
    std::size_t (*open)(const box_key&, std::span<box_to_open>) noexcept;
};

extern const box_functions sodium_box;

/// Null where this processor cannot run it.
[[nodiscard]] const box_functions* avx2_box() noexcept;
[[nodiscard]] const box_functions* avx512_box() noexcept;

}  // namespace zlink::crypto
