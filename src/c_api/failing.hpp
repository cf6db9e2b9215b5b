// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How functions of the API fail: with errno, and for zlink_last_error() with the reason that they have noted meanwhile.
#pragma once

#include "base/errc.hpp"
#include "base/last_error.hpp"

#include <cerrno>

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

}  // namespace zlink::c_api
