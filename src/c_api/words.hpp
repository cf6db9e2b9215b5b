// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What zlink_last_error() says of failures for which nobody has told more: a sentence with cause and cure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace zlink::c_api {

/// Of any call, by its errno. "" for 0.
[[nodiscard]] const char* sentence_of(int error) noexcept;

enum class endpoint_call { bind, connect, unbind, disconnect };

/// Of a call with an endpoint. May throw std::bad_alloc.
[[nodiscard]] std::string words_of_endpoint(endpoint_call what, std::string_view endpoint, int error);

/// Of zmq_setsockopt() and zmq_getsockopt(): the option's number (zmq.h, zlink.h), and octets of the value. As above.
[[nodiscard]] std::string words_of_option(bool sets, int option, std::size_t size, int error);

}  // namespace zlink::c_api
