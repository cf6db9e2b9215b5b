// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_knob: the list of environment variables that tune the data path.
#include "socket/knobs.hpp"
#include "c_api/failing.hpp"

#include <zlink.h>

#include <cerrno>
#include <new>

extern "C" int zlink_knob(size_t index, zlink_knob_t* knob)
{
    if (knob == nullptr) {
        return zlink::c_api::fail(EFAULT, "knob is NULL");
    }
    try {
        const auto& rows = zlink::socket::process_knobs().rows();
        if (index >= rows.size()) {
            return zlink::c_api::fail(EINVAL, "there are fewer knobs: the list ends here");
        }
        const auto& row = rows[index];
        *knob = {row.name.c_str(), row.value.c_str(), row.default_value.c_str(), row.source.c_str(),
                 row.description.c_str()};
        return 0;
    } catch (const std::bad_alloc&) {
        zlink::c_api::set_errno(ENOMEM);
        return -1;
    }
}
