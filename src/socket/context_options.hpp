// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The options of a context: zmq_ctx_set, zmq_ctx_get and their _ext forms.
#pragma once

#include "base/errc.hpp"
#include "pipe/queue_cap.hpp"
#include "runtime/thread_settings.hpp"

#include <climits>
#include <cstddef>
#include <memory>

namespace zlink::socket {

/// A plain value. The context guards it with its lock, since any thread may set and read context options. The I/O
/// thread options count until the first socket is created, ipv6 and blocky for the sockets created later. The limit of
/// `cap` may change at any time.
struct context_options {
    int io_threads = 1;
    int max_sockets = 1023;
    bool ipv6 = false;
    bool blocky = true;  ///< false: new sockets start with a linger of zero
    int max_msgsz = INT_MAX;
    bool zero_copy_recv = true;
    runtime::thread_settings threads;  ///< of the I/O threads
    std::shared_ptr<pipe::queue_cap> cap = std::make_shared<pipe::queue_cap>();
};

/// zmq_ctx_set_ext. errc::invalid_argument for an unknown or read-only option or a bad value, the options are then
/// unchanged. errc::out_of_memory is the only other failure.
[[nodiscard]] errc set_option(context_options& options, int option, const void* value, std::size_t size);

/// zmq_ctx_get_ext: `*size` is the room on entry, the length on return.
[[nodiscard]] errc get_option(const context_options& options, int option, void* value, std::size_t* size);

/// zmq_ctx_set and zmq_ctx_get: the same for integers.
[[nodiscard]] errc set_option(context_options& options, int option, int value);
[[nodiscard]] errc get_option(const context_options& options, int option, int& value);

}  // namespace zlink::socket
