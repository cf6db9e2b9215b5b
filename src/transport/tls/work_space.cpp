// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/work_space.hpp"

#include "base/thread_state.hpp"

namespace zlink::transport::tls {

work_space* work_space::of_this_thread() noexcept
{
    return one_of_each_thread<thread_slot::stream_work_space, work_space>::get();
}

}  // namespace zlink::transport::tls
