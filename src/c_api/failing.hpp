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

/// Notes the words of the errno, unless the call that failed has noted its own.
[[gnu::noinline, gnu::cold]] inline void explain(const explanation* by_error, std::size_t count) noexcept
{
    if (last_call_that_failed().words) return;
    const int error = errno;
    for (std::size_t i = 0; i < count; ++i) {
        if (by_error[i].error == error) (void)fail(error, by_error[i].words);
    }
}

/// `result` of a call that fails with -1. If it has failed without words of its own, it gets those of its errno. A call
/// that succeeds does no more than look.
template <class Result, std::size_t N>
[[gnu::always_inline]] inline Result explained(Result result, const explanation (&by_error)[N]) noexcept
{
    if (result == Result(-1)) [[unlikely]]
        explain(by_error, N);
    return result;
}

}  // namespace zlink::c_api
