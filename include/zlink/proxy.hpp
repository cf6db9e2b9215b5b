// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file proxy.hpp
 * Passing messages between two sockets.
 */
#pragma once

#include <zlink/core.hpp>
#include <zlink/error.hpp>
#include <zlink/socket.hpp>

#include <initializer_list>
#include <system_error>

namespace zlink {
inline namespace v1 {

/// Passes messages between two sockets, in both directions, until the group ends (errc::terminated), a signal comes, or
/// `control` receives TERMINATE (no error): zmq_proxy_steerable(3). `capture` gets a copy of each message. The sockets
/// belong to the calling thread meanwhile.
[[nodiscard]] inline std::error_code proxy(socket& front, socket& back, socket* capture = nullptr,
                                           socket* control = nullptr)
{
    for (const socket* given : {capture, control}) {
        if (given && !given->is_open()) return make_error_code(errc::not_a_socket);
    }
    return core::code_of(core::proxy_run(front.native_handle(), back.native_handle(),
                                         capture ? capture->native_handle() : nullptr,
                                         control ? control->native_handle() : nullptr));
}

}  // namespace v1
}  // namespace zlink
