// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A descriptor that other threads make readable.
#pragma once

#include <atomic>

namespace zlink::runtime {

class signal_descriptor {
public:
    signal_descriptor() = default;
    signal_descriptor(const signal_descriptor&) = delete;
    signal_descriptor& operator=(const signal_descriptor&) = delete;
    ~signal_descriptor() { close(); }

    // Owner's thread

    /// Makes a new one. False: too many open files, there is none then.
    bool open() noexcept;
    void close() noexcept;
    /// False: it was not readable. It is not readable afterwards.
    bool take() const noexcept;

    // Any thread

    /// -1: none. Sequentially consistent, as open() is: see mailbox::descriptor().
    [[nodiscard]] int get() const noexcept { return fd_.load(std::memory_order_seq_cst); }
    void raise() const noexcept;

private:
    std::atomic<int> fd_{-1};
};

}  // namespace zlink::runtime
