// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See fail.hpp.
#include "harness/fail.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

namespace bench {

namespace {

std::string name = "benchmark";
std::atomic<bool> failing{false};
std::mutex mutex;
std::vector<std::string> litter;

}  // namespace

void set_program_name(const char* argv0)
{
    const char* slash = std::strrchr(argv0, '/');
    name = slash != nullptr ? slash + 1 : argv0;
}

const std::string& program_name()
{
    return name;
}

void fail(exit_status status, const char* format, ...)
{
    if (failing.exchange(true)) {
        while (true) ::pause();  // the first caller is about to end the process
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", name.c_str(), text);
    {
        const std::lock_guard lock(mutex);
        for (const std::string& path : litter) ::unlink(path.c_str());
    }
    ::_exit(static_cast<int>(status));
}

void remove_on_failure(const std::string& path)
{
    const std::lock_guard lock(mutex);
    litter.push_back(path);
}

}  // namespace bench
