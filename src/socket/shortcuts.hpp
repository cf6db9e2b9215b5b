// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Ways past the pattern: the pipes that messages of one frame go to and come from, while the program only sends and
// receives such messages. The pattern is asked for these pipes now and then; any other event drops them.
//
// Threads: the socket's.
#pragma once

#include "pattern/pattern.hpp"
#include "pipe/pipe.hpp"

#include <cstdint>
#include <utility>

namespace zlink::socket {

/// Tells the compiler that `size` is not negative, so that the function that returned it can be the last call.
[[gnu::always_inline]] inline int a_size(int size) noexcept
{
    if (size < 0) __builtin_unreachable();
    return size;
}

class shortcuts {
public:
    /// To ask costs a call or two; a socket that has no shortcut asks this rarely.
    static constexpr std::uint8_t asks_before_shortcut = 64;

    /// Null: ask the pattern.
    [[nodiscard]] pipe::pipe_end* target() const noexcept { return target_; }
    [[nodiscard]] pipe::pipe_end* source() const noexcept { return source_; }

    void drop() noexcept { target_ = source_ = nullptr; }
    /// The same, because something has happened to pipes or options.
    void drop_for_news() noexcept
    {
        drop();
        news_ = true;
    }
    /// Whether anything has happened since the last call.
    [[nodiscard]] bool take_news() noexcept { return std::exchange(news_, false); }

    /// The pattern was asked for a frame, or given one.
    [[gnu::always_inline]] void note_asked(pattern::pattern& asked) noexcept
    {
        if (++asked_ == asks_before_shortcut) [[unlikely]]
            find(asked);
    }

private:
    [[gnu::noinline]] void find(pattern::pattern& asked) noexcept;

    pipe::pipe_end* target_ = nullptr;
    pipe::pipe_end* source_ = nullptr;
    std::uint8_t asked_ = 0;  ///< how often, since find()
    bool news_ = false;
};

}  // namespace zlink::socket
