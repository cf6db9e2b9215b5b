// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/endpoint_check.hpp"

#include "support/failure.hpp"
#include "support/security.hpp"

#include <fmt/format.h>

namespace zlink::tool {

void check_endpoints(const std::vector<std::string>& endpoints)
{
    for (const auto& endpoint : endpoints) {
        const auto delimiter = endpoint.find("://");
        if (delimiter == std::string::npos) {
            throw usage_failure(
                fmt::format("'{}' is not an endpoint; write it like tcp://127.0.0.1:5555 or ipc:///tmp/x", endpoint));
        }
        const std::string scheme = endpoint.substr(0, delimiter);
        if (scheme == "inproc") {
            throw usage_failure(
                fmt::format("{} reaches sockets of the same process only; use ipc:// or tcp://", endpoint));
        }
        if (const auto line = refuse_security(scheme, endpoint)) {
            throw usage_failure(*line);
        }
    }
}

}  // namespace zlink::tool
