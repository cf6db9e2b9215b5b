// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/last_error.hpp"

#include "base/end_of_thread.hpp"
#include "base/fork_safe_mutex.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <new>

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

// A pointer, as thread-local memory of a library is scarce. Null: memory is short.
text* make() noexcept
{
    return new (std::nothrow) text;
}
void end(text& of_thread) noexcept
{
    delete &of_thread;
}
using words_of_thread = one_of_each_thread<text, make, end>;

struct call {
    int error = 0;
    bool told = false;          ///< by the call that is under way
    bool failure_told = false;  ///< by the one that failed last
};
constinit thread_local call of_this_thread;

// Of connections the newest, at the place of their number.
constexpr std::size_t kept = 16;
constinit fork_safe_mutex mutex;  // for what follows
std::array<text, kept> of_connections;
std::uint64_t next_number = 0;

}  // namespace

void tell_failure(std::string_view words) noexcept
{
    text* const mine = words_of_thread::get();
    if (!mine) return;
    mine->set(words);
    of_this_thread.told = true;
    of_this_thread.failure_told = false;  // its words are gone
}

void forget_words() noexcept
{
    of_this_thread.told = false;
}

bool has_words() noexcept
{
    return of_this_thread.told;
}

void note_failure(int error) noexcept
{
    call& mine = of_this_thread;
    mine.error = error;
    mine.failure_told = mine.told;
    mine.told = false;
}

last_call last_call_that_failed() noexcept
{
    const call& mine = of_this_thread;
    // Of a thread that ends, the text may have ended before: it is a new one then, or there is no memory for one.
    const text* const words = mine.failure_told ? words_of_thread::get() : nullptr;
    return {mine.error, words && words->size != 0 ? words->octets.data() : nullptr};
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
