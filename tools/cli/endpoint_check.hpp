// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Endpoints are looked at before anything is opened, so that a wrong one is a wrong argument.
#pragma once

#include <string>
#include <vector>

namespace zlink::tool {

// Throws a usage_failure that says what is wrong with the first wrong one.
void check_endpoints(const std::vector<std::string>& endpoints);

}  // namespace zlink::tool
