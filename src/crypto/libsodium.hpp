// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#pragma once

namespace zlink::crypto {

/// Lets libsodium choose its code for this processor. Any thread. That happens once, as libsodium takes a lock for it
/// that a child of fork may find held. If it fails, or is under way in a thread that a child does not have, portable
/// code stays in place.
void start_libsodium() noexcept;

}  // namespace zlink::crypto
