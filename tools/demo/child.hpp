// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A process that the demo started: its lines, its orders, its end.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace zlink::tool::demo {

// Ends the process when destroyed. The process has its own group, so that Ctrl-C reaches the demo alone, which then
// ends its children in order.
class child {
public:
    // foreign: keeps variables that could load another libzmq from it. Throws a failure if it can't be started.
    child(const std::string& program, const std::vector<std::string>& arguments, bool foreign);
    ~child();
    child(const child&) = delete;
    child& operator=(const child&) = delete;

    pid_t pid() const noexcept { return pid_; }

    // To poll for lines; -1 after the process closed it.
    int output() const noexcept { return output_; }

    // Complete lines that arrived. Call it when output() is readable.
    std::vector<std::string> lines();

    void order(char what) const;

    // Sends the signal if the process still runs.
    void signal(int number) const noexcept;

    // True if it has ended within the time; ended() and success() then tell how.
    bool wait(int milliseconds);
    bool success() const noexcept { return ended_ && status_ == 0; }

    // "exit status 3" or "signal 11 (Segmentation fault)"
    std::string ending() const;

private:
    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    std::string partial_;
    bool ended_ = false;
    int status_ = 0;
};

}  // namespace zlink::tool::demo
