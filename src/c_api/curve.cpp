// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_curve_keypair() and zmq_curve_public().
#include "base/cancellation.hpp"
#include "base/z85.hpp"
#include "c_api/failing.hpp"
#include "crypto/keys.hpp"
#include "zmq.h"

#include <cerrno>
#include <new>
#include <string_view>

namespace {

using namespace zlink;

constexpr std::size_t text_size = z85_size(crypto::key_size);

int reject(int why) noexcept
{
    zlink::c_api::set_errno(why);
    return -1;
}

void write(crypto::key_view key, char* text) noexcept
{
    encode_z85(key, text);
    text[text_size] = '\0';
}

}  // namespace

int zmq_curve_keypair(char* public_key, char* secret_key)
{
    if (public_key == nullptr || secret_key == nullptr) return reject(EINVAL);
    const cancellation_held_off hold;
    try {
        const crypto::key_pair pair = crypto::make_key_pair(crypto::system_random());
        write(pair.open, public_key);
        write(pair.secret.octets(), secret_key);
        return 0;
    } catch (const std::bad_alloc&) {
        return reject(ENOMEM);
    }
}

int zmq_curve_public(char* public_key, const char* secret_key)
{
    if (public_key == nullptr || secret_key == nullptr) return reject(EINVAL);
    const cancellation_held_off hold;
    const std::string_view text = secret_key;
    crypto::wiped_octets<crypto::key_size> secret;
    if (text.size() != text_size || !decode_z85(text, secret.data())) return reject(EINVAL);
    write(crypto::public_key_of(secret), public_key);
    return 0;
}
