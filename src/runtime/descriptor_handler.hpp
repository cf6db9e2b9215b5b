// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The handlers of descriptors, and the queue of those to be told next. A handler is in it if a look at a set of epoll
// has found a report for it, or if it asked to be told. They are told one at a time. A handler that is told may remove
// any handler, including itself.
//
// The loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::runtime {

class handler_queue;

/// A descriptor's owner.
class descriptor_handler {
public:
    /// `events`: see events.hpp. Interest is one-shot: nothing more is reported until arm() is called again, unless it
    /// is kept.
    virtual void on_ready(std::uint32_t events) noexcept = 0;

protected:
    ~descriptor_handler() = default;

private:
    friend class handler_queue;
    handler_queue* requeued_in_ = nullptr;  ///< until it leaves that queue
    descriptor_handler* requeued_before_ = nullptr;
    descriptor_handler* requeued_behind_ = nullptr;
};

/// The reports that one look at a set has found.
class descriptor_reports {
public:
    static constexpr int most = 64;

    /// Looks, and adds the new reports to those that have not been passed on. False: nothing.
    bool look(int set) noexcept { return look(set, false); }
    /// The same, after a wait until there are some, or a descriptor without a handler is ready, or a signal came.
    bool wait(int set) noexcept { return look(set, true); }
    [[nodiscard]] bool any() const noexcept { return next_ != count_; }
    [[nodiscard]] int size() const noexcept { return count_ - next_; }
    /// The last look found as many as it had room for: there may be more.
    [[nodiscard]] bool was_full() const noexcept { return full_; }
    /// Tells the next one; any() is true.
    void pass_on() noexcept;
    void forget(const descriptor_handler& handler) noexcept;

private:
    bool look(int set, bool waits) noexcept;

    struct report {
        descriptor_handler* to;  ///< null: removed meanwhile
        std::uint32_t events;
    };
    report all_[most] = {};
    bool full_ = false;
    int count_ = 0;
    int next_ = 0;  ///< the one to be passed on
};

/// Handlers that asked to be told though their descriptors may not be ready, the oldest first. Each operation takes the
/// same time, however many there are.
class handler_queue {
public:
    [[nodiscard]] bool any() const noexcept { return first_ != nullptr; }
    /// False: it is in a queue already, this one or another, and stays there.
    bool push(descriptor_handler& handler) noexcept;
    /// False: it is not in this queue.
    bool remove(descriptor_handler& handler) noexcept;

    /// The handlers that are there now are told. A handler that is queued again meanwhile waits for the next batch.
    void begin_batch() noexcept { told_next_ = size_; }
    [[nodiscard]] bool any_in_batch() const noexcept { return told_next_ != 0; }
    /// Tells the next one of the batch, unless it was removed; any_in_batch() is true.
    void pass_on() noexcept;

private:
    descriptor_handler* first_ = nullptr;
    descriptor_handler* last_ = nullptr;
    std::size_t size_ = 0;
    std::size_t told_next_ = 0;
};

}  // namespace zlink::runtime
