// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An end may have several lanes, one for each peer; every lane has its own sequence numbers. These are the ends with
// one.
#pragma once

namespace bench {

struct single_lane {
    // How many there are; the one that was sent to or received from last; "receive from that one again".
    static constexpr unsigned lanes() { return 1; }
    static constexpr unsigned lane() { return 0; }
    static constexpr void again() {}
};

}  // namespace bench
