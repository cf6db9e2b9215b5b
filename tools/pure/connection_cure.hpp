// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What helps if a connection cannot be made, from the words of the library or the system about it.
#pragma once

#include <string>
#include <string_view>

namespace zlink::tool {

// "nothing listens there; start the peer, ...", for "Connection refused". Empty if nothing is known that helps.
std::string cure_of_connect(std::string_view endpoint, std::string_view words);

}  // namespace zlink::tool
