// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_last_error(): failures in words.
#include "base/last_error.hpp"
#include "zlink.h"

const char* zlink_last_error(void)
{
    return zlink::last_failure();
}
