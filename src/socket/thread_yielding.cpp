// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/thread_yielding.hpp"

#include "base/thread_state.hpp"
#include "socket/knobs.hpp"

namespace zlink::socket {

thread_yielding::thread_yielding()
    : for_credit(runtime::yield_spin::for_one_peer(process_knobs().spin())),
      for_shared_input(process_knobs().spin()),
      in_poll(runtime::yield_spin::that_naps(process_knobs().spin()))
{}

thread_yielding* thread_yielding::of_this_thread() noexcept
{
    return one_of_each_thread<thread_slot::yielding, thread_yielding>::get();
}

}  // namespace zlink::socket
