// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the two ends of a pipe tell each other.
#pragma once

#include <cstdint>

namespace zlink::pipe {

/// The events that an end can be told of.
enum pipe_event : std::uint32_t {
    event_data = 1,         ///< the inbound lane has something again
    event_credit = 2,       ///< the outbound lane has room again
    event_peer_closed = 4,  ///< the other party is gone; its messages stay readable
    event_hwm = 8,          ///< a high-water mark has changed, or shall: apply_requested_hwm, flush_credit
    /// An application gave back an I/O token that was asked for or passed by. To an application: give it back.
    event_token = 16,
    event_watch = 64,        ///< an application has left reading or sending for later: watch whether it comes back
    event_look = 128,        ///< the I/O thread's own: time to look whether an application is back
    event_inline_stop = 32,  ///< an application has left something to be read to the I/O thread
    event_chunk = 512,       ///< an application has left a large chunk at a lane: free it when the lane is idle
    event_pool = 1024,       ///< an application uses the pool of bodies: free the memory that the pool keeps
    event_segment = 2048,    ///< a large body has found no place in shared memory: make some
    event_untaken = 4096,    ///< to a connection: the socket had no memory to take it in, and another may fare better
    event_rejected = 256,    ///< to a connection: the socket will not read; it ends as soon as the peer leaves
};

}  // namespace zlink::pipe
