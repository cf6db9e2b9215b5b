// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How often sends of one socket have waited: for room, or by rules that adapt to the load. (counters.hpp has the rules
// of all threads. Those that are not here belong to threads, to connections or to the process.)
#pragma once

#include "base/own_number.hpp"

namespace zlink::load {

/// The socket's thread counts, any thread looks.
struct socket_counts {
    own_number waits;      ///< sends that slept, as no peer had room
    own_number held;       ///< messages that were held back, to go out together with later ones
    own_number held_late;  ///< of them, those that went out later than they should
    own_number pauses;     ///< sends that slept behind large messages
    own_number io_waits;   ///< sends that waited for an I/O thread that was late
};

}  // namespace zlink::load
