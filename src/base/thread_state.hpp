// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Data that the library keeps for each thread and takes back when the thread ends.
//
// A thread ends in this order. First destructors of thread_local objects run, in reverse order of construction. Then
// destructors of pthread keys run; they may set a key again and are called again then, up to four times. A thread that
// leaves main() runs the former, then destructors of static objects, and no pthread key's at all. Destructors of the
// program's own objects may still use sockets.
//
// So one pthread key ends a thread's objects, after all thread_local objects of the program. If a destructor of another
// pthread key uses sockets after that, objects are made again. They end in the key's next round, if there is one. The
// message cache is not made again (message/thread_cache.cpp). The thread that leaves main() keeps its objects for as
// long as the process is there.
//
// Thread-local variables that own nothing have no end and stay with their users (load/own_writes.hpp,
// load/thread_waits.hpp, runtime/driver.cpp, transport/tls/fork_gate.hpp, socket/subscription_order.hpp).
//
// A child of fork has the state of the thread that forked. An object that shares data with other threads has to handle
// the fork itself.
#pragma once

#include "base/fast_tls.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace zlink {

/// The objects of a thread, in the order in which they end: the end of one may use the objects after it.
enum class thread_slot : std::uint8_t {
    receive_arena,      ///< wire::receive_arena, of inline reads. Its chunks go back to their pool
    stream_work_space,  ///< of streams that change octets on their way: transport::tls::work_space
    masks,              ///< zws::mask_source
    yielding,           ///< socket::thread_yielding
    waiter,             ///< runtime::waiter
    last_words,         ///< the text of base/last_error.cpp
    load_counters,      ///< load::thread_counters
    message_cache,      ///< message::thread_cache. Last, as the others close messages and properties at their ends
};
inline constexpr std::size_t thread_slots = std::size_t(thread_slot::message_cache) + 1;

/// The calls of a thread that failed, for base/last_error.cpp. Has no end.
struct noted_failure {
    int error = 0;              ///< of the last call that failed; 0: none has
    bool told = false;          ///< words of the call that is under way are in the slot last_words
    bool failure_told = false;  ///< words of the call that failed last are
};

/// One for each thread. All calls are about the calling thread.
class thread_state {
public:
    enum class phase : std::uint8_t {
        not_yet,  ///< no object so far, and nothing to do at the thread's end
        live,     ///< there are objects, and the key that ends them is set
        ended,    ///< they have ended. Later objects are made for a destructor that runs afterwards
    };

    [[nodiscard]] static phase current_phase() noexcept { return mine_.phase_; }
    [[nodiscard]] static noted_failure& failure() noexcept { return mine_.failure_; }

    /// Null: the slot is empty.
    [[nodiscard]] static void* object(thread_slot where) noexcept { return mine_.objects_[std::size_t(where)]; }

    /// Fills an empty slot. When the thread ends, the slot is emptied first, and then `end` takes the object back.
    /// `end` is the same function for all objects of a slot. False: the object is still the caller's, as memory is
    /// short, or as the process ends and the thread has no object yet.
    using end_of_object = void (*)(void* object) noexcept;
    [[nodiscard]] static bool keep(thread_slot where, void* object, end_of_object end) noexcept;

private:
    static void end(void* of) noexcept;

    std::array<void*, thread_slots> objects_{};
    noted_failure failure_;
    phase phase_ = phase::not_yet;
    bool key_is_set_ = false;  ///< end() will be called

    ZLINK_FAST_TLS static constinit thread_local thread_state mine_;
};

/// Null: memory is short.
template <class T>
[[nodiscard]] T* make_thread_object() noexcept
{
    return new (std::nothrow) T;
}
template <class T>
void free_thread_object(T& object) noexcept
{
    delete &object;
}

/// A T for each thread, in its slot from the first get() on. `make` may return null; `end` takes back what it made.
template <thread_slot Slot, class T, T* (*make)() noexcept = make_thread_object<T>,
          void (*end)(T&) noexcept = free_thread_object<T>>
class one_of_each_thread {
public:
    /// Null: see thread_state::keep().
    [[nodiscard]] static T* get() noexcept
    {
        void* const object = thread_state::object(Slot);
        return object ? static_cast<T*>(object) : first();
    }

private:
    [[gnu::noinline]] static T* first() noexcept
    {
        T* const made = make();
        if (made && !thread_state::keep(Slot, made, end_object)) {
            end(*made);
            return nullptr;
        }
        return made;
    }

    static void end_object(void* object) noexcept { end(*static_cast<T*>(object)); }
};

}  // namespace zlink
