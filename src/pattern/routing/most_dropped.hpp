// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How many messages that nobody wants one call drops, as a peer may send them faster than they are dropped. At the
// limit the call finds nothing, though more are there, and the next call goes on. The socket does not sleep in between:
// confirm_sleep() looks at the lanes, not at what they contain.
#pragma once

namespace zlink::pattern::routing {

inline constexpr int most_dropped = 10000;

}  // namespace zlink::pattern::routing
