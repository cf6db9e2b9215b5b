// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What goes wrong in the tool, as the user is told: one line that names the cause and the cure, and the exit status.
#pragma once

#include <stdexcept>
#include <string>

namespace zlink::tool {

enum class exit_status : int { success = 0, failed = 1, usage = 2 };

// Thrown anywhere in the tool and printed by main() as one line.
class failure : public std::runtime_error {
public:
    explicit failure(const std::string& line, exit_status status = exit_status::failed)
        : std::runtime_error(line),
          status_(status)
    {}

    exit_status status() const noexcept { return status_; }

private:
    exit_status status_;
};

// A mistake in the arguments: exit status 2.
class usage_failure : public failure {
public:
    explicit usage_failure(const std::string& line) : failure(line, exit_status::usage) {}
};

}  // namespace zlink::tool
