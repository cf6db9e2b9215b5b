// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Waiting for any of several sockets and descriptors at once: the common part of zmq_poll, zmq_ppoll, pollers and
// proxies.
#pragma once

#include "base/result.hpp"

#define ZMQ_BUILD_DRAFT_API
#include <zmq.h>

#include <signal.h>

#include <span>

namespace zlink::socket {

/// Sets `revents` of each item and returns how many of them are not 0. Waits until one is not 0, for `timeout`
/// milliseconds at most (0: only looks, negative: for ever). `signal_mask` (may be null) is in force as in ppoll(2).
///
/// not_a_socket, terminated, interrupted, out_of_memory; errors of ppoll(2) pass through. An item with neither socket
/// nor descriptor (fd < 0) is never ready. A look at sockets alone takes no system call. A cancellation point unless an
/// item is ready.
[[nodiscard]] result<int> poll(std::span<zmq_pollitem_t> items, long timeout, const sigset_t* signal_mask = nullptr);

}  // namespace zlink::socket
