// zmq_threadstart(), zmq_threadclose(), zmq_sleep() and the stopwatch: small portable helpers for programs.
#include "zmq.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <new>
#include <pthread.h>
#include <time.h>

namespace {

struct thread {
    zmq_thread_fn* function;
    void* arg;
    pthread_t handle;
};

extern "C" void* run_thread(void* self)
{
    // `handle` is not touched here: pthread_create() may still be writing it.
    const auto* started = static_cast<const thread*>(self);
    started->function(started->arg);
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

using stopwatch_clock = std::chrono::steady_clock;

}  // namespace

void* zmq_threadstart(zmq_thread_fn* function, void* arg)
{
    if (function == nullptr) {
        errno = EFAULT;
        return nullptr;
    }
    auto started = std::unique_ptr<thread>(new (std::nothrow) thread{function, arg, {}});
    if (started == nullptr) {
        errno = ENOMEM;
        return nullptr;
    }
    // The program's own threads handle its signals, not the helpers.
    const signals_blocked guard;
    if (const int error = pthread_create(&started->handle, nullptr, run_thread, started.get()); error != 0) {
        errno = error;
        return nullptr;
    }
    return started.release();
}

void zmq_threadclose(void* handle)
{
    const std::unique_ptr<thread> closed(static_cast<thread*>(handle));
    if (closed == nullptr) {
        return;
    }
    if (pthread_join(closed->handle, nullptr) == EDEADLK) {
        pthread_detach(closed->handle);
    }
}

void zmq_sleep(int seconds)
{
    if (seconds > 0) {
        // Like sleep(3), this ends early when a signal handler has run.
        const timespec time{seconds, 0};
        nanosleep(&time, nullptr);
    }
}

void* zmq_stopwatch_start(void)
{
    auto* start = new (std::nothrow) stopwatch_clock::time_point(stopwatch_clock::now());
    if (start == nullptr) {
        errno = ENOMEM;
    }
    return start;
}

unsigned long zmq_stopwatch_intermediate(void* stopwatch)
{
    if (stopwatch == nullptr) {
        errno = EFAULT;
        return 0;
    }
    const auto elapsed = stopwatch_clock::now() - *static_cast<const stopwatch_clock::time_point*>(stopwatch);
    return static_cast<unsigned long>(std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count());
}

unsigned long zmq_stopwatch_stop(void* stopwatch)
{
    const unsigned long elapsed = zmq_stopwatch_intermediate(stopwatch);
    delete static_cast<stopwatch_clock::time_point*>(stopwatch);
    return elapsed;
}
