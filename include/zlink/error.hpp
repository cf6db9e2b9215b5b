// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file error.hpp
 * Failures: error codes of zlink::category(). Functions throw std::system_error with a sentence that tells cause and
 * cure, or store the code if they are given a place for it.
 */
#pragma once

#include <zlink/core.hpp>

#include <cerrno>
#include <string>
#include <system_error>
#include <type_traits>

#pragma GCC visibility push(default)

namespace zlink {
inline namespace v1 {

/// The errors with a meaning of their own here. Values are those of errno, and of zmq.h.
enum class errc : int {
    again = EAGAIN,                          ///< it would have to wait, or the time limit is over
    interrupted = EINTR,                     ///< a signal came
    invalid_argument = EINVAL,               ///<
    not_supported = ENOTSUP,                 ///< not by sockets of this type
    busy = EBUSY,                            ///< an operation of this kind is outstanding already
    address_in_use = EADDRINUSE,             ///<
    not_a_socket = ENOTSOCK,                 ///< it was moved from, or closed
    message_too_long = EMSGSIZE,             ///< more parts than there is room for; the message stays
    host_unreachable = EHOSTUNREACH,         ///< no such peer
    no_entry = ENOENT,                       ///< the socket has no such endpoint
    wrong_state = 156384712 + 51,            ///< EFSM: it is not this socket's turn
    incompatible_protocol = 156384712 + 52,  ///< ENOCOMPATPROTO: transport and type do not go together
    terminated = 156384712 + 53,             ///< ETERM: the group has ended
    no_thread = 156384712 + 54,              ///< EMTHREAD: no I/O thread may serve it
};

namespace core {

class error_category final : public std::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "zlink"; }
    [[nodiscard]] std::string message(int value) const override { return core::sentence_of(value); }
    /// Errors of errno are those of std::errc.
    [[nodiscard]] std::error_condition default_error_condition(int value) const noexcept override
    {
        if (value == int(errc::terminated)) return std::make_error_condition(std::errc::operation_canceled);
        if (value >= 156384712) return {value, *this};
        return {value, std::generic_category()};
    }
};

}  // namespace core

/// The category of all error codes of zlink; its values are those of errno, and of zmq.h.
[[nodiscard]] inline const std::error_category& category() noexcept
{
    static const core::error_category one;
    return one;
}

[[nodiscard]] inline std::error_code make_error_code(errc e) noexcept
{
    return {int(e), category()};
}

/// The reason of this thread's last call that failed, in words; "" if none has. Valid until the next that fails.
[[nodiscard]] inline const char* last_error() noexcept
{
    return core::last_error();
}

namespace core {

[[nodiscard]] inline std::error_code code_of(int error) noexcept
{
    return error == 0 ? std::error_code() : std::error_code(error, category());
}

inline void throw_if(int error)
{
    if (error != 0) throw std::system_error(code_of(error), core::last_error());
}

}  // namespace core
}  // namespace v1
}  // namespace zlink

#pragma GCC visibility pop

/// @cond
template <>
struct std::is_error_code_enum<zlink::errc> : std::true_type {};
/// @endcond
