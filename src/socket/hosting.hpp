// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a hosted context has in place of I/O threads: one loop, whose steps the program makes on its own event loop
// (docs/decisions/0030-hosted-groups.md). A call that waits makes steps meanwhile.
//
// Threads: all calls on a hosted context, on its sockets, and all steps are made by one thread at a time.
#pragma once

#include "base/result.hpp"
#include "engine/io_worker.hpp"
#include "runtime/driver.hpp"
#include "runtime/latch.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace zlink::socket {

/// What the program's event loop is told.
struct host_calls {
    void* host = nullptr;
    /// Something lives in the context from now on, so that it wants steps.
    void (*opened)(void* host) noexcept = nullptr;
};

class hosting {
public:
    hosting(host_calls calls, const runtime::latch& alive) noexcept : calls_(calls), alive_(alive) {}

    /// The context's only worker. Null: memory or descriptors are short.
    [[nodiscard]] result<std::unique_ptr<engine::io_worker>> make_worker();

    void tell_opened() const noexcept
    {
        if (calls_.opened) calls_.opened(calls_.host);
    }
    void forget_host() noexcept { calls_ = {}; }
    /// What happens on the context's thread makes the loop's descriptor readable.
    void wake() noexcept { worker_->loop().wake(); }

    [[nodiscard]] int descriptor() const noexcept { return worker_->loop().descriptor(); }
    /// See event_loop::step(). Zero as well if this thread is in a step already.
    [[nodiscard]] std::chrono::nanoseconds step(std::chrono::nanoseconds budget, runtime::looks how) noexcept;
    /// Everything that has something to write ends without it. Returns how many messages that were, about.
    std::uint64_t drop_unwritten() noexcept;

    [[nodiscard]] engine::io_worker& worker() noexcept { return *worker_; }
    /// Something lives in the context.
    [[nodiscard]] bool any_alive() const noexcept { return alive_.count() != 0; }

private:
    host_calls calls_;
    const runtime::latch& alive_;
    engine::io_worker* worker_ = nullptr;  ///< the context's
};

/// While it lives, a wait of this thread makes steps. For a call on a socket of `of` that may wait. Does nothing if the
/// context has I/O threads, or this thread makes steps already.
class waits_by_steps {
public:
    explicit waits_by_steps(hosting* of)
    {
        if (of) [[unlikely]]
            begin(*of);
    }
    waits_by_steps(const waits_by_steps&) = delete;
    waits_by_steps& operator=(const waits_by_steps&) = delete;
    ~waits_by_steps()
    {
        if (driver_) [[unlikely]]
            end();
    }

private:
    void begin(hosting& of) noexcept;
    void end() noexcept;

    hosting* of_ = nullptr;
    std::optional<runtime::driver> driver_;
};

/// The same for a wait at sockets of several hosted contexts. A thread drives one loop at a time: the wait calls step(),
/// and sleeps at the descriptors of all.
class stepped_groups {
public:
    stepped_groups() = default;
    stepped_groups(const stepped_groups&) = delete;
    stepped_groups& operator=(const stepped_groups&) = delete;
    ~stepped_groups();

    /// Once each; does nothing on a thread that makes steps already. May throw std::bad_alloc.
    void add(hosting& of);
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] hosting* first() const noexcept { return all_.empty() ? nullptr : all_.front(); }
    [[nodiscard]] std::span<hosting* const> all() const noexcept { return all_; }
    /// A step for each, but for one that another thread drives, whoever allowed that. How long all of them may be left
    /// alone; zero: there is more to do.
    [[nodiscard]] std::chrono::nanoseconds step() noexcept;

private:
    std::vector<hosting*> all_;
    bool stepped_ = false;
};

}  // namespace zlink::socket
