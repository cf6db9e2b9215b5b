#include "base/last_error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace zlink {

namespace {

// Nothing here needs memory: failures are told when there is none.
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

std::mutex mutex;  // for both
std::uint64_t failures = 0;
text of_connections;

thread_local text of_this_thread;
thread_local text shown;

}  // namespace

void tell_failure(std::string_view words) noexcept
{
    const std::lock_guard lock(mutex);
    of_this_thread.set(words, ++failures);
}

void tell_failure_of_connection(std::string_view words) noexcept
{
    const std::lock_guard lock(mutex);
    of_connections.set(words, ++failures);
}

const char* last_failure() noexcept
{
    const std::lock_guard lock(mutex);
    shown = of_connections.number > of_this_thread.number ? of_connections : of_this_thread;
    return shown.octets.data();
}

}  // namespace zlink
