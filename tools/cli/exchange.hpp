// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A command that sends or receives, from its socket to its exit status.
#pragma once

#include "cli/traffic_options.hpp"

#include "support/failure.hpp"

namespace zlink::tool {

// Opens the socket, runs the loop, waits until everything is sent, and says what was lost.
exit_status exchange(const traffic_options& options);

}  // namespace zlink::tool
