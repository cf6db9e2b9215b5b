// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/process_secret.hpp"

#include <sys/auxv.h>

#include <cstring>

namespace zlink {

sip_key process_key() noexcept
{
    sip_key key{0x9e3779b97f4a7c15, 0x2545f4914f6cdd1d};
    if (const auto* const octets = reinterpret_cast<const unsigned char*>(::getauxval(AT_RANDOM))) {
        std::memcpy(key.data(), octets, sizeof key);
    }
    return key;
}

std::uint64_t process_secret() noexcept
{
    // The C library has its own use for the first half.
    return process_key()[1];
}

}  // namespace zlink
