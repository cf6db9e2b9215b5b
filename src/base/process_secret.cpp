#include "base/process_secret.hpp"

#include <sys/auxv.h>

#include <cstring>

namespace zlink {

std::uint64_t process_secret() noexcept
{
    // The kernel gives every program 16 random octets; the C library has its own use for the first half.
    std::uint64_t secret = 0x2545f4914f6cdd1d;
    if (const auto* const octets = reinterpret_cast<const unsigned char*>(::getauxval(AT_RANDOM))) {
        std::memcpy(&secret, octets + sizeof secret, sizeof secret);
    }
    return secret;
}

}  // namespace zlink
