// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Conditions that have to hold whatever a program or a peer does. They are checked in debug and sanitizer builds
// (CMake's ZLINK_INVARIANTS). There a broken one ends the process with a line that names the place. Other builds
// contain nothing of it, not even the evaluation of the condition.
#pragma once

namespace zlink {

#ifdef ZLINK_INVARIANTS
inline constexpr bool checks_invariants = true;
#else
inline constexpr bool checks_invariants = false;
#endif

/// Reports the place, and aborts.
[[noreturn]] void invariant_broken(const char* file, unsigned line) noexcept;

/// `holds()` is called only if invariants are checked; it changes nothing. (The place is that of the caller, by
/// builtins that older compilers have, too.)
template <bool Checked = checks_invariants, class F>
[[gnu::always_inline]] inline void invariant([[maybe_unused]] F&& holds,
                                             [[maybe_unused]] const char* file = __builtin_FILE(),
                                             [[maybe_unused]] unsigned line = __builtin_LINE()) noexcept
{
    if constexpr (Checked) {
        if (!holds()) [[unlikely]]
            invariant_broken(file, line);
    }
}

}  // namespace zlink
