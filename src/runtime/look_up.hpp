// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Looks up a host's name while the caller waits: for calls that have to answer at once, like zmq_bind.
#pragma once

#include "runtime/resolver.hpp"

#include <string>

namespace zlink::runtime {

/// Answers as a resolver does. Waits for DNS for as long as the system does.
[[nodiscard]] resolver::answer look_up(const std::string& host) noexcept;

}  // namespace zlink::runtime
