// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The grammar of ipc endpoints: "ipc://path", "ipc://@name", "ipc://*".
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::transport::ipc {

struct ipc_endpoint {
    enum class kind : std::uint8_t {
        path,      ///< a socket file
        abstract,  ///< Linux: a name without a file; `name` excludes the '@'
        any,       ///< "*" in a bind: the listener makes a temporary file
    };
    kind type = kind::path;
    std::string name;

    bool operator==(const ipc_endpoint&) const = default;
};

/// Of the part after "ipc://". Errors: name_too_long if it does not fit a sockaddr_un, invalid_argument for "@" alone.
[[nodiscard]] result<ipc_endpoint> parse_bind(std::string_view address);
[[nodiscard]] result<ipc_endpoint> parse_connect(std::string_view address);

/// The whole endpoint, in normal form, as ZMQ_LAST_ENDPOINT shows it after a bind.
[[nodiscard]] std::string to_text(const ipc_endpoint& address);

}  // namespace zlink::transport::ipc
