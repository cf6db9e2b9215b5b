// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/work_space.hpp"

#include "base/end_of_thread.hpp"

#include <new>

namespace zlink::transport::tls {

namespace {

work_space* make() noexcept
{
    return new (std::nothrow) work_space;
}
void end(work_space& space) noexcept
{
    delete &space;
}

}  // namespace

work_space* work_space::of_this_thread() noexcept
{
    return one_of_each_thread<work_space, make, end>::get();
}

}  // namespace zlink::transport::tls
