// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/thread.hpp"

#include <signal.h>

#include <cerrno>
#include <cstddef>
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

/// What a thread has at least: musl gives 128 KB, which look-ups and OpenSSL come close to. Not touched, it costs no
/// memory.
constexpr std::size_t least_stack = 1024 * 1024;

/// The system's own settings, but for a stack that is too small.
class roomy_attributes {
public:
    roomy_attributes() noexcept : made_(pthread_attr_init(&attributes_) == 0)
    {
        std::size_t size = 0;
        if (made_ && pthread_attr_getstacksize(&attributes_, &size) == 0 && size < least_stack) {
            pthread_attr_setstacksize(&attributes_, least_stack);
        }
    }
    ~roomy_attributes()
    {
        if (made_) pthread_attr_destroy(&attributes_);
    }
    roomy_attributes(const roomy_attributes&) = delete;
    roomy_attributes& operator=(const roomy_attributes&) = delete;

    [[nodiscard]] const pthread_attr_t* get() const noexcept { return made_ ? &attributes_ : nullptr; }

private:
    pthread_attr_t attributes_;
    bool made_;
};

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
    const roomy_attributes attributes;
    const signals_blocked guard;
    if (const int error = pthread_create(&handle_, attributes.get(), run_body, held.get()); error != 0) {
        return from_errno(error);
    }
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
