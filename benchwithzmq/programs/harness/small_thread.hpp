// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A thread with a small stack, for programs with a thousand of them.
#pragma once

#include "harness/fail.hpp"

#include <pthread.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

namespace bench {

// Joins in its destructor.
class small_thread {
public:
    explicit small_thread(std::function<void()> work) : work_(std::move(work))
    {
        constexpr std::size_t stack = 256 * 1024;
        pthread_attr_t attributes;
        ::pthread_attr_init(&attributes);
        ::pthread_attr_setstacksize(&attributes, stack);
        const int error = ::pthread_create(&thread_, &attributes, run, this);
        ::pthread_attr_destroy(&attributes);
        if (error != 0) fail(exit_status::failed, "pthread_create: %s", std::strerror(error));
    }
    ~small_thread() { ::pthread_join(thread_, nullptr); }
    small_thread(const small_thread&) = delete;
    small_thread& operator=(const small_thread&) = delete;

private:
    static void* run(void* self)
    {
        static_cast<small_thread*>(self)->work_();
        return nullptr;
    }

    std::function<void()> work_;
    pthread_t thread_;
};

}  // namespace bench
