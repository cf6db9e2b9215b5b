// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "crypto/secret_box.hpp"

#include "crypto/stack_wiping.hpp"

#include <sodium.h>

namespace zlink::crypto {
namespace {

static_assert(crypto_secretbox_NONCEBYTES == nonce_size && crypto_secretbox_KEYBYTES == key_size &&
              crypto_secretbox_MACBYTES == box_overhead);

const unsigned char* raw(const std::byte* at) noexcept
{
    return reinterpret_cast<const unsigned char*>(at);
}

}  // namespace

void seal_box(const secret_key& key, const nonce& number, std::span<const std::byte> text, std::byte* to) noexcept
{
    (void)crypto_secretbox_easy(reinterpret_cast<unsigned char*>(to), raw(text.data()), text.size(), raw(number.data()),
                                raw(key.octets().data()));
    wipe_stack();
}

bool open_box(const secret_key& key, const nonce& number, std::span<const std::byte> box, std::byte* to) noexcept
{
    const int refused = crypto_secretbox_open_easy(reinterpret_cast<unsigned char*>(to), raw(box.data()), box.size(),
                                                   raw(number.data()), raw(key.octets().data()));
    wipe_stack();
    return refused == 0;
}

}  // namespace zlink::crypto
