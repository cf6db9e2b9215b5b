// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Who is told of descriptors, and those who wait for their turn: what a look at a set of epoll has found, and handlers
// that asked to be told. Both are passed on one at a time; whoever is told may remove any handler, its own included.
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
    /// `events`: see events.hpp. Interest is one-shot: nothing more is reported until arm() is called again.
    virtual void on_ready(std::uint32_t events) noexcept = 0;

protected:
    ~descriptor_handler() = default;

private:
    friend class handler_queue;
    handler_queue* requeued_in_ = nullptr;  ///< until it leaves that
    descriptor_handler* requeued_before_ = nullptr;
    descriptor_handler* requeued_behind_ = nullptr;
};

/// What one look at a set has found.
class descriptor_reports {
public:
    static constexpr int most = 64;

    /// Looks, and adds what is there to what has not been passed on. False: nothing.
    bool look(int set) noexcept { return look(set, false); }
    /// The same, after a wait until there is some, or one that belongs to nobody is ready, or a signal came.
    bool wait(int set) noexcept { return look(set, true); }
    [[nodiscard]] bool any() const noexcept { return next_ != count_; }
    [[nodiscard]] int size() const noexcept { return count_ - next_; }
    /// The last look found as many as it had room for: there may be more.
    [[nodiscard]] bool was_full() const noexcept { return full_; }
    /// Tells the next one: any().
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

/// Handlers that asked to be told though their descriptors may not be ready, the oldest first. Whatever is done takes
/// the same time, however many there are.
class handler_queue {
public:
    [[nodiscard]] bool any() const noexcept { return first_ != nullptr; }
    /// False: it is in a queue already, this one or another, and stays there.
    bool push(descriptor_handler& handler) noexcept;
    /// False: it is not in this queue.
    bool remove(descriptor_handler& handler) noexcept;

    /// Those that are there now are told. Who queues again meanwhile lines up for the next batch.
    void begin_batch() noexcept { told_next_ = size_; }
    [[nodiscard]] bool any_in_batch() const noexcept { return told_next_ != 0; }
    /// Tells the next one of the batch, unless it was removed: any_in_batch().
    void pass_on() noexcept;

private:
    descriptor_handler* first_ = nullptr;
    descriptor_handler* last_ = nullptr;
    std::size_t size_ = 0;
    std::size_t told_next_ = 0;
};

}  // namespace zlink::runtime
