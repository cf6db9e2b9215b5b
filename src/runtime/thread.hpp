// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A thread that the library makes. It handles no signals: those are for the program's own threads.
#pragma once

#include "base/result.hpp"

#include <functional>
#include <pthread.h>

namespace zlink::runtime {

/// Its owner joins the thread before this object goes.
class thread {
public:
    thread() = default;
    thread(const thread&) = delete;
    thread& operator=(const thread&) = delete;

    /// Not twice. again (the system has no thread to give), out_of_memory.
    [[nodiscard]] result<void> start(std::function<void()> body) noexcept;

    /// Started, and not joined.
    [[nodiscard]] bool joinable() const noexcept { return joinable_; }
    /// Waits for its end. If the thread itself calls this, it is detached. A cancellation point; joinable() then stays
    /// as before.
    void join();

private:
    pthread_t handle_{};
    bool joinable_ = false;
};

}  // namespace zlink::runtime
