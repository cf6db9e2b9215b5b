// One fwrite for each line: lines of several processes on one terminal don't mix.
#include "support/status_line.hpp"

#include <cstdio>

namespace zlink::tool::status_line {
namespace {

constexpr std::string_view erase = "\r\033[K";
bool live = false;  // the main thread alone speaks

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
    write(live ? erase : "", text);
    live = false;
}

void show(std::string_view text) noexcept
{
    write(erase, text);
    live = true;
}

void clear() noexcept
{
    if (live) {
        print("");
    }
}

}  // namespace zlink::tool::status_line
