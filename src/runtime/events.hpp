// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The events that a descriptor can be ready for: epoll's, under the library's own names.
#pragma once

#include <cstdint>

namespace zlink::runtime::events {

inline constexpr std::uint32_t readable = 0x001;
inline constexpr std::uint32_t urgent = 0x002;  ///< octets out of band: a read ends before them
inline constexpr std::uint32_t writable = 0x004;
inline constexpr std::uint32_t failed = 0x008;   ///< reported unasked
inline constexpr std::uint32_t hung_up = 0x010;  ///< in both directions; reported unasked
inline constexpr std::uint32_t ended = 0x2000;   ///< the peer sends no more

}  // namespace zlink::runtime::events
