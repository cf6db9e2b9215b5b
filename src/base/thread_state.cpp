// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/thread_state.hpp"

#include "base/invariant.hpp"

#include <pthread.h>

#include <atomic>
#include <type_traits>
#include <utility>

namespace zlink {

namespace {

/// Calls a function with the value that a thread has set, when the thread ends. Unlike a thread_local's destructor it
/// reports if memory is short, or if the process ends already. For static storage.
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

// Stored here and not in each thread's state, as thread-local memory is scarce. A thread stores those of its own slots
// before it ends. All threads store the same values, so nothing has to be ordered.
constinit std::array<std::atomic<thread_state::end_of_object>, thread_slots> ends{};

}  // namespace

// Usable before and after everything else of a thread.
static_assert(std::is_trivially_destructible_v<thread_state>);
ZLINK_FAST_TLS constinit thread_local thread_state thread_state::mine_;

bool thread_state::keep(thread_slot where, void* object, end_of_object end_it) noexcept
{
    static const end_of_thread key(end);
    thread_state& mine = mine_;
    void*& slot = mine.objects_[std::size_t(where)];
    invariant([&] { return object && !slot; });
    if (!mine.key_is_set_ && !key.set(&mine)) return false;
    mine.key_is_set_ = true;
    if (mine.phase_ == phase::not_yet) mine.phase_ = phase::live;
    ends[std::size_t(where)].store(end_it, std::memory_order_relaxed);
    slot = object;
    return true;
}

void thread_state::end(void* of) noexcept
{
    thread_state& ending = *static_cast<thread_state*>(of);
    invariant([&] { return &ending == &mine_ && ending.key_is_set_ && ending.phase_ != phase::not_yet; });
    ending.phase_ = phase::ended;
    ending.key_is_set_ = false;
    for (std::size_t i = 0; i < thread_slots; ++i) {
        void* const object = std::exchange(ending.objects_[i], nullptr);
        if (object) ends[i].load(std::memory_order_relaxed)(object);
    }
}

}  // namespace zlink
