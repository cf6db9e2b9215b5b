// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Looks names up for one event loop, one after the other, on a thread that starts with the first of them. There are
// two: Asio's (asio_lookups.cpp), and one of our own (threaded_lookups.cpp). The build has one of them.
#pragma once

#include "base/result.hpp"
#include "runtime/socket_address.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zlink::runtime {

/// The addresses, in the system's order; host_unreachable if there are none, out_of_memory.
using lookup_answer = result<std::vector<socket_address>>;

/// The loop's thread.
class lookup_service {
public:
    using handler = std::function<void(lookup_answer)>;

    /// A look-up under way. The service lives longer.
    class request {
    public:
        virtual ~request() = default;
        /// The answer is not needed any more: an error may come in its place, and sooner.
        virtual void cancel() noexcept = 0;
    };

    virtual ~lookup_service() = default;

    /// `set` ends a sleep once it is readable; it stays open for as long as this lives. To be called once, before
    /// ask(). Throws if memory is short.
    [[nodiscard]] virtual result<void> open(int set) = 0;

    /// Calls `tell` once, in a later poll() or sleep(). `tell` does not throw. The end of the service waits for the
    /// look-up that the system has begun, and tells nothing any more. Throws if memory is short, or the system has no
    /// thread to give; `tell` is not called then.
    [[nodiscard]] virtual std::unique_ptr<request> ask(const std::string& host, handler tell) = 0;

    /// Passes on the answers that have come. A system call.
    virtual void poll() noexcept = 0;
    /// The same, after a sleep until an answer comes, or the set is readable. It lasts about `at_most`, or longer if
    /// the set is watched.
    virtual void sleep(std::chrono::nanoseconds at_most) noexcept = 0;
};

/// Throws if memory is short, or the system has no descriptors to give.
[[nodiscard]] std::unique_ptr<lookup_service> make_lookup_service();

}  // namespace zlink::runtime
