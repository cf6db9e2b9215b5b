// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#pragma once

namespace zlink::crypto {

/// Lets libsodium choose its code for this processor, by any thread. That happens once, as a child of fork may find the lock held
/// that libsodium takes for it. Should it fail, or be under way in a thread that a child does not have, portable code stays in place.
void start_libsodium() noexcept;

}  // namespace zlink::crypto
