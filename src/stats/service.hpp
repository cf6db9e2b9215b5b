// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Serves the statistics of this process to others, if the environment asks for it: ZLINK_STATS names a socket file or a
// port of tcp on a loopback address (docs/decisions/0025-served-statistics.md). A thread of its own does so, from the
// first context on until the last one has ended. If it cannot, a line on standard error says why, once, and the program
// goes on.
//
// Threads: any. A child of fork that makes a context serves its own statistics, in a place of its own.
#pragma once

namespace zlink::stats {

/// A context has been made.
void context_begun() noexcept;
/// It has ended, in the process that made it.
void context_ended() noexcept;

}  // namespace zlink::stats
