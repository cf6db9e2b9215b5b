// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How functions of the API fail: with errno, and for zlink_last_error() with the reason that they have noted meanwhile.
#pragma once

#include "base/errc.hpp"
#include "base/last_error.hpp"

#include <cerrno>
#include <cstddef>

namespace zlink::c_api {

inline void set_errno(int error) noexcept
{
    note_failure(error);
    errno = error;
}

inline int fail(int error) noexcept
{
    set_errno(error);
    return -1;
}

inline int fail(errc error) noexcept
{
    return fail(to_errno(error));
}

/// Notes `words` for a failure with this errno.
[[gnu::noinline, gnu::cold]] inline int fail(int error, const char* words) noexcept
{
    tell_failure(words);
    return fail(error);
}

/// What an errno means for one call: the cause, and what to do.
struct explanation {
    int error;
    const char* words;
};

/// `result` of a call that fails with -1. If it has failed without words of its own, it gets those of its errno.
template <class Result, std::size_t N>
[[gnu::noinline]] Result explained(Result result, const explanation (&by_error)[N]) noexcept
{
    if (result != Result(-1) || last_call_that_failed().words) return result;
    const int error = errno;
    for (const explanation& each : by_error) {
        if (each.error == error) (void)fail(error, each.words);
    }
    return result;
}

}  // namespace zlink::c_api
