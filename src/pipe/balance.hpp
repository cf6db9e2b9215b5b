// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// At the end of a lane, all that was put into it has been taken, was dropped by a relay, or is still there. This is an
// invariant of each lane, behind the statistics (docs/decisions/0024-statistics.md). The messages and octets that are
// still there are counted frame by frame, not by subtraction.
#pragma once

#include "pipe/lane_reader.hpp"
#include "pipe/lane_writer.hpp"
#include "pipe/relay.hpp"

namespace zlink::pipe {

/// Both sides are gone or idle. Takes all that is left. False: the numbers do not add up.
[[nodiscard]] inline bool balances_when_drained(const lane_writer& writer, const relay* between,
                                                lane_reader& reader) noexcept
{
    reader.end_octets();
    incoming f;
    while (reader.next(f)) (void)reader.pop(f);
    const auto put = writer.look_at_written();
    auto taken = reader.look_at_read();
    if (!put || !taken) return false;  // somebody is at it
    if (between) {
        *taken += between->look_at_replaced();
        *taken += between->look_at_refused();
    }
    // What was written and never published is in no reader's reach.
    if (!reader.closed()) return taken->messages <= put->messages && taken->octets <= put->octets;
    return taken->messages == put->messages;
}

}  // namespace zlink::pipe
