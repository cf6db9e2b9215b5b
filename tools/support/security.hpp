// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Names that belong to encryption and authentication and that the tool doesn't know. A user who asks for them is told
// what there is instead of "unknown option".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zlink::tool {

// The line to say when `name` (an option of a command, a socket option or an endpoint's scheme, in any case) belongs to
// security. Nothing when it doesn't. `shown` is how the user wrote it.
std::optional<std::string> refuse_security(std::string_view name, std::string_view shown);

}  // namespace zlink::tool
