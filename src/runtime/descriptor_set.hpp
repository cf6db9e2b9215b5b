// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Descriptors in a set of epoll, and the handlers that wait to be told of them. A handler waits if a poll has reported
// its descriptor, or if it was requeued. Interest is one-shot,
// unless it is kept.
//
// The loop's thread, unless a function says otherwise.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "runtime/descriptor_handler.hpp"

#include <cstdint>

namespace zlink::runtime {

class descriptor_set {
public:
    /// Makes the set; too_many_files and the like.
    [[nodiscard]] result<void> open() noexcept;
    /// Any thread. Readable while a descriptor in the set is ready.
    [[nodiscard]] int descriptor() const noexcept { return set_.get(); }

    /// Adds a descriptor without interest.
    [[nodiscard]] result<void> add(int fd, descriptor_handler& handler) noexcept;
    /// Adds a set. `handler` is told with each poll, for as long as a descriptor in `inner` is ready.
    [[nodiscard]] result<void> add(const descriptor_set& inner, descriptor_handler& handler) noexcept;
    /// Adds a descriptor that ends a sleep each time that it becomes readable, and has no handler; it may be in the set
    /// already.
    [[nodiscard]] result<void> add_wake_up(int fd) noexcept;
    /// Any thread that owns the descriptor for the moment: reports the next readiness for any of `events`, once.
    void arm(int fd, descriptor_handler& handler, std::uint32_t events) const noexcept;
    /// The same: reports readiness for any of `events` now, and each time that some comes, until the next call.
    void keep(int fd, descriptor_handler& handler, std::uint32_t events) const noexcept;
    /// The descriptor leaves the set. False: it was not in it.
    bool remove(int fd) noexcept;
    /// `handler` is not told of any report or request that waits here.
    void forget(descriptor_handler& handler) noexcept
    {
        (void)requeued_.remove(handler);
        reports_.forget(handler);
    }
    /// `handler` is told that there is input, in the next batch. False: it waits for that already, here or elsewhere.
    bool requeue(descriptor_handler& handler) noexcept { return requeued_.push(handler); }

    /// Adds the descriptors that are ready now to the reports. False: nothing. A system call.
    bool poll() noexcept { return reports_.look(set_.get()); }
    /// The same, after a sleep until there is something.
    bool sleep() noexcept { return reports_.wait(set_.get()); }
    /// The last poll found as many as it had room for: there may be more.
    [[nodiscard]] bool was_full() const noexcept { return reports_.was_full(); }

    [[nodiscard]] bool any_reports() const noexcept { return reports_.any(); }
    [[nodiscard]] bool any_requeued() const noexcept { return requeued_.any(); }

    /// Handlers that are requeued now are part of the batch, together with the reports. Handlers that are requeued
    /// later are not.
    void begin_batch() noexcept { requeued_.begin_batch(); }
    [[nodiscard]] bool any_requeued_in_batch() const noexcept { return requeued_.any_in_batch(); }
    [[nodiscard]] bool any_in_batch() const noexcept { return any_requeued_in_batch() || any_reports(); }
    /// Tells the next handler of the batch, which is not empty: requeued ones first.
    void pass_on() noexcept
    {
        if (any_requeued_in_batch()) {
            requeued_.pass_on();
        } else {
            reports_.pass_on();
        }
    }

private:
    unique_fd set_;
    handler_queue requeued_;
    descriptor_reports reports_;
};

}  // namespace zlink::runtime
