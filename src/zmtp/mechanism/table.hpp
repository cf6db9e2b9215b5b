// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The mechanisms that this build has, one row for each.
#pragma once

#include "zmtp/mechanism/mechanism.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace zlink::zmtp {

struct mechanism_row {
    mechanism_kind kind;
    std::string_view name;  ///< in the greeting
    /// Makes the machine of the role that `local` has; `local` has to outlive it. May throw std::bad_alloc.
    std::unique_ptr<mechanism> (*make)(const local_peer& local);
};

[[nodiscard]] std::span<const mechanism_row> all_mechanisms() noexcept;

/// The row of a socket's mechanism; null if this build does not have it.
[[nodiscard]] const mechanism_row* find_mechanism(mechanism_kind kind) noexcept;

}  // namespace zlink::zmtp
