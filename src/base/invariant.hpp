// What has to hold whatever a program or a peer does: checked in debug and sanitizer builds (CMake's ZLINK_INVARIANTS), where a
// broken one ends the process with a line that says where. Other builds have nothing of it, not even the look.
#pragma once

#include <source_location>

namespace zlink {

#ifdef ZLINK_INVARIANTS
inline constexpr bool checks_invariants = true;
#else
inline constexpr bool checks_invariants = false;
#endif

/// Says where, and aborts.
[[noreturn]] void invariant_broken(const std::source_location& where) noexcept;

/// `holds()` is asked where invariants are checked, and nowhere else; it changes nothing.
template <bool Checked = checks_invariants, class F>
[[gnu::always_inline]] inline void
invariant([[maybe_unused]] F&& holds, const std::source_location& where = std::source_location::current()) noexcept
{
    if constexpr (Checked) {
        if (!holds()) [[unlikely]]
            invariant_broken(where);
    }
}

}  // namespace zlink
