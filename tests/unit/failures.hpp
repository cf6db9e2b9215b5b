// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What has been told of failures, by this thread or by a connection.
#pragma once

#include "base/last_error.hpp"

#include <cerrno>
#include <string>

namespace zlink::test {

/// Empty: there has been none.
inline std::string latest_failure_of_connection()
{
    std::uint64_t position = 0;
    char text[1024] = "";
    while (next_failure_of_connection(position, text, sizeof text) != 0) {
    }
    return text;
}

/// Of this thread, if it has told anything, else of a connection.
inline std::string last_failure()
{
    if (!has_words()) return latest_failure_of_connection();
    note_failure(EINVAL);
    return last_call_that_failed().words;
}

}  // namespace zlink::test
