// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/last_error.hpp"

#include "base/end_of_thread.hpp"
#include "base/fork_safe_mutex.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>

namespace zlink {

namespace {

struct text {
    std::array<char, 1024> octets{};
    std::uint64_t number = 0;  ///< counts failures of the process; 0: none yet

    void set(std::string_view words, std::uint64_t new_number) noexcept
    {
        const std::size_t size = std::min(words.size(), octets.size() - 1);
        std::memcpy(octets.data(), words.data(), size);
        octets[size] = '\0';
        number = new_number;
    }
};

constinit fork_safe_mutex mutex;  // for both
std::uint64_t failures = 0;
text of_connections;

// A pointer, as thread-local memory of a library is scarce. Null: memory is short.
struct texts {
    text told;
    text shown;
};
texts* make() noexcept
{
    return new (std::nothrow) texts;
}
void end(texts& of_thread) noexcept
{
    delete &of_thread;
}
using of_this_thread = one_of_each_thread<texts, make, end>;

}  // namespace

void tell_failure(std::string_view words) noexcept
{
    texts* const mine = of_this_thread::get();
    const std::lock_guard lock(mutex);
    if (mine) mine->told.set(words, ++failures);
}

void tell_failure_of_connection(std::string_view words) noexcept
{
    const std::lock_guard lock(mutex);
    of_connections.set(words, ++failures);
}

const char* last_failure() noexcept
{
    texts* const mine = of_this_thread::get();
    if (!mine) return "";
    const std::lock_guard lock(mutex);
    mine->shown = of_connections.number > mine->told.number ? of_connections : mine->told;
    return mine->shown.octets.data();
}

}  // namespace zlink
