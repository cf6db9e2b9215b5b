// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of the functions of zlink/core.hpp: handles to objects, errc to int, no exception past this
// point. What c_api/handles.hpp is for the C API, without errno.
#pragma once

#include "base/errc.hpp"
#include "base/last_error.hpp"
#include "message/frame.hpp"
#include "socket/held_socket.hpp"

#include <zlink/core.hpp>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <span>

namespace zlink::cpp_api {

/// The result of a call, noted for last_error() if it has failed.
inline int answer(errc e) noexcept
{
    if (e != errc::none) note_failure(to_errno(e));
    return to_errno(e);
}

/// A failure with words of its own.
[[gnu::noinline, gnu::cold]] inline int fail(errc e, const char* words) noexcept
{
    tell_failure(words);
    return answer(e);
}

/// `call()` returns errc; any exception that it throws means that memory is short. No cancellation point.
template <class Call>
int guarded(Call&& call) noexcept
{
    forget_words();
    try {
        return answer(call());
    } catch (const std::exception&) {
        return answer(errc::out_of_memory);
    }
}

/// A call's hold of a socket, without the words of an older failure.
class held final : public socket::held_socket {
public:
    explicit held(void* handle) noexcept : held_socket((forget_words(), handle)) {}
};

/// The inside of a frame that need not be initialised.
inline message::frame& inside(core::raw_frame& f) noexcept
{
    return reinterpret_cast<message::frame&>(f);
}
inline const message::frame& inside(const core::raw_frame& f) noexcept
{
    return reinterpret_cast<const message::frame&>(f);
}
inline std::span<message::frame> inside(std::span<core::raw_frame> frames) noexcept
{
    return {reinterpret_cast<message::frame*>(frames.data()), frames.size()};
}
static_assert(sizeof(core::raw_frame) == sizeof(message::frame) && alignof(core::raw_frame) == alignof(message::frame));

}  // namespace zlink::cpp_api
