// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A thread of the library's making. It handles no signals: those are for the program's own threads.
#pragma once

#include "base/result.hpp"

#include <functional>
#include <pthread.h>

namespace zlink::runtime {

/// Whoever made it joins it before it goes.
class thread {
public:
    thread() = default;
    thread(const thread&) = delete;
    thread& operator=(const thread&) = delete;

    /// Not twice. again (no thread to be had), out_of_memory.
    [[nodiscard]] result<void> start(std::function<void()> body) noexcept;

    /// Started, and not joined.
    [[nodiscard]] bool joinable() const noexcept { return joinable_; }
    /// Waits for its end; called by itself, lets it go on alone. A cancellation point, joinable() as before then.
    void join();

private:
    pthread_t handle_{};
    bool joinable_ = false;
};

}  // namespace zlink::runtime
