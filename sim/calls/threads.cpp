// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Threads are fibers. Their locks and conditions are these: a mutex is the C library's own structure, of which one
// word is used.

#include "sim/calls/call.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdarg>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

namespace zlink::sim {

wait_queue& queue_of(const void* where)
{
    const inside in;
    static std::unordered_map<const void*, wait_queue> all;
    return all[where];
}

namespace {

std::map<unsigned, void (*)(void*)>& key_ends()
{
    static std::map<unsigned, void (*)(void*)> all;
    return all;
}

world& here()
{
    return world::get();
}

nanos of_timespec(const timespec& t)
{
    return nanos(t.tv_sec) * second + t.tv_nsec;
}

fiber* of_handle(pthread_t handle)
{
    return here().find(int(handle) - 1);
}

pthread_t handle_of(const fiber& f)
{
    return pthread_t(f.id + 1);
}

// A word of 0 is free, 1 taken. Recursive ones count.
int lock(pthread_mutex_t* m, nanos until)
{
    auto& d = m->__data;
    const int me = here().current().id + 1;
    if (d.__lock != 0 && d.__owner == me && (d.__kind & 3) == PTHREAD_MUTEX_RECURSIVE) {
        ++d.__count;
        return 0;
    }
    while (d.__lock != 0) {
        if (!here().wait(queue_of(m), until, "a mutex")) return ETIMEDOUT;
    }
    d.__lock = 1;
    d.__owner = me;
    d.__count = 1;
    return 0;
}

void unlock(pthread_mutex_t* m)
{
    auto& d = m->__data;
    if ((d.__kind & 3) == PTHREAD_MUTEX_RECURSIVE && --d.__count != 0) return;
    d.__lock = 0;
    d.__owner = 0;
    here().wake_one(queue_of(m));
}

int wait(const void* condition, pthread_mutex_t* m, nanos until)
{
    unlock(m);
    const bool woken = here().wait(queue_of(condition), until, "a condition");
    (void)lock(m, never);
    return woken ? 0 : ETIMEDOUT;
}

long futex(const void* word, int operation, unsigned value, const timespec* limit)
{
    world& w = here();
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: {
        unsigned now = 0;
        std::memcpy(&now, word, sizeof now);
        if (now != value) return -EAGAIN;
        if (w.chance().chance(w.how().interrupted)) return -EINTR;
        const nanos until = limit ? w.now() + of_timespec(*limit) : never;
        return w.wait(queue_of(word), until, "a futex") ? 0 : -ETIMEDOUT;
    }
    case FUTEX_WAKE: {
        long woken = 0;
        auto& q = queue_of(word);
        while (woken < long(value)) {
            fiber* const f = q.take();
            if (!f) break;
            w.wake(*f);
            ++woken;
        }
        return woken;
    }
    default: return -ENOSYS;
    }
}

}  // namespace

bool end_keys(fiber& f)
{
    bool any = false;
    for (auto& [key, value] : f.keys) {
        const auto end = key_ends().find(key);
        if (!value || end == key_ends().end() || !end->second) continue;
        any = true;
        end->second(std::exchange(value, nullptr));
    }
    return any;
}

}  // namespace zlink::sim

using namespace zlink::sim;

