// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_load_counter: the counters of the rules that adapt to the load.
#include "c_api/failing.hpp"
#include "load/counters.hpp"

#include <zlink.h>

#include <cerrno>

extern "C" int zlink_load_counter(size_t index, zlink_load_counter_t* counter)
{
    if (counter == nullptr) {
        zlink::c_api::set_errno(EFAULT);
        return -1;
    }
    if (index >= zlink::load::rules) {
        zlink::c_api::set_errno(EINVAL);
        return -1;
    }
    const auto which = zlink::load::rule(index);
    const auto& text = zlink::load::text_of(which);
    const auto sum = zlink::load::total(which);
    *counter = {text.name, sum.times, uint64_t(sum.waited.count()), text.description};
    return 0;
}
