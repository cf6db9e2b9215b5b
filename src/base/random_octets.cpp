#include "base/random_octets.hpp"

#include "base/process_secret.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstdint>

namespace zlink {

void random_octets(std::span<std::byte> to) noexcept
{
    std::size_t filled = 0;
    while (filled < to.size()) {
        const ssize_t n = ::getrandom(to.data() + filled, to.size() - filled, 0);
        if (n > 0) {
            filled += std::size_t(n);
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        // Where the call is forbidden: what the kernel gave to the process at its start is still nobody else's.
        const std::uint64_t secret = process_secret();
        for (; filled < to.size(); ++filled) to[filled] = std::byte(secret >> (filled % 8 * 8));
    }
}

}  // namespace zlink