extern "C" {

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (long& one : a) one = va_arg(list, long);
    va_end(list);
    if (!world::exists()) return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_futex) {
        const kernel_call call((a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE ? "wake" : "futex",
                               std::uint64_t(a[0]) % 1'000'000);
        return told(futex(reinterpret_cast<const void*>(a[0]), int(a[1]), unsigned(a[2]),
                          reinterpret_cast<const timespec*>(a[3])));
    }
    if (number == SYS_membarrier) {
        const kernel_call call("membarrier");
        return 0;
    }
    if (number == SYS_memfd_create) {
        const kernel_call call("memfd");
        if (kernel::get().no_descriptor()) return told(-EMFILE);
        return __real_syscall(number, a[0], a[1]);
    }
    if (number == SYS_gettid) return here().current().id + 5000;
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __real_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
int __wrap_pthread_create(pthread_t* to, const pthread_attr_t* how, void* (*body)(void*), void* of)
{
    if (!world::exists()) return __real_pthread_create(to, how, body, of);
    const kernel_call call("thread");
    fiber& f = here().start("thread" + std::to_string(here().current().id), [body, of] { return body(of); });
    f.in_library = true;
    *to = handle_of(f);
    return 0;
}

int __real_pthread_join(pthread_t, void**);
int __wrap_pthread_join(pthread_t which, void** result)
{
    if (!world::exists()) return __real_pthread_join(which, result);
    const kernel_call call("join", which);
    fiber* const f = of_handle(which);
    if (!f || f->joined) return ESRCH;
    f->joined = true;
    here().join(*f);
    if (result) *result = f->result;
    return 0;
}

int __real_pthread_detach(pthread_t);
int __wrap_pthread_detach(pthread_t which)
{
    if (!world::exists()) return __real_pthread_detach(which);
    if (fiber* const f = of_handle(which)) f->detached = true;
    return 0;
}

pthread_t __real_pthread_self();
pthread_t __wrap_pthread_self()
{
    return world::exists() ? handle_of(here().current()) : __real_pthread_self();
}

int __real_pthread_setname_np(pthread_t, const char*);
int __wrap_pthread_setname_np(pthread_t which, const char* name)
{
    if (!world::exists()) return __real_pthread_setname_np(which, name);
    const inside in;
    if (fiber* const f = of_handle(which)) f->name = name;
    return 0;
}

int __wrap_pthread_setaffinity_np(pthread_t, std::size_t, const cpu_set_t*)
{
    return 0;
}
int __wrap_pthread_setschedparam(pthread_t, int, const sched_param*)
{
    return 0;
}
int __wrap_pthread_getschedparam(pthread_t, int* policy, sched_param* param)
{
    *policy = SCHED_OTHER;
    *param = {};
    return 0;
}
int __wrap_pthread_setcancelstate(int, int* before)
{
    if (before) *before = PTHREAD_CANCEL_ENABLE;
    return 0;
}
void __wrap_pthread_testcancel() {}
int __real_pthread_sigmask(int, const sigset_t*, sigset_t*);
int __wrap_pthread_sigmask(int how, const sigset_t* set, sigset_t* before)
{
    if (!world::exists()) return __real_pthread_sigmask(how, set, before);
    if (before) sigemptyset(before);
    return 0;
}
int __wrap_sigpending(sigset_t* set)
{
    return sigemptyset(set);
}
int __wrap_pthread_atfork(void (*)(), void (*)(), void (*)())
{
    return 0;  // nothing that is simulated forks
}

// --- what hangs on a thread ---

int __wrap_pthread_key_create(pthread_key_t* key, void (*end)(void*))
{
    static unsigned last = 0;
    *key = ++last;
    std::optional<inside> in;
    if (world::exists()) in.emplace();
    key_ends()[*key] = end;
    return 0;
}
int __wrap_pthread_key_delete(pthread_key_t key)
{
    key_ends().erase(key);
    return 0;
}
namespace {
std::map<unsigned, void*> before_the_world;
std::map<unsigned, void*>& keys_of_mine()
{
    return world::exists() ? here().current().keys : before_the_world;
}
}  // namespace
int __wrap_pthread_setspecific(pthread_key_t key, const void* value)
{
    std::optional<inside> in;
    if (world::exists()) in.emplace();
    keys_of_mine()[key] = const_cast<void*>(value);
    return 0;
}
void* __wrap_pthread_getspecific(pthread_key_t key)
{
    const auto& mine = keys_of_mine();
    const auto at = mine.find(key);
    return at == mine.end() ? nullptr : at->second;
}

int __real___cxa_thread_atexit(void (*)(void*), void*, void*);
int __wrap___cxa_thread_atexit(void (*end)(void*), void* of, void* library)
{
    if (!world::exists()) return __real___cxa_thread_atexit(end, of, library);
    const inside in;
    here().current().at_exit.emplace_back([end, of] { end(of); });
    return 0;
}

// --- locks ---

int __real_pthread_mutex_lock(pthread_mutex_t*);
int __wrap_pthread_mutex_lock(pthread_mutex_t* m)
{
    if (!world::exists()) return __real_pthread_mutex_lock(m);
    const kernel_call call("lock");
    return lock(m, never);
}
int __real_pthread_mutex_trylock(pthread_mutex_t*);
int __wrap_pthread_mutex_trylock(pthread_mutex_t* m)
{
    if (!world::exists()) return __real_pthread_mutex_trylock(m);
    const kernel_call call("trylock");
    if (m->__data.__lock != 0) return EBUSY;
    return lock(m, never);
}
int __real_pthread_mutex_unlock(pthread_mutex_t*);
int __wrap_pthread_mutex_unlock(pthread_mutex_t* m)
{
    if (!world::exists()) return __real_pthread_mutex_unlock(m);
    {
        const inside in;
        unlock(m);
    }
    here().call("unlock");
    return 0;
}
int __wrap_pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t, const timespec* until)
{
    const kernel_call call("lock");
    return lock(m, of_timespec(*until));
}
int __wrap_pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m)
{
    const kernel_call call("condition");
    return wait(c, m, never);
}
int __wrap_pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* until)
{
    const kernel_call call("condition");
    return wait(c, m, of_timespec(*until) - (clock == CLOCK_REALTIME ? here().epoch : 0));
}
int __wrap_pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* until)
{
    return __wrap_pthread_cond_clockwait(c, m, CLOCK_REALTIME, until);
}
int __wrap_pthread_cond_signal(pthread_cond_t* c)
{
    const kernel_call call("signal");
    here().wake_one(queue_of(c));
    return 0;
}
int __wrap_pthread_cond_broadcast(pthread_cond_t* c)
{
    const kernel_call call("broadcast");
    here().wake_all(queue_of(c));
    return 0;
}

