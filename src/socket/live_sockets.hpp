// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The accounts of all sockets of the process that have a handle, found by it. The handle is only compared, so that one
// of a socket that ends, or has ended, does no harm.
//
// Threads: any. A child of fork has none of its parent's.
#pragma once

#include "socket/socket_account.hpp"

#include <memory>
#include <vector>

namespace zlink::socket {

class context;

namespace live_sockets {

/// May throw std::bad_alloc.
void add(const void* handle, const context& of, std::shared_ptr<socket_account> account);
void remove(const void* handle) noexcept;

/// Null: no socket has this handle.
[[nodiscard]] std::shared_ptr<socket_account> find(const void* handle) noexcept;
/// Of all sockets of a context, in the order of their creation. May throw std::bad_alloc.
[[nodiscard]] std::vector<std::shared_ptr<socket_account>> all_of(const context& of);
/// The same, of all contexts.
[[nodiscard]] std::vector<std::shared_ptr<socket_account>> all();

}  // namespace live_sockets

}  // namespace zlink::socket
