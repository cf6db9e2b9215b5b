// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Seeds for waits that are not to fall together: of many endpoints, and of many processes.
#pragma once

#include <cstdint>

namespace zlink {

/// Another one for each call, and in each process, forked ones too. Any thread. Costs no random octets of the kernel or the processor,
/// which take microseconds: it is no secret, so not for keys or masks.
[[nodiscard]] std::uint32_t jitter_seed() noexcept;

}  // namespace zlink
