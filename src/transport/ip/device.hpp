// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The network interface that a socket is limited to.
#pragma once

#include "base/result.hpp"

#include <string>

namespace zlink::transport::ip {

/// `device`: the name of an interface; empty: nothing happens. Error: what the system says; not_supported.
[[nodiscard]] result<void> bind_to_device(int fd, const std::string& device) noexcept;

}  // namespace zlink::transport::ip
