// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#pragma once

#include <functional>
#include <string>

namespace zlink::tool {

// Who sent it, and what. 0 is the side that connected, 1 the one that listened, or the other way round.
using dialog_listener = std::function<void(int side, const std::string& sentence)>;

}  // namespace zlink::tool
