// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/last_error.hpp"

#include "base/fork_safe_mutex.hpp"
#include "base/thread_state.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace zlink {

namespace {

struct text {
    std::array<char, 1024> octets{};
    std::size_t size = 0;

    void set(std::string_view words) noexcept
    {
        size = std::min(words.size(), octets.size() - 1);
        std::memcpy(octets.data(), words.data(), size);
        octets[size] = '\0';
    }
};

using words_of_thread = one_of_each_thread<thread_slot::last_words, text>;

// The newest failures of connections, each at the place of its number.
constexpr std::size_t kept = 16;
constinit fork_safe_mutex mutex;  // for the variables below
std::array<text, kept> of_connections;
std::uint64_t next_number = 0;

}  // namespace

void tell_failure(std::string_view words) noexcept
{
    text* const mine = words_of_thread::get();
    if (!mine) return;
    mine->set(words);
    noted_failure& noted = thread_state::failure();
    noted.told = true;
    noted.failure_told = false;  // the words of the last failure are gone
}

void forget_words() noexcept
{
    thread_state::failure().told = false;
}

bool has_words() noexcept
{
    return thread_state::failure().told;
}

void note_failure(int error) noexcept
{
    thread_state::failure() = {.error = error, .failure_told = has_words()};
}

last_call last_call_that_failed() noexcept
{
    const noted_failure& noted = thread_state::failure();
    // If the text has ended with the thread's objects, this is a new one, which is empty, or null.
    const text* const words = noted.failure_told ? words_of_thread::get() : nullptr;
    return {noted.error, words && words->size != 0 ? words->octets.data() : nullptr};
}

void tell_failure_of_connection(std::string_view words) noexcept
{
    const std::lock_guard lock(mutex);
    of_connections[next_number % kept].set(words);
    ++next_number;
}

std::size_t next_failure_of_connection(std::uint64_t& position, char* to, std::size_t size) noexcept
{
    const std::lock_guard lock(mutex);
    const std::uint64_t oldest = next_number - std::min<std::uint64_t>(next_number, kept);
    const std::uint64_t number = std::max(position, oldest);
    if (number >= next_number) return 0;
    const text& found = of_connections[number % kept];
    if (size != 0) {
        const std::size_t length = std::min(found.size, size - 1);
        std::memcpy(to, found.octets.data(), length);
        to[length] = '\0';
    }
    position = number + 1;
    return found.size;
}

}  // namespace zlink
