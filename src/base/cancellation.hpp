// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// pthread_cancel(3) on a program's own thread. glibc ends such a thread by unwinding its stack, from within any system
// call that is a cancellation point. If a function on that stack is noexcept, it ends the process instead.
//
// Calls of the API that sleep are cancellation points. No function from there down to the sleep is noexcept, none
// catches all exceptions, and destructors undo what has to be undone. All other calls hold cancellation off around
// system calls.
#pragma once

#include <pthread.h>

namespace zlink {

/// While it lives, the calling thread is not cancelled. A request that comes meanwhile takes effect later, at a
/// cancellation point.
class cancellation_held_off {
public:
    cancellation_held_off() noexcept { (void)::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~cancellation_held_off() { (void)::pthread_setcancelstate(before_, nullptr); }
    cancellation_held_off(const cancellation_held_off&) = delete;
    cancellation_held_off& operator=(const cancellation_held_off&) = delete;

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

/// Does not return if the calling thread is to be cancelled.
inline void cancellation_point()
{
    ::pthread_testcancel();
}

}  // namespace zlink
