// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the tool says on standard error: lines, and one live line that is overwritten in place. Whatever is said next
// removes the live line first, so nothing ever shares a line with it. Peers' words are among it: control characters are
// shown as \xHH. Nobody may be there to hear it (a closed pipe, a
// full disk): then it is lost, and the tool goes on.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace zlink::tool {

namespace status_line {

// Removes the live line, if there is one, and prints the text.
void print(std::string_view text) noexcept;

// Shows the text, without a line break, in place of the live line before. For terminals.
void show(std::string_view text) noexcept;

// Removes the live line.
void clear() noexcept;

}  // namespace status_line

template <typename... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) noexcept
{
    try {
        status_line::print(fmt::format(text, std::forward<Arguments>(arguments)...));
    } catch (...) {
        // No memory for the line: it is left out.
    }
}

template <typename... Arguments>
void say_live(fmt::format_string<Arguments...> text, Arguments&&... arguments) noexcept
{
    try {
        status_line::show(fmt::format(text, std::forward<Arguments>(arguments)...));
    } catch (...) {
        // As above.
    }
}

}  // namespace zlink::tool
