// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Failures in words, beside errno: of a thread's last call that failed, for zlink_last_error(), and of connections, which fail in
// the background, for zlink_connection_error(). Any thread, also in a child of fork, and while a thread ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zlink {

/// Why the call that this thread is in is about to fail. The last words before it does count.
void tell_failure(std::string_view words) noexcept;

/// A call of this thread begins that may tell: what was told before is not of it.
void forget_words() noexcept;

/// Whether anything has been told since.
[[nodiscard]] bool has_words() noexcept;

/// A call of this thread has failed with this errno, and with what has been told meanwhile. Makes no text.
void note_failure(int error) noexcept;

struct last_call {
    int error = 0;      ///< of this thread's last call that failed; 0: none has
    const char* words;  ///< what it told, or null. Valid until this thread tells again, or ends
};
[[nodiscard]] last_call last_call_that_failed() noexcept;

/// Of a connection, with its endpoint in front.
void tell_failure_of_connection(std::string_view words) noexcept;

/// The first text from `position` on (counted from 0 over all of the process) that is still kept; copies it, with a NUL and cut to
/// `size` octets, and moves `position` behind it. Returns its length; 0: there is none.
[[nodiscard]] std::size_t next_failure_of_connection(std::uint64_t& position, char* to, std::size_t size) noexcept;

}  // namespace zlink
