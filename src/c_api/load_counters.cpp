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
        return zlink::c_api::fail(EFAULT, "counter is NULL");
    }
    if (index >= zlink::load::rules) {
        return zlink::c_api::fail(EINVAL, "there are fewer counters: the list ends here");
    }
    const auto which = zlink::load::rule(index);
    const auto& text = zlink::load::text_of(which);
    const auto sum = zlink::load::total(which);
    *counter = {text.name, sum.times, uint64_t(sum.waited.count()), text.description};
    return 0;
}
