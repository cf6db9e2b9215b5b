// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How every program of the suite ends when something is wrong: one line on stderr and an exit status that tells what
// kind.
#pragma once

#include <string>

namespace bench {

enum class exit_status {
    failed = 1,     // a message lost, reordered or corrupt, or a call that failed
    usage = 2,      // argument or environment
    timed_out = 3,  // nothing moved for ten seconds
};

// Name that the line starts with; call it first in main().
void set_program_name(const char* argv0);
[[nodiscard]] const std::string& program_name();

// Prints "program: text" and ends the process at once, whatever its other threads do. Only the first caller gets
// through.
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] void fail(exit_status status, const char* format, ...);

// Files that fail() removes: the sockets of ipc endpoints.
void remove_on_failure(const std::string& path);

}  // namespace bench
