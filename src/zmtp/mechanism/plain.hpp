// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of both roles of the PLAIN mechanism (RFC 24).
#pragma once

#include "zmtp/mechanism/mechanism.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

inline constexpr std::string_view plain_name = "PLAIN";

inline constexpr std::string_view hello_name = "HELLO";
inline constexpr std::string_view welcome_name = "WELCOME";
inline constexpr std::string_view initiate_name = "INITIATE";
inline constexpr std::string_view ready_name = "READY";

/// The beginning of libzmq 4.3's ERROR in this mechanism, in place of its length and name. The same data follows.
inline constexpr std::string_view libzmq_error_prefix = "^RROR";

/// Longest username and password: their length is one octet.
inline constexpr std::size_t max_plain_credential = 255;

/// A length octet and the text: the beginning of a command, a username, a password.
void append_short(std::vector<std::byte>& out, std::string_view text);
inline void append_command_name(std::vector<std::byte>& out, std::string_view name)
{
    append_short(out, name);
}

/// The machine of the role that `local` has. May throw std::bad_alloc.
[[nodiscard]] std::unique_ptr<mechanism> make_plain(const local_peer& local);

}  // namespace zlink::zmtp
