// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Seeds for waits that should not end at the same time: of many endpoints, and of many processes.
#pragma once

#include <cstdint>

namespace zlink {

/// A different seed for each call, and in each process, forked ones too. Any thread. It uses no random octets of the
/// kernel or the processor, which take microseconds. The seed is not secret, so do not use it for keys or masks.
[[nodiscard]] std::uint32_t jitter_seed() noexcept;

}  // namespace zlink
