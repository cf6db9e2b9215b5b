// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One fwrite for each line: lines of several processes on one terminal don't mix.
#include "support/status_line.hpp"

#include "support/text.hpp"

#include <cstdio>
#include <mutex>

namespace zlink::tool::status_line {
namespace {

constexpr std::string_view erase = "\r\033[K";
// The main thread speaks, and that of an auth_handler.
std::mutex speaking;
bool live = false;

void write(std::string_view before, std::string_view text) noexcept
{
    try {
        std::string line(before);
        line += text;
        (void)std::fwrite(line.data(), 1, line.size(), stderr);
        (void)std::fflush(stderr);
    } catch (...) {
        // No memory: it is left out.
    }
}

}  // namespace

void print(std::string_view text) noexcept
{
    const std::scoped_lock lock(speaking);
    try {
        write(live ? erase : "", without_controls(text, "\n\t"));
        live = false;
    } catch (...) {
        // No memory: as above.
    }
}

void show(std::string_view text) noexcept
{
    const std::scoped_lock lock(speaking);
    write(erase, text);
    live = true;
}

void clear() noexcept
{
    const std::scoped_lock lock(speaking);
    if (live) {
        write(erase, "");
        live = false;
    }
}

}  // namespace zlink::tool::status_line
