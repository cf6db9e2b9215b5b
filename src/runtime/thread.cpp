// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/thread.hpp"

#include <signal.h>

#include <cerrno>
#include <memory>
#include <new>
#include <utility>

namespace zlink::runtime {

namespace {

extern "C" void* run_body(void* body)
{
    const std::unique_ptr<std::function<void()>> mine(static_cast<std::function<void()>*>(body));
    (*mine)();
    return nullptr;
}

/// Keeps all signals away from threads started during its lifetime; they inherit the mask.
class signals_blocked {
public:
    signals_blocked() noexcept
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

private:
    sigset_t before_;
};

}  // namespace

result<void> thread::start(std::function<void()> body) noexcept
{
    std::unique_ptr<std::function<void()>> held(new (std::nothrow) std::function<void()>(std::move(body)));
    if (!held) return errc::out_of_memory;
    const signals_blocked guard;
    if (const int error = pthread_create(&handle_, nullptr, run_body, held.get()); error != 0) return from_errno(error);
    (void)held.release();
    joinable_ = true;
    return {};
}

void thread::join()
{
    const bool own = pthread_equal(handle_, pthread_self()) != 0;
    if (own || pthread_join(handle_, nullptr) == EDEADLK) pthread_detach(handle_);
    joinable_ = false;
}

}  // namespace zlink::runtime
