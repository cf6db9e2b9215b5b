// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The texts of zlink_last_error() for failures without a noted reason: a sentence with cause and cure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace zlink::socket {

/// For any call, by its errno. "" for 0.
[[nodiscard]] const char* sentence_of(int error) noexcept;

enum class endpoint_call { bind, connect, unbind, disconnect };

/// For a call with an endpoint. May throw std::bad_alloc.
[[nodiscard]] std::string words_of_endpoint(endpoint_call what, std::string_view endpoint, int error);

/// For zmq_setsockopt() and zmq_getsockopt(): the option's number (zmq.h, zlink.h), and octets of the value. As above.
[[nodiscard]] std::string words_of_option(bool sets, int option, std::size_t size, int error);

}  // namespace zlink::socket
