// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A number that is secret outside of this process, for hashes of data that others choose.
#pragma once

#include "base/sip_hash.hpp"

#include <cstdint>

namespace zlink {

/// The same whenever it is asked for. Needs no system call and cannot fail.
[[nodiscard]] std::uint64_t process_secret() noexcept;

/// All octets that the kernel gave to the process: the secret above, and the C library's own guard value. A key, never
/// to be shown.
[[nodiscard]] sip_key process_key() noexcept;

}  // namespace zlink
