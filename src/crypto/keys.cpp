// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "crypto/keys.hpp"

#include "crypto/libsodium.hpp"
#include "crypto/stack_wiping.hpp"

#include <sodium.h>

#include <algorithm>
#include <new>

namespace zlink::crypto {
namespace {

static_assert(crypto_box_PUBLICKEYBYTES == key_size && crypto_box_SECRETKEYBYTES == key_size &&
              crypto_box_BEFORENMBYTES == key_size);

unsigned char* raw(std::byte* at) noexcept
{
    return reinterpret_cast<unsigned char*>(at);
}

const unsigned char* raw(const std::byte* at) noexcept
{
    return reinterpret_cast<const unsigned char*>(at);
}

class system_random_source final : public random_source {
public:
    void fill(std::span<std::byte> octets) noexcept override
    {
        start_libsodium();
        randombytes_buf(octets.data(), octets.size());
    }
};

}  // namespace

void wipe(std::span<std::byte> octets) noexcept
{
    sodium_memzero(octets.data(), octets.size());
}

bool same_octets(std::span<const std::byte> one, std::span<const std::byte> other) noexcept
{
    return sodium_memcmp(one.data(), other.data(), one.size()) == 0;
}

random_source& system_random() noexcept
{
    static constinit system_random_source source;
    return source;
}

secret_key::secret_key(key_view octets) : secret_key(zero{})
{
    std::ranges::copy(octets, octets_);
}

secret_key secret_key::random(random_source& source)
{
    secret_key key{zero{}};
    source.fill(std::span(key.octets_, key_size));
    return key;
}

public_key public_key_of(key_view secret) noexcept
{
    start_libsodium();
    public_key key{};
    (void)crypto_scalarmult_base(raw(key.data()), raw(secret.data()));
    wipe_stack();
    return key;
}

key_pair make_key_pair(random_source& source)
{
    key_pair pair;
    pair.secret = secret_key::random(source);
    pair.open = public_key_of(pair.secret.octets());
    return pair;
}

key_pair key_pair_of(key_view secret)
{
    return {public_key_of(secret), secret_key(secret)};
}

secret_key agree(const public_key& theirs, key_view ours)
{
    start_libsodium();
    secret_key shared{secret_key::zero{}};
    const int weak = crypto_box_beforenm(raw(shared.octets_), raw(theirs.data()), raw(ours.data()));
    wipe_stack();
    if (weak != 0) return {};
    return shared;
}

void box_key_deleter::operator()(box_key* key) const noexcept
{
    std::byte* const octets = reinterpret_cast<std::byte*>(key);
    key->~box_key();
    give_key_memory_back(octets);
}

box_key_ptr make_box_key(key_view shared, std::span<const std::byte, 16> nonce_prefix)
{
    static_assert(sizeof(box_key) == key_size && alignof(box_key) <= key_size);
    return box_key_ptr(::new (take_key_memory()) box_key(shared, nonce_prefix));
}

}  // namespace zlink::crypto
