// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A context: options, I/O threads, the sockets alive, the names that they have bound for each other. Thread-safe. The
// API creates and ends it. Its end waits for its sockets to be closed and for everything that lingers.
#pragma once

#include "base/errc.hpp"
#include "base/process_generation.hpp"
#include "base/result.hpp"
#include "engine/io_worker.hpp"
#include "runtime/deadline.hpp"
#include "runtime/latch.hpp"
#include "socket/context_options.hpp"
#include "socket/handle_tag.hpp"
#include "socket/hosting.hpp"
#include "socket/input_probe.hpp"
#include "socket/name_registry.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace zlink::socket {

class socket;

class context {
public:
    /// Null when memory is short.
    [[nodiscard]] static context* create() noexcept;

    /// The same without I/O threads: its loop is driven by step().
    [[nodiscard]] static result<context*> create_hosted(host_calls calls) noexcept;

    /// Whether `handle` is a context that has not ended, as far as its memory tells.
    [[nodiscard]] static bool valid(const void* handle) noexcept
    {
        return handle && static_cast<const context*>(handle)->tag_ == live_tag;
    }

    /// Whether the process is a child, by fork, of the process that opened the first socket and so has the I/O threads.
    /// Such a context can only be ended; its content belongs to the parent.
    [[nodiscard]] bool inherited() const noexcept
    {
        const std::uint64_t home = home_.load(std::memory_order_relaxed);
        return home != nowhere && home != process_generation();
    }

    /// Not a child, by fork, of the process that made it.
    [[nodiscard]] bool made_here() const noexcept { return maker_ == process_generation(); }

    /// Waits for all sockets to be closed (their calls fail with errc::terminated) and for linger, then deletes the
    /// context. interrupted: a signal's handler ran meanwhile. The context then still exists, and has to be terminated
    /// again.
    [[nodiscard]] errc terminate() { return terminate_until({}); }
    /// The same, for so long at most. again: it is not over; the context still exists, as after `interrupted`, and
    /// tell_failure() has said what it waits for.
    [[nodiscard]] errc terminate_until(const runtime::deadline& until);
    /// The first half of terminate(): sockets' calls fail from now on.
    void shutdown() noexcept;

    // If it is hosted (hosting.hpp)

    /// Null: it has I/O threads, or belongs to the parent of this process.
    [[nodiscard]] hosting* hosted() noexcept { return inherited() ? nullptr : hosting_.get(); }
    /// Something lives in it: a socket, a session, a listener.
    [[nodiscard]] bool any_alive() const noexcept { return hosting_->any_alive(); }
    /// Makes steps for about so long. Returns when the next one is due; empty: nothing lives in the context any more,
    /// or the context itself has ended in the step, or belongs to the parent of this process.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> step(std::chrono::nanoseconds budget) noexcept;
    /// Ends it, as terminate(), without waiting: what is not written yet is dropped. Returns how many messages that
    /// were, about. If that has to wait (for a look-up, or a socket of the C API that is still open), another context's
    /// end finishes it.
    std::uint64_t drop() noexcept;

    [[nodiscard]] errc set(int option, const void* value, std::size_t size);
    [[nodiscard]] errc get(int option, void* value, std::size_t* size);
    [[nodiscard]] errc set(int option, int value);
    [[nodiscard]] errc get(int option, int& value);

    /// too_many_files: ZMQ_MAX_SOCKETS reached; terminated: also if inherited(); invalid_argument: no such type;
    /// out_of_memory.
    [[nodiscard]] result<socket*> open_socket(int type, new_handle handle = new_handle::plain);

    // For sockets

    /// The least loaded I/O thread of the affinity mask; null if there is none (ZMQ_IO_THREADS is 0).
    [[nodiscard]] engine::io_worker* choose_worker(std::uint64_t affinity) noexcept;

    /// Waits, for a moment at most, until the I/O threads have read the input that had reached publishers before this
    /// call.
    void let_io_catch_up() noexcept;

    /// For a new pipe. Null: there is none.
    [[nodiscard]] std::shared_ptr<pipe::queue_cap> cap_of_pipes() const noexcept
    {
        return options_.cap->limit() == 0 ? nullptr : options_.cap;  // always the same one: needs no lock
    }

    [[nodiscard]] name_registry& names() noexcept { return names_; }
    [[nodiscard]] runtime::latch& alive() noexcept { return alive_; }
    void socket_closed(socket* s) noexcept;

private:
    context() = default;
    ~context();
    [[nodiscard]] errc start_workers();
    [[nodiscard]] bool end_by_steps() noexcept;
    void end() noexcept;
    void tell_delay() noexcept;
    /// Held for the caller's scope. Not at all in a child of fork: the thread that held it does not exist there.
    [[nodiscard]] std::unique_lock<std::mutex> lock() noexcept
    {
        return inherited() ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
    }

    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

    static constexpr std::uint32_t live_tag = 0x7a4c4e4b;
    static constexpr std::uint32_t dead_tag = 0xdeadc0de;

    std::uint32_t tag_ = live_tag;
    const std::uint64_t maker_ = process_generation();
    std::atomic<std::uint64_t> home_{nowhere};  ///< process_generation() where the I/O threads are
    std::mutex mutex_;
    context_options options_;
    bool shut_down_ = false;
    std::size_t socket_limit_ = 0;  ///< ZMQ_MAX_SOCKETS when the first socket was made
    std::set<socket*> sockets_;
    std::vector<std::unique_ptr<engine::io_worker>> workers_;
    input_probe probe_;  ///< opened with the first publisher, before that sends
    name_registry names_;
    runtime::latch alive_;  ///< counts sockets, sessions and listeners
    std::unique_ptr<hosting> hosting_;
    context* next_dropped_ = nullptr;  ///< of those that drop() could not end yet
};

}  // namespace zlink::socket
