// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A bind to an ipc:// path takes the name over from the socket that listens on it, which hears nothing of that. The
// tool asks first.
#pragma once

#include <string>

namespace zlink::tool {

// Before a bind: what is done about a socket that listens on the endpoint's path.
struct takeover {
    bool force = false;
    bool quiet = false;

    // Throws a failure if there is one, or with `force` says on stderr that its name is taken.
    void look_at(const std::string& endpoint) const;
};

}  // namespace zlink::tool
