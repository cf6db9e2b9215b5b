// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Turns SIGINT, SIGTERM and SIGHUP into a flag and a readable descriptor, so that every loop can end in good order.
#pragma once

namespace zlink::tool::stop_signal {

// Installs the handlers (once, from main) and ignores SIGPIPE: a closed pipe is an EPIPE of the write.
void install();

// True once a stop was asked for by a signal or by request().
bool requested() noexcept;

// The signal that asked for it, 0 when there was none.
int number() noexcept;

// Asks for a stop from within the program; safe in any thread.
void request() noexcept;

// Becomes readable when a stop is asked for and stays so. For poll().
int descriptor() noexcept;

}  // namespace zlink::tool::stop_signal
