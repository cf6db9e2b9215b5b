// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A descriptor through which a program's event loop sees a mailbox's wake-ups (ZMQ_FD, ZLINK_FD). It is made when it is
// asked for, and readable from a wake-up until the owner has taken that in.
//
// Threads: the owner's, unless a function says otherwise. Its operations are sequentially consistent, as they are part
// of the mailbox's wake-up; their order and partners are in mailbox.cpp.
#pragma once

#include "base/invariant.hpp"
#include "runtime/signal_descriptor.hpp"

#include <atomic>

namespace zlink::socket {

class wake_descriptor {
public:
    /// Any thread. True: this caller has to raise() it.
    [[nodiscard]] bool begin_raise() noexcept
    {
        return descriptor_.get() >= 0 && !signalled_.exchange(true, std::memory_order_seq_cst);
    }
    /// After begin_raise().
    void raise() noexcept
    {
        invariant([this] { return signalled_.load(std::memory_order_relaxed); });
        descriptor_.raise();
    }

    [[nodiscard]] bool exists() const noexcept { return exists_; }
    /// -1: there is none.
    [[nodiscard]] int get() const noexcept { return descriptor_.get(); }
    /// False: too many open files.
    bool open() noexcept { return exists_ = descriptor_.open(); }
    void close() noexcept
    {
        descriptor_.close();
        exists_ = false;
    }

    /// It is not readable afterwards. False: another thread is between begin_raise() and raise(), so it will be
    /// readable.
    [[nodiscard]] bool take_in() noexcept
    {
        if (!exists_ || !signalled_.load(std::memory_order_seq_cst)) return true;
        if (!descriptor_.take()) return false;
        (void)signalled_.exchange(false, std::memory_order_seq_cst);
        return true;
    }

private:
    runtime::signal_descriptor descriptor_;
    std::atomic<bool> signalled_{false};  ///< from before the write until after the descriptor was read
    bool exists_ = false;
};

}  // namespace zlink::socket
