// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/randomness.hpp"

#include "sim/world.hpp"

#include <cstddef>
#include <cstdint>

#ifdef ZLINK_SIM_SODIUM
#include <sodium.h>
#endif
#ifdef ZLINK_SIM_OPENSSL
#define OPENSSL_SUPPRESS_DEPRECATED  // the provider that would take its place is a hundred lines
#include <openssl/rand.h>
#endif

namespace zlink::sim {

namespace {

[[maybe_unused]] void fill(void* to, std::size_t size)
{
    auto* at = static_cast<unsigned char*>(to);
    for (std::size_t i = 0; i < size; ++i) at[i] = static_cast<unsigned char>(world::get().chance().next() >> 32);
}

#ifdef ZLINK_SIM_SODIUM
const char* name()
{
    return "zlink-sim";
}
std::uint32_t number()
{
    return std::uint32_t(world::get().chance().next() >> 32);
}
randombytes_implementation of_the_world{name, number, nullptr, nullptr, fill, nullptr};
#endif

#ifdef ZLINK_SIM_OPENSSL
int bytes(unsigned char* to, int size)
{
    fill(to, std::size_t(size));
    return 1;
}
int status()
{
    return 1;
}
const RAND_METHOD random_method{nullptr, bytes, nullptr, nullptr, bytes, status};
#endif

}  // namespace

void seed_libraries()
{
#ifdef ZLINK_SIM_SODIUM
    (void)::randombytes_set_implementation(&of_the_world);
#endif
#ifdef ZLINK_SIM_OPENSSL
    (void)::RAND_set_rand_method(&random_method);
#endif
}

}  // namespace zlink::sim
