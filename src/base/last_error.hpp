// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Failures in words, for zlink_last_error(): what errno cannot say (which file, what the peer's certificate lacked). Any thread.
#pragma once

#include <string_view>

namespace zlink {

/// Of a call of this thread that fails.
void tell_failure(std::string_view words) noexcept;

/// Of a connection, on an I/O thread: for every thread of the process that asks, unless one of its own is newer.
void tell_failure_of_connection(std::string_view words) noexcept;

/// The latest that concerns this thread; empty: there has been none. Valid until the thread asks again, or ends.
[[nodiscard]] const char* last_failure() noexcept;

}  // namespace zlink