// 0: not yet; 1: under way; 2: done. The C++ library leaves what is to be called in a variable of the real thread, so
// the turn is not lost before the call.
int __real_pthread_once(pthread_once_t*, void (*)());
int __wrap_pthread_once(pthread_once_t* control, void (*what)())
{
    if (!world::exists()) return __real_pthread_once(control, what);
    while (*control == 1) (void)here().wait(queue_of(control), never, "what happens once");
    if (*control == 2) return 0;
    *control = 1;
    ++here().current().statics;
    what();
    --here().current().statics;
    *control = 2;
    here().wake_all(queue_of(control));
    return 0;
}
int __real___cxa_guard_acquire(char*);
int __wrap___cxa_guard_acquire(char* guard)
{
    if (!world::exists()) return __real___cxa_guard_acquire(guard);
    while (guard[0] == 0 && guard[1] != 0) (void)here().wait(queue_of(guard), never, "a static object");
    if (guard[0] != 0) return 0;
    guard[1] = 1;
    ++here().current().statics;
    return 1;
}
void __real___cxa_guard_release(char*);
void __wrap___cxa_guard_release(char* guard)
{
    if (!world::exists()) return __real___cxa_guard_release(guard);
    guard[0] = 1;
    guard[1] = 0;
    --here().current().statics;
    here().wake_all(queue_of(guard));
}
void __real___cxa_guard_abort(char*);
void __wrap___cxa_guard_abort(char* guard)
{
    if (!world::exists()) return __real___cxa_guard_abort(guard);
    guard[1] = 0;
    --here().current().statics;
    here().wake_all(queue_of(guard));
}

// --- the C++ library's, which is not linked in but loaded ---

void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* c,
                                                                      std::unique_lock<std::mutex>& lock)
{
    const kernel_call call("condition");
    (void)wait(c, lock.mutex()->native_handle(), never);
}
void __wrap__ZNSt18condition_variable10notify_oneEv(std::condition_variable* c)
{
    const kernel_call call("signal");
    here().wake_one(queue_of(c));
}
void __wrap__ZNSt18condition_variable10notify_allEv(std::condition_variable* c)
{
    const kernel_call call("broadcast");
    here().wake_all(queue_of(c));
}
void __wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    std::thread* to, std::unique_ptr<std::thread::_State>& body, void (*)())
{
    const kernel_call call("thread");
    const std::shared_ptr<std::thread::_State> held = std::move(body);
    fiber& f = here().start("thread" + std::to_string(here().current().id), [held] {
        held->_M_run();
        return nullptr;
    });
    f.in_library = true;
    const pthread_t handle = handle_of(f);
    static_assert(sizeof *to == sizeof handle);
    std::memcpy(static_cast<void*>(to), &handle, sizeof handle);
}
void __wrap__ZNSt6thread4joinEv(std::thread* which)
{
    pthread_t handle{};
    std::memcpy(&handle, static_cast<const void*>(which), sizeof handle);
    (void)__wrap_pthread_join(handle, nullptr);
    handle = {};
    std::memcpy(static_cast<void*>(which), &handle, sizeof handle);
}
}
