// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/work_space.hpp"

#include <memory>
#include <new>

namespace zlink::transport::tls {

work_space* work_space::of_this_thread() noexcept
{
    thread_local const std::unique_ptr<work_space> mine(new (std::nothrow) work_space);
    return mine.get();
}

}  // namespace zlink::transport::tls
