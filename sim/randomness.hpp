// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#pragma once

namespace zlink::sim {

/// From now on libsodium and OpenSSL draw their random octets from the world, too.
void seed_libraries();

}  // namespace zlink::sim
