// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What is counted of the connection that serves a pipe, for statistics. It lies in the pipe, as a look may come when
// the connection has just gone.
#pragma once

#include "base/own_number.hpp"

namespace zlink::pipe {

struct connection_counts {
    own_number greetings;        ///< I/O thread: messages that go out past the lane, as the first (ZMQ_HELLO_MSG)
    own_number greeting_octets;  ///< of them, with their headers
    own_number reads;       ///< system calls; the holder of the read token, or the I/O thread of one without tokens
    own_number writes;      ///< as reads, with the write token
    own_number round_trip;  ///< I/O thread: of the last heartbeat that was answered, in us, at least 1; 0: none was
};

}  // namespace zlink::pipe
