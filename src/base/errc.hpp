// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Error vocabulary of the library. Every value is the errno that the C API reports for it, so that c_api/ maps an
// error by a cast. Values libzmq adds to errno (zmq.h: EFSM, ETERM, ...) keep the numbers its ABI froze.
#pragma once

#include <cerrno>

namespace zlink {

inline constexpr int hausnumero = 156384712;

enum class errc : int {
    none = 0,
    again = EAGAIN,
    interrupted = EINTR,
    invalid_argument = EINVAL,
    not_supported = ENOTSUP,
    protocol_not_supported = EPROTONOSUPPORT,
    no_buffer_space = ENOBUFS,
    network_down = ENETDOWN,
    address_in_use = EADDRINUSE,
    address_not_available = EADDRNOTAVAIL,
    connection_refused = ECONNREFUSED,
    in_progress = EINPROGRESS,
    not_a_socket = ENOTSOCK,
    message_too_long = EMSGSIZE,
    family_not_supported = EAFNOSUPPORT,
    network_unreachable = ENETUNREACH,
    connection_aborted = ECONNABORTED,
    connection_reset = ECONNRESET,
    not_connected = ENOTCONN,
    timed_out = ETIMEDOUT,
    host_unreachable = EHOSTUNREACH,
    network_reset = ENETRESET,
    out_of_memory = ENOMEM,
    no_device = ENODEV,
    no_entry = ENOENT,
    too_many_files = EMFILE,
    bad_address = EFAULT,
    access_denied = EACCES,
    name_too_long = ENAMETOOLONG,
    broken_pipe = EPIPE,
    protocol_error = EPROTO,
    bad_message = EBADMSG,
    busy = EBUSY,
    fsm = hausnumero + 51,                    ///< EFSM: operation not possible in the current state
    incompatible_protocol = hausnumero + 52,  ///< ENOCOMPATPROTO: transport and socket type do not go together
    terminated = hausnumero + 53,             ///< ETERM: the context was terminated
    no_thread = hausnumero + 54,              ///< EMTHREAD: no I/O thread available
};

/// Wraps an errno value as it came from a system call. Unlisted values pass through unchanged.
[[nodiscard]] constexpr errc from_errno(int value) noexcept
{
    return static_cast<errc>(value);
}

[[nodiscard]] constexpr int to_errno(errc error) noexcept
{
    return static_cast<int>(error);
}

}  // namespace zlink
