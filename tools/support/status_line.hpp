// What the tool says on standard error. Nobody may be there to hear it (a closed pipe, a full disk): then it is lost, and
// the tool goes on.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace zlink::tool {

template <typename... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) noexcept
{
    try {
        const std::string line = fmt::format(text, std::forward<Arguments>(arguments)...);
        (void)std::fwrite(line.data(), 1, line.size(), stderr);
    } catch (...) {
        // No memory for the line: it is left out.
    }
}

}  // namespace zlink::tool
