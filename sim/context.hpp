// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Stacks, and the change from one to another. Without a system call, unlike swapcontext(3).
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <cstddef>

namespace zlink::sim {

/// Memory with a page below it that nobody may touch.
class stack {
public:
    explicit stack(std::size_t size);
    ~stack();
    stack(const stack&) = delete;
    stack& operator=(const stack&) = delete;

    [[nodiscard]] void* top() const noexcept;

private:
    void* memory_;
    std::size_t size_;
};

/// Where a stack goes on, while another one runs.
struct context {
    void* at = nullptr;
};

/// What a thread has besides its stack: thread-local variables, errno, exceptions that are handled. They lie at
/// addresses of their own, which the library tells threads apart by. A real thread is made for them, and sleeps.
class thread_memory {
public:
    /// Those of the calling thread.
    thread_memory() noexcept;
    struct of_new_thread {};
    explicit thread_memory(of_new_thread);
    /// A new thread may get the same memory.
    ~thread_memory();
    thread_memory(const thread_memory&) = delete;
    thread_memory& operator=(const thread_memory&) = delete;

    [[nodiscard]] void* pointer() const noexcept { return pointer_; }

private:
    static void* sleep(void* of);
    void* pointer_ = nullptr;
    pthread_t owner_{};
    sem_t made_{}, ends_{};
    bool has_owner_ = false;
};

/// `to` begins with `entry()`, which never returns.
void make_context(context& to, const stack& on, void (*entry)()) noexcept;
/// Returns when something switches back to `from`.
void switch_context(context& from, const context& to, const thread_memory& memory_of_to) noexcept;

}  // namespace zlink::sim
