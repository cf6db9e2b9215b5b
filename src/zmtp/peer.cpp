// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The default settings of a side.
#include "zmtp/peer.hpp"

namespace zlink::zmtp {

const security_settings& local_peer::security_or_default() const noexcept
{
    // Never destroyed: while the process exits, an I/O thread may still have a handshake.
    union forever {
        security_settings settings;
        forever() noexcept : settings{} {}
        ~forever() {}
    };
    static const forever defaults;
    return security ? *security : defaults.settings;
}

}  // namespace zlink::zmtp
