// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Failures in words, in addition to errno: of a thread's last call that failed, for zlink_last_error(). Also of
// connections, which fail in the background, for zlink_connection_error(). Any thread, also in a child of fork, and
// while a thread ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zlink {

/// Gives the reason why the current call of this thread is about to fail. The last words before the failure count.
void tell_failure(std::string_view words) noexcept;

/// A call of this thread begins that may call tell_failure(): earlier words do not belong to it.
void forget_words() noexcept;

/// Whether any words have been told since.
[[nodiscard]] bool has_words() noexcept;

/// A call of this thread has failed with this errno, and with the words told meanwhile. Makes no text.
void note_failure(int error) noexcept;

struct last_call {
    int error = 0;      ///< of this thread's last call that failed; 0: none has
    const char* words;  ///< the words of that call, or null. Valid until this thread tells again, or ends
};
[[nodiscard]] last_call last_call_that_failed() noexcept;

/// The failure of a connection; `words` begin with its endpoint, if memory allows.
void tell_failure_of_connection(std::string_view words) noexcept;

/// Finds the first text from `position` on (counted from 0 over all of the process) that is still kept. Copies it, with
/// a NUL and cut to `size` octets, and moves `position` behind it. Returns its length; 0: none is left.
[[nodiscard]] std::size_t next_failure_of_connection(std::uint64_t& position, char* to, std::size_t size) noexcept;

}  // namespace zlink
