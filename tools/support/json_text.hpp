// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#pragma once

#include <string>
#include <string_view>

namespace zlink::tool {

// The text as a string of JSON, with its quotes.
std::string json_text(std::string_view text);

}  // namespace zlink::tool
