// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_last_error() and zlink_connection_error(): failures in words.
#include "base/last_error.hpp"

#include "c_api/failing.hpp"
#include "socket/words.hpp"
#include "zlink.h"

const char* zlink_last_error(void)
{
    const zlink::last_call failed = zlink::last_call_that_failed();
    return failed.words ? failed.words : zlink::socket::sentence_of(failed.error);
}

size_t zlink_connection_error(uint64_t* position, char* text, size_t size)
{
    if (!position || (!text && size != 0)) {
        zlink::c_api::set_errno(EFAULT);
        return 0;
    }
    return zlink::next_failure_of_connection(*position, text, size);
}
