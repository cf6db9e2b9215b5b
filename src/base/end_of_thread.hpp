// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What threads have one of each, beyond the end of the program's own thread_local objects, whose destructors may still use
// sockets.
//
// Threads end like this: destructors of thread_local objects run, the last one made first; then those of pthread keys, which may
// set a key again and are called again then, up to four times. A thread that leaves main() runs the former, then destructors of
// static objects, and no pthread key's at all. So what a pthread key ends is there for all of the program's destructors but
// those of other pthread keys, for which it is made anew.
#pragma once

#include <pthread.h>

namespace zlink {

/// Calls a function with what a thread has set, when that ends. Unlike a thread_local's destructor it says so when memory is
/// short, or the process ends already. For static storage.
class end_of_thread {
public:
    explicit end_of_thread(void (*call)(void*)) noexcept : valid_(::pthread_key_create(&key_, call) == 0) {}
    ~end_of_thread()
    {
        if (valid_) ::pthread_key_delete(key_);
        valid_ = false;
    }
    end_of_thread(const end_of_thread&) = delete;
    end_of_thread& operator=(const end_of_thread&) = delete;

    [[nodiscard]] bool set(void* value) const noexcept { return valid_ && ::pthread_setspecific(key_, value) == 0; }

private:
    pthread_key_t key_{};
    bool valid_;
};

/// A T for each thread, from its first get() to its end; main()'s thread keeps its own for as long as the process is there.
/// `make` may return null; `end` takes back what it made. A pointer of thread-local memory, without a destructor.
template <class T, T* (*make)() noexcept, void (*end)(T&) noexcept>
class one_of_each_thread {
public:
    /// Null: memory is short, or this thread has none yet and the process ends.
    [[nodiscard]] static T* get() noexcept { return current_ ? current_ : first(); }

private:
    [[gnu::noinline]] static T* first() noexcept
    {
        static const end_of_thread ends(leave);
        T* const made = make();
        if (made && !ends.set(made)) {
            end(*made);
            return nullptr;
        }
        return current_ = made;
    }

    static void leave(void* of) noexcept
    {
        current_ = nullptr;
        end(*static_cast<T*>(of));
    }

    static constinit inline thread_local T* current_ = nullptr;
};

}  // namespace zlink
